// Types of values in graphs: dtypes and tensors with symbolic dims.
#ifndef AGT_FRONTEND_SEMA_TYPES_H
#define AGT_FRONTEND_SEMA_TYPES_H

#include "frontend/Sema/DimExpr.h"

#include "llvm/ADT/ArrayRef.h"

namespace agt::sema {

enum class DType : uint8_t { F32, F16, BF16, F8E4M3, I8, I32, I64, Bool };

llvm::StringRef dtypeName(DType dtype);
std::optional<DType> parseDType(llvm::StringRef name);
llvm::ArrayRef<llvm::StringRef> dtypeNames();

/// A set of dtypes, for what a function takes.
using DTypeSet = unsigned;
constexpr DTypeSet setOf(DType dtype) { return 1u << unsigned(dtype); }
constexpr DTypeSet floatDTypes =
    setOf(DType::F32) | setOf(DType::F16) | setOf(DType::BF16);
constexpr DTypeSet intDTypes =
    setOf(DType::I8) | setOf(DType::I32) | setOf(DType::I64);
constexpr DTypeSet numberDTypes = floatDTypes | intDTypes;
constexpr DTypeSet anyDType =
    numberDTypes | setOf(DType::F8E4M3) | setOf(DType::Bool);
constexpr bool contains(DTypeSet set, DType dtype) {
  return set & setOf(dtype);
}
inline bool isFloat(DType dtype) { return contains(floatDTypes, dtype); }

/// "a float tensor", "an i32 tensor", "a tensor of f32 or i8", ...
std::string describeTensors(DTypeSet set);

using Shape = llvm::SmallVector<Dim, 4>;

struct TensorType {
  DType dtype = DType::F32;
  Shape shape;

  size_t rank() const { return shape.size(); }
  /// "tensor<f32, [H, S, 128]>"
  std::string str() const;
};

/// "[H, S, 128]"
std::string shapeText(llvm::ArrayRef<Dim> shape);

} // namespace agt::sema

#endif
