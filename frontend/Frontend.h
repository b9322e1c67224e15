// Text to checked `agt` IR in one call: parse, import, check, lower, verify.
// Used by `agtc` for --emit=agt and everything behind it, by `check`, and by
// the reference interpreter.
#ifndef AGT_FRONTEND_FRONTEND_H
#define AGT_FRONTEND_FRONTEND_H

#include "frontend/Diagnostics.h"
#include "frontend/Sema/Sema.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace agt {

/// `--define` and `--only`.
using FrontendOptions = sema::SemaOptions;

enum class FrontendStatus {
  Fine,
  /// Reported to the diagnostics.
  ErrorsInProgram,
  /// `--define` or `--only` named what the program does not have; reported.
  BadOptions,
  /// The IR does not verify: a bug of ours, reported.
  Bug
};

struct FrontendResult {
  FrontendStatus status = FrontendStatus::Fine;
  /// Null unless fine. Verified.
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Compiles the main file in `mainBuffer` of the diagnostics' SourceMgr, into
/// which imports are loaded as well. Locations of ops are ranges of the source.
FrontendResult compileToAgt(Diagnostics &diagnostics, unsigned mainBuffer,
                            mlir::MLIRContext &context,
                            const FrontendOptions &options = {});

/// The same without lowering. Of `program` its targets, meshes and models are
/// given; what points into the AST is gone.
FrontendStatus checkFile(Diagnostics &diagnostics, unsigned mainBuffer,
                         const FrontendOptions &options = {},
                         sema::Program *program = nullptr);

} // namespace agt

#endif
