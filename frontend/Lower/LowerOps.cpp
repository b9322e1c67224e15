// Instructions to ops, one case each.
#include "dialect/Agt/Attributes.h"
#include "frontend/Lower/GraphLowering.h"

using namespace agt;
using namespace mlir;
using agt::sema::Inst;
using Code = agt::sema::Op;

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

static Compare compareKind(ast::CompareOp op) {
  switch (op) {
  case ast::CompareOp::Eq:
    return Compare::EQ;
  case ast::CompareOp::Ne:
    return Compare::NE;
  case ast::CompareOp::Lt:
    return Compare::LT;
  case ast::CompareOp::Le:
    return Compare::LE;
  case ast::CompareOp::Gt:
    return Compare::GT;
  case ast::CompareOp::Ge:
    return Compare::GE;
  }
  return Compare::EQ;
}

Value GraphLowering::lowerUnary(Code op, Value x, Location loc) {
  switch (op) {
#define UNARY(name)                                                            \
  case Code::name:                                                             \
    return name##Op::create(builder, loc, x.getType(), x);
    UNARY(Neg)
    UNARY(Abs)
    UNARY(Not)
    UNARY(Exp)
    UNARY(Log)
    UNARY(Sqrt)
    UNARY(Rsqrt)
    UNARY(Tanh)
    UNARY(Sigmoid)
    UNARY(Silu)
    UNARY(Gelu)
    UNARY(GeluTanh)
    UNARY(Relu)
    UNARY(Cos)
    UNARY(Sin)
#undef UNARY
  default:
    return Value();
  }
}

Value GraphLowering::lowerElementwise(const Inst &inst, Location loc) {
  Value a = operand(inst, 0), b = operand(inst, 1);
  switch (inst.op) {
#define BINARY(name)                                                           \
  case Code::name:                                                             \
    return name##Op::create(builder, loc, resultType(inst), a, b);
    BINARY(Add)
    BINARY(Sub)
    BINARY(Mul)
    BINARY(Div)
    BINARY(Rem)
    BINARY(Max)
    BINARY(Min)
    BINARY(And)
    BINARY(Or)
#undef BINARY
  case Code::Compare:
    return CompareOp::create(builder, loc, resultType(inst),
                             compareKind(inst.compare), a, b);
  case Code::Select:
    return SelectOp::create(builder, loc, resultType(inst), a, b,
                            operand(inst, 2));
  case Code::Cast:
    return CastOp::create(builder, loc, resultType(inst), a);
  case Code::Refine:
    return tensor::CastOp::create(builder, loc, resultType(inst), a);
  case Code::Scalar:
    return ScalarOp::create(builder, loc, resultType(inst),
                            scalarOf(inst, loc));
  default:
    return lowerUnary(inst.op, a, loc);
  }
}

Value GraphLowering::scalarOf(const Inst &inst, Location loc) {
  return inst.operands.empty() ? dims.lower(inst.dims.back(), loc)
                               : operand(inst, 0);
}

//===----------------------------------------------------------------------===//
// Products, reductions, norms
//===----------------------------------------------------------------------===//

static Reduction reductionKind(sema::Reduction reduction) {
  switch (reduction) {
  case sema::Reduction::Sum:
    return Reduction::Sum;
  case sema::Reduction::Mean:
    return Reduction::Mean;
  case sema::Reduction::Max:
    return Reduction::Max;
  case sema::Reduction::Min:
    return Reduction::Min;
  }
  return Reduction::Sum;
}

