// `agtc --emit=agt`: the checked program as IR.
#include "tools/agtc/EmitAgt.h"

#include "tools/agtc/Frontend.h"

#include "mlir/IR/MLIRContext.h"

using namespace agt;
using namespace agt::tool;

int agt::tool::emitAgt(const CompileOptions &options, Source &source) {
  auto frontend = frontendOptions(options.defines, options.only);
  if (!frontend)
    return BadUsage;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  FrontendResult result =
      compileToAgt(source.diagnostics, source.mainBuffer, context, *frontend);
  if (!result.module)
    return exitCode(result.status);
  std::string text;
  llvm::raw_string_ostream out(text);
  result.module->print(out);
  return writeOutput(options.output, text) ? Fine : BadUsage;
}
