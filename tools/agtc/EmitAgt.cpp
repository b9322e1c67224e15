// `agtc --emit=agt` and all stages behind it: the checked program as IR.
#include "tools/agtc/EmitAgt.h"

#include "frontend/Lower/MlirDiagnostics.h"
#include "passes/Pipelines.h"
#include "tools/agtc/Backend.h"
#include "tools/agtc/Frontend.h"
#include "tools/agtc/MlirOptions.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

using namespace agt;
using namespace agt::tool;

int agt::tool::emitAgt(const CompileOptions &options, Source &source) {
  auto frontend = frontendOptions(options.defines, options.only);
  if (!frontend)
    return BadUsage;
  frontend->tests = options.tests;
  if (!parseMlirOptions(options.mlirOptions))
    return BadUsage;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  FrontendResult result =
      compileToAgt(source.diagnostics, source.mainBuffer, context, *frontend);
  if (!result.module)
    return exitCode(result.status);
  if (options.emit != "agt") {
    if (result.module->getBody()->empty() &&
        options.tests == sema::SemaOptions::Tests::Only) {
      complain("'" + options.input + "' has no tests");
      return BadUsage;
    }
    if (result.module->getBody()->empty()) {
      source.diagnostics.error(endOfFile(source.sources, source.mainBuffer),
                               "there is no graph to compile in this file");
      return ErrorsInProgram;
    }
    MlirDiagnostics onSourceLines(context, source.diagnostics);
    return emitBackend(*result.module, options);
  }
  MlirDiagnostics onSourceLines(context, source.diagnostics);
  mlir::PassManager passes(&context);
  buildShardingPipeline(passes);
  if (failed(configure(passes, options)) || failed(passes.run(*result.module)))
    return ErrorsInProgram;
  std::string text;
  llvm::raw_string_ostream out(text);
  result.module->print(out);
  return writeResult(options, options.output, text);
}
