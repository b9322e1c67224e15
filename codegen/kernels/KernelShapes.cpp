// See KernelShapes.h.
#include "codegen/kernels/KernelShapes.h"

#include "dialect/Agt/Shapes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace agt::kernels {

KernelShapes::KernelShapes(KernelOp kernel) : context(kernel.getContext()) {
  unsigned next = 0;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (!tensor) {
      scalars[argument] = next++;
      continue;
    }
    Sizes &dims = sizes[argument];
    for (int64_t dim : tensor.getShape())
      dims.push_back(ShapedType::isDynamic(dim)
                         ? getAffineSymbolExpr(next++, context)
                         : constant(dim));
  }
}

AffineExpr KernelShapes::constant(int64_t value) {
  return getAffineConstantExpr(value, context);
}

AffineExpr KernelShapes::count(ArrayRef<AffineExpr> dims) {
  AffineExpr product = constant(1);
  for (AffineExpr dim : dims)
    product = product * dim;
  return product;
}

AffineExpr KernelShapes::index(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return constant(number.getSExtValue());
  return getAffineSymbolExpr(scalarOf(value), context);
}

const Sizes &KernelShapes::sizesOf(Value tensor) {
  auto it = sizes.find(tensor);
  if (it != sizes.end())
    return it->second;
  Sizes computed = compute(tensor);
  return sizes[tensor] = std::move(computed);
}

Sizes KernelShapes::compute(Value tensor) {
  Sizes dims;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t i = 0; i < type.getRank(); ++i)
    dims.push_back(type.isDynamicDim(i) ? computeDim(tensor, i)
                                        : constant(type.getDimSize(i)));
  return dims;
}

// The open operand dim decides; a number among the operands would have made
// the result's dim a number, were it not 1.
AffineExpr KernelShapes::broadcastDim(OperandRange operands, int64_t dim,
                                      int64_t rank) {
  AffineExpr last = constant(1);
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t own = dim - (rank - type.getRank());
    if (own < 0)
      continue;
    last = sizesOf(operand)[own];
    if (type.isDynamicDim(own))
      return last;
  }
  return last;
}

// The n-th of the values that stand for a result's open dims.
static Value openSize(Value result, OperandRange values, int64_t dim) {
  auto type = cast<RankedTensorType>(result.getType());
  unsigned n = 0;
  for (int64_t i = 0; i < dim; ++i)
    n += type.isDynamicDim(i);
  return values[n];
}

AffineExpr KernelShapes::computeDim(Value tensor, int64_t dim) {
  Operation *op = tensor.getDefiningOp();
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  auto first = [&] { return sizesOf(op->getOperand(0))[dim]; };
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case<ReshapeOp, FullOp>(
          [&](auto op) { return index(openSize(tensor, op.getSizes(), dim)); })
      .Case([&](IotaOp op) { return index(op.getSize()); })
      .Case([&](TransposeOp op) {
        return sizesOf(op.getInput())[op.getPermutation()[dim]];
      })
      .Case([&](SliceOp op) {
        if (dim != static_cast<int64_t>(op.getAxis()))
          return first();
        return index(op.getStop()) - index(op.getStart());
      })
      .Case([&](ConcatOp op) {
        if (dim != static_cast<int64_t>(op.getAxis())) {
          // Any input that knows the number.
          for (Value input : op.getInputs())
            if (!cast<RankedTensorType>(input.getType()).isDynamicDim(dim))
              return sizesOf(input)[dim];
          return first();
        }
        AffineExpr sum = constant(0);
        for (Value input : op.getInputs())
          sum = sum + sizesOf(input)[dim];
        return sum;
      })
      .Case([&](EmbedOp op) {
        return dim == rank - 1 ? sizesOf(op.getTable())[1]
                               : sizesOf(op.getIds())[dim];
      })
      .Case([&](MatmulOp op) {
        int64_t lhsRank = tensorType(op.getLhs()).getRank();
        int64_t rhsRank = tensorType(op.getRhs()).getRank();
        if (dim == rank - 2)
          return sizesOf(op.getLhs())[lhsRank - 2];
        if (dim == rank - 1)
          return sizesOf(op.getRhs())[rhsRank - 1];
        return broadcastDim(op->getOperands(), dim, rank);
      })
      .Case([&](LinearOp op) {
        return dim == rank - 1 ? sizesOf(op.getWeight())[0] : first();
      })
      .Case<ReduceOp>([&](auto op) {
        int64_t axis = op.getAxis();
        return sizesOf(
            op.getInput())[op.getKeep() || dim < axis ? dim : dim + 1];
      })
      .Case([&](ArgmaxOp op) {
        int64_t axis = op.getAxis();
        return sizesOf(op.getInput())[dim < axis ? dim : dim + 1];
      })
      .Case([&](TopkOp op) { return first(); })
      .Case([&](QuantizeOp op) {
        AffineExpr own = first();
        return tensor == op.getScales() && dim == rank - 1
                   ? own.ceilDiv(op.getBlock())
                   : own;
      })
      .Case<tensor::CastOp, DequantizeOp, UnpackBlocksOp, SoftmaxOp, RmsNormOp,
            LayerNormOp, RotateOp, CacheAppendOp>([&](auto) { return first(); })
      .Default([&](Operation *op) {
        return broadcastDim(op->getOperands(), dim, rank);
      });
}

} // namespace agt::kernels
