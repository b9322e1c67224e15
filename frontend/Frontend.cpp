#include "frontend/Frontend.h"

#include "frontend/Import/Import.h"
#include "frontend/Lower/Lower.h"
#include "frontend/Lower/MlirDiagnostics.h"

#include "mlir/IR/Verifier.h"

using namespace agt;

namespace {
/// A checked program with the AST that it points into.
struct Checked {
  ast::Context context;
  std::optional<sema::Program> program;
  FrontendStatus status = FrontendStatus::ErrorsInProgram;
};
} // namespace

static void check(Checked &out, Diagnostics &diagnostics, unsigned mainBuffer,
                  const FrontendOptions &options) {
  auto loaded = loadProgram(diagnostics.sourceMgr(), mainBuffer, out.context,
                            diagnostics);
  if (!loaded)
    return;
  std::vector<const ast::File *> files(loaded->files.begin(),
                                       loaded->files.end());
  out.program = sema::checkProgram(files, diagnostics, options);
  if (out.program->badOptions)
    out.status = FrontendStatus::BadOptions;
  else if (!diagnostics.hasErrors())
    out.status = FrontendStatus::Fine;
}

FrontendResult agt::compileToAgt(Diagnostics &diagnostics, unsigned mainBuffer,
                                 mlir::MLIRContext &context,
                                 const FrontendOptions &options) {
  Checked checked;
  check(checked, diagnostics, mainBuffer, options);
  FrontendResult result;
  result.status = checked.status;
  if (result.status != FrontendStatus::Fine)
    return result;
  MlirDiagnostics bridge(context, diagnostics);
  result.module =
      lowerProgram(*checked.program, diagnostics.sourceMgr(), context);
  if (mlir::failed(mlir::verify(*result.module))) {
    diagnostics.error({},
                      "the compiled program is not valid, which is a bug in "
                      "agtc");
    result.module = nullptr;
    result.status = FrontendStatus::Bug;
  }
  return result;
}

FrontendStatus agt::checkFile(Diagnostics &diagnostics, unsigned mainBuffer,
                              const FrontendOptions &options,
                              sema::Program *program) {
  Checked checked;
  check(checked, diagnostics, mainBuffer, options);
  if (program && checked.program) {
    program->targets = std::move(checked.program->targets);
    program->meshes = std::move(checked.program->meshes);
    program->models = std::move(checked.program->models);
  }
  return checked.status;
}
