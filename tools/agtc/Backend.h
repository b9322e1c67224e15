// From agt IR to what --emit names: the stages behind the front end.
#ifndef AGT_TOOLS_AGTC_BACKEND_H
#define AGT_TOOLS_AGTC_BACKEND_H

#include "tools/agtc/Commands.h"

#include "mlir/IR/BuiltinOps.h"

namespace agt::tool {

/// Lowers `module` and writes what options.emit asks for: kernels, spirv, host,
/// llvm, obj, exe or lib.
int emitBackend(mlir::ModuleOp module, const CompileOptions &options);

} // namespace agt::tool

#endif
