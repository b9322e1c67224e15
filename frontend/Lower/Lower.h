// Checked graphs to the agt dialect: one `agt.graph` for each, op for op. All
// decisions were taken by the checker; a graph without errors lowers to IR that
// verifies.
#ifndef AGT_FRONTEND_LOWER_LOWER_H
#define AGT_FRONTEND_LOWER_LOWER_H

#include "frontend/Sema/Sema.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace agt {

/// Loads the dialects it needs into `context`.
mlir::OwningOpRef<mlir::ModuleOp> lowerProgram(const sema::Program &program,
                                               const llvm::SourceMgr &sources,
                                               mlir::MLIRContext &context);

} // namespace agt

#endif