Value GraphLowering::lowerCompute(const Inst &inst, Location loc) {
  Value a = operand(inst, 0), b = operand(inst, 1), c = operand(inst, 2);
  FloatAttr number = builder.getF64FloatAttr(inst.number);
  IntegerAttr axis = builder.getI64IntegerAttr(inst.axis);
  IntegerAttr count = builder.getI64IntegerAttr(inst.count);
  MLIRContext *context = builder.getContext();
  switch (inst.op) {
  case Code::Matmul:
    return MatmulOp::create(builder, loc, resultType(inst), a, b);
  case Code::Linear:
    return LinearOp::create(builder, loc, resultType(inst), a, b, c);
  case Code::Reduce:
    return ReduceOp::create(
        builder, loc, resultType(inst),
        ReductionAttr::get(context, reductionKind(inst.reduction)), a, axis,
        inst.flag ? builder.getUnitAttr() : UnitAttr());
  case Code::Argmax:
    return ArgmaxOp::create(builder, loc, resultType(inst), a, axis);
  case Code::Softmax:
    return SoftmaxOp::create(builder, loc, resultType(inst), a, axis);
  case Code::RmsNorm:
    return RmsNormOp::create(builder, loc, resultType(inst), a, b, number);
  case Code::LayerNorm:
    return LayerNormOp::create(builder, loc, resultType(inst), a, b, c, number);
  case Code::Rope:
    return RopeOp::create(
        builder, loc, resultType(inst), a, b, number,
        builder.getF64FloatAttr(inst.second),
        PairsAttr::get(context, inst.flag ? Pairs::Halves : Pairs::Interleaved),
        inst.count < 0 ? IntegerAttr() : count);
  case Code::Dequantize:
    return DequantizeOp::create(builder, loc, resultType(inst), a, b, count);
  case Code::UnpackBlocks:
    return UnpackBlocksOp::create(
        builder, loc, resultType(inst), a,
        BlockFormatAttr::get(context, *symbolizeBlockFormat(inst.text)));
  default:
    return Value();
  }
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value GraphLowering::lowerShape(const Inst &inst, Location loc) {
  Value a = operand(inst, 0);
  IntegerAttr axis = builder.getI64IntegerAttr(inst.axis);
  switch (inst.op) {
  case Code::Reshape:
    return ReshapeOp::create(builder, loc, resultType(inst), a,
                             openSizes(inst.dims, loc));
  case Code::Transpose:
    return TransposeOp::create(builder, loc, resultType(inst), a,
                               builder.getDenseI64ArrayAttr(inst.permutation));
  case Code::Slice: {
    Value start = dims.lower(inst.dims[0], loc);
    Value stop = dims.lower(inst.dims[1], loc);
    return SliceOp::create(builder, loc, resultType(inst), a, axis, start,
                           stop);
  }
  case Code::Concat:
    return ConcatOp::create(builder, loc, resultType(inst), operands(inst),
                            axis);
  case Code::Iota:
    return IotaOp::create(builder, loc, resultType(inst),
                          dims.lower(inst.dims[0], loc));
  case Code::Full: {
    ArrayRef<sema::Dim> shape = inst.dims;
    if (inst.operands.empty())
      shape = shape.drop_back();
    Value value = scalarOf(inst, loc);
    return FullOp::create(builder, loc, resultType(inst), value,
                          openSizes(shape, loc));
  }
  case Code::Embed:
    return EmbedOp::create(builder, loc, resultType(inst), a, operand(inst, 1));
  case Code::CacheAppend:
    return CacheAppendOp::create(builder, loc, resultType(inst), a,
                                 operand(inst, 1), operand(inst, 2));
  default:
    return Value();
  }
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value GraphLowering::numberFunction(const Inst &inst, Location loc) {
  Value a = operand(inst, 0), b = operand(inst, 1);
  switch (inst.function) {
#define NUMBER(name, op)                                                       \
  case Code::name:                                                             \
    return op::create(builder, loc, a);
#define NUMBERS(name, op)                                                      \
  case Code::name:                                                             \
    return op::create(builder, loc, a, b);
    NUMBERS(Add, arith::AddFOp)
    NUMBERS(Sub, arith::SubFOp)
    NUMBERS(Mul, arith::MulFOp)
    NUMBERS(Div, arith::DivFOp)
    NUMBERS(Rem, arith::RemFOp)
    NUMBERS(Max, arith::MaximumFOp)
    NUMBERS(Min, arith::MinimumFOp)
    NUMBER(Neg, arith::NegFOp)
    NUMBER(Abs, math::AbsFOp)
    NUMBER(Exp, math::ExpOp)
    NUMBER(Log, math::LogOp)
    NUMBER(Sqrt, math::SqrtOp)
    NUMBER(Rsqrt, math::RsqrtOp)
    NUMBER(Tanh, math::TanhOp)
    NUMBER(Cos, math::CosOp)
    NUMBER(Sin, math::SinOp)
#undef NUMBER
#undef NUMBERS
  default:
    return Value();
  }
}

Value GraphLowering::lowerNumber(const Inst &inst, Location loc) {
  switch (inst.op) {
  case Code::NumberConst:
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF64FloatAttr(inst.number));
  case Code::NumberOfInt: {
    Value wide = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            dims.lower(inst.dims[0], loc));
    return arith::SIToFPOp::create(builder, loc, builder.getF64Type(), wide);
  }
  case Code::NumberFunction:
    return numberFunction(inst, loc);
  default:
    return Value();
  }
}

//===----------------------------------------------------------------------===//
// Several results
//===----------------------------------------------------------------------===//

ValueRange GraphLowering::lowerSeveral(const Inst &inst, Location loc) {
  IntegerAttr count = builder.getI64IntegerAttr(inst.count);
  SmallVector<Type> types;
  for (unsigned i = 0; i < inst.results.size(); ++i)
    types.push_back(resultType(inst, i));
  Value a = operand(inst, 0);
  switch (inst.op) {
  case Code::Topk:
    return TopkOp::create(builder, loc, types[0], types[1], a, count)
        ->getResults();
  case Code::Quantize:
    return QuantizeOp::create(builder, loc, types[0], types[1], a, count)
        ->getResults();
  case Code::Shard:
    return lowerShard(inst, loc);
  case Code::Call:
    return lowerCall(inst, loc);
  default:
    return lowerAttention(inst, loc);
  }
}

