// SpirvBuilder's cooperative matrices: see SpirvBuilder.h.
#include "codegen/spirv/SpirvBuilder.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
namespace ir = mlir::spirv;

namespace agt::spirv {

static constexpr int64_t kSide = 16;

Type SpirvBuilder::matrixType(Matrix use) {
  using Use = ir::CooperativeMatrixUseKHR;
  Type element = use == Matrix::Sum ? Type(b.getF32Type()) : b.getF16Type();
  Use kind = use == Matrix::A   ? Use::MatrixA
             : use == Matrix::B ? Use::MatrixB
                                : Use::MatrixAcc;
  return ir::CooperativeMatrixType::get(element, kSide, kSide,
                                        ir::Scope::Subgroup, kind);
}

Value SpirvBuilder::subgroup() {
  if (!subgroupValue)
    subgroupValue = entryValue([&]() -> Value {
      return arith::IndexCastOp::create(
          b, i32Type(), gpu::SubgroupIdOp::create(b, /*upper_bound=*/nullptr));
    });
  return subgroupValue;
}

Value SpirvBuilder::loadMatrix(const SharedArray &array, Value index,
                               int64_t pitch, Matrix use, bool transposed) {
  using Layout = ir::CooperativeMatrixLayoutKHR;
  Value pointer =
      ir::AccessChainOp::create(b, array.pointer, ValueRange{index});
  return ir::KHRCooperativeMatrixLoadOp::create(
      b, matrixType(use), pointer,
      transposed ? Layout::ColumnMajor : Layout::RowMajor, i32(pitch),
      sharedAccess(), IntegerAttr());
}

void SpirvBuilder::storeMatrix(const SharedArray &array, Value index,
                               int64_t pitch, Value sum) {
  Value pointer =
      ir::AccessChainOp::create(b, array.pointer, ValueRange{index});
  ir::KHRCooperativeMatrixStoreOp::create(
      b, pointer, sum, ir::CooperativeMatrixLayoutKHR::RowMajor, i32(pitch),
      sharedAccess(), IntegerAttr());
}

Value SpirvBuilder::zeroSum() {
  return ir::CompositeConstructOp::create(b, matrixType(Matrix::Sum),
                                          ValueRange{f32(0)});
}

Value SpirvBuilder::multiplyAdd(Value x, Value y, Value sum) {
  return ir::KHRCooperativeMatrixMulAddOp::create(
      b, sum.getType(), x, y, sum, ir::CooperativeMatrixOperandsKHRAttr());
}

Value SpirvBuilder::loadHalf(unsigned buffer, Value index) {
  Value pair = ir::BitcastOp::create(b, VectorType::get(2, b.getF16Type()),
                                     loadWord(buffer, shr(index, 1)));
  Value low = ir::CompositeExtractOp::create(b, pair, {0});
  Value high = ir::CompositeExtractOp::create(b, pair, {1});
  return select(eq(bitAnd(index, 1), i32(0)), low, high);
}

Value SpirvBuilder::zeroHalf() {
  return entryValue([&]() -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(b.getF16Type(), 0.0));
  });
}

} // namespace agt::spirv
