// Symbolic sizes as `index` values: each is computed once, where it is first
// needed, from `tensor.dim` of the argument that its names are read from.
#ifndef AGT_FRONTEND_LOWER_DIMLOWERING_H
#define AGT_FRONTEND_LOWER_DIMLOWERING_H

#include "frontend/Sema/DimExpr.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace agt {

class DimLowering {
public:
  using NameLowering =
      std::function<mlir::Value(llvm::StringRef name, mlir::Location loc)>;
  DimLowering(mlir::OpBuilder &builder, NameLowering lowerName)
      : builder(builder), lowerName(std::move(lowerName)) {}

  mlir::Value lower(sema::Dim dim, mlir::Location loc);
  mlir::Value constant(int64_t value, mlir::Location loc);

private:
  mlir::Value lower(const sema::DimAtom &atom, mlir::Location loc);
  mlir::Value divide(const sema::DimAtom &atom, mlir::Location loc);
  mlir::Value multiply(mlir::Value a, mlir::Value b, mlir::Location loc);
  mlir::Value lower(const sema::Monomial &monomial, mlir::Location loc);

  mlir::OpBuilder &builder;
  NameLowering lowerName;
  llvm::DenseMap<sema::Dim, mlir::Value> dims;
  llvm::DenseMap<const sema::DimAtom *, mlir::Value> atoms;
  /// Every int is a key, so no DenseMap.
  std::map<int64_t, mlir::Value> constants;
};

} // namespace agt

#endif
