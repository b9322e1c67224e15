// What MLIR reports about an op, shown on the author's line: while one of these
// lives, errors of a context go to the frontend's Diagnostics, their locations
// turned back into source ranges.
#ifndef AGT_FRONTEND_LOWER_MLIRDIAGNOSTICS_H
#define AGT_FRONTEND_LOWER_MLIRDIAGNOSTICS_H

#include "frontend/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"

namespace agt {

class MlirDiagnostics : public mlir::ScopedDiagnosticHandler {
public:
  MlirDiagnostics(mlir::MLIRContext &context, Diagnostics &diagnostics);

private:
  Diagnostic convert(const mlir::Diagnostic &diagnostic) const;

  Diagnostics &diagnostics;
};

/// The source range that a location stands for: the innermost one that is a
/// place in a buffer of `sources`, or an invalid range.
llvm::SMRange sourceRange(llvm::SourceMgr &sources, mlir::Location loc);

} // namespace agt

#endif