bool GraphLowering::callsOnSingle(const Inst &inst) const {
  return (onSingle || inst.flag) &&
         inputs.graph(inst.text).signature->decl->mesh;
}

/// The callee's weights are the caller's own, handed on.
ValueRange GraphLowering::lowerCall(const Inst &inst, Location loc) {
  SmallVector<Value> arguments = operands(inst);
  ArrayRef<HiddenInputs::Entry> own =
      inputs.of(graph.signature->decl->name.text);
  for (const HiddenInputs::Entry &wanted : inputs.of(inst.text))
    for (auto [i, entry] : llvm::enumerate(own))
      if (entry.input->isSame(*wanted.input))
        arguments.push_back(op.getArgument(graph.signature->params.size() + i));
  SmallVector<Type> types;
  for (unsigned i = 0; i < inst.results.size(); ++i)
    types.push_back(resultType(inst, i));
  bool single = callsOnSingle(inst);
  std::string callee = single ? singleName(inst.text) : inst.text;
  auto call = CallOp::create(
      builder, loc, types, FlatSymbolRefAttr::get(builder.getContext(), callee),
      arguments, ArrayAttr(), ArrayAttr());
  if (inst.flag && !single)
    call->setAttr(kSingle, builder.getUnitAttr());
  return call->getResults();
}

static Balance balanceOf(sema::ShardArgs::Balance balance) {
  switch (balance) {
  case sema::ShardArgs::Contiguous:
    return Balance::Contiguous;
  case sema::ShardArgs::Zigzag:
    return Balance::Zigzag;
  case sema::ShardArgs::Striped:
    return Balance::Striped;
  }
  return Balance::Contiguous;
}

ValueRange GraphLowering::lowerShard(const Inst &inst, Location loc) {
  RankedTensorType type = resultType(inst, 0);
  SmallVector<DimSplit> splits(type.getRank());
  for (const sema::ShardArgs::Split &split : inst.shard->splits) {
    for (const std::string &axis : split.axes)
      splits[split.dim].axes.push_back(builder.getStringAttr(axis));
    splits[split.dim].balance = balanceOf(split.balance);
  }
  MLIRContext *context = builder.getContext();
  Via via = inst.shard->ulysses ? Via::Ulysses : Via::Ring;
  return ShardOp::create(builder, loc, type, operand(inst, 0),
                         ShardingAttr::get(context, splits),
                         ViaAttr::get(context, via))
      ->getResults();
}

static Causal causalKind(sema::AttentionArgs::Causal causal) {
  switch (causal) {
  case sema::AttentionArgs::None:
    return Causal::None;
  case sema::AttentionArgs::TopLeft:
    return Causal::TopLeft;
  case sema::AttentionArgs::BottomRight:
    return Causal::BottomRight;
  }
  return Causal::None;
}

ValueRange GraphLowering::lowerAttention(const Inst &inst, Location loc) {
  const sema::AttentionArgs &args = *inst.attention;
  auto optionalInt = [&](std::optional<int64_t> number) {
    return number ? builder.getI64IntegerAttr(*number) : IntegerAttr();
  };
  SmallVector<Value> masks;
  for (sema::ValueId mask : args.masks)
    masks.push_back(value(mask));
  MLIRContext *context = builder.getContext();
  auto op = AttentionOp::create(
      builder, loc, resultType(inst),
      inst.results.size() > 1 ? resultType(inst, 1) : Type(), operand(inst, 0),
      operand(inst, 1), operand(inst, 2), value(args.scale), masks,
      value(args.bias), value(args.sink), value(args.alibi), value(args.qPos),
      value(args.kvPos), value(args.qSeg), value(args.kvSeg), value(args.qCu),
      value(args.kvCu), value(args.kvLen), value(args.kScale),
      value(args.vScale), /*enabled=*/Value(),
      /*into=*/Value(), /*owner=*/Value(),
      CausalAttr::get(context, causalKind(args.causal)), optionalInt(args.left),
      optionalInt(args.right), builder.getI64IntegerAttr(args.pin),
      args.softcap ? builder.getF64FloatAttr(*args.softcap) : FloatAttr(),
      optionalInt(args.kBlock), optionalInt(args.vBlock),
      LayoutAttr::get(context, args.shd ? Layout::SHD : Layout::HSD),
      /*partial=*/UnitAttr());
  return op->getResults();
}
