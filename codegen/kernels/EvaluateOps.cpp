// What each op of a kernel's body does with elements (see Evaluator.h).
#include "codegen/kernels/Evaluator.h"

#include "dialect/Agt/Shapes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace agt::kernels {

using FPred = arith::CmpFPredicate;
using IPred = arith::CmpIPredicate;

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

Value Evaluator::compute(Value tensor, Place place, bool rounded) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return load(argument, place);
  Operation *op = tensor.getDefiningOp();
  auto settle = [&](Value value) {
    return rounded ? types.settle(elementOf(tensor), value) : value;
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<AddOp, SubOp, MulOp, DivOp, RemOp>(
          [&](auto) { return settle(binary(op, place)); })
      .Case<MaxOp, MinOp, AndOp, OrOp>([&](auto) { return binary(op, place); })
      .Case<NegOp, AbsOp, NotOp, ReluOp, ExpOp, LogOp, SqrtOp, RsqrtOp, TanhOp,
            SigmoidOp, SiluOp, GeluOp, GeluTanhOp, CosOp, SinOp>(
          [&](auto) { return settle(unary(op, place)); })
      .Case([&](CompareOp op) { return compare(op, place); })
      .Case([&](SelectOp op) {
        Value condition = operand(op.getCondition(), place);
        return k.select(condition, operand(op.getLhs(), place),
                        operand(op.getRhs(), place));
      })
      .Case([&](CastOp op) {
        return types.cast(elementOf(op.getInput()), elementOf(tensor),
                          element(op.getInput(), place));
      })
      .Case([&](tensor::CastOp op) { return element(op.getSource(), place); })
      .Case(
          [&](ScalarOp op) { return scalar(op.getValue(), elementOf(tensor)); })
      .Case([&](FullOp op) { return scalar(op.getValue(), elementOf(tensor)); })
      .Case([&](IotaOp) { return numberOf(linearOf(place)); })
      .Case([&](ReshapeOp op) {
        return element(op.getInput(),
                       at(shapes.sizesOf(op.getInput()), linearOf(place)));
      })
      .Case([&](TransposeOp op) {
        SmallVector<Value> from = indicesOf(place), to(from.size());
        for (auto [i, source] : llvm::enumerate(op.getPermutation()))
          to[source] = from[i];
        return element(op.getInput(), at(shapes.sizesOf(op.getInput()), to));
      })
      .Case([&](SliceOp op) {
        SmallVector<Value> indices = indicesOf(place);
        Value &index = indices[op.getAxis()];
        index = k.add(index, size(shapes.index(op.getStart())));
        return element(op.getInput(),
                       at(shapes.sizesOf(op.getInput()), indices));
      })
      .Case([&](ConcatOp op) { return concat(op, place); })
      .Case([&](EmbedOp op) { return embed(op, place); })
      .Case([&](RotateOp op) { return settle(rotate(op, place)); })
      .Case([&](DequantizeOp op) { return dequantize(op, place); })
      .Case([&](UnpackBlocksOp op) { return unpackBlocks(op, place); })
      .Default([](Operation *) -> Value {
        llvm_unreachable("agt-form-kernels puts no such op where elements are "
                         "pulled");
      });
}

// ---- numbers ---------------------------------------------------------------

Value Evaluator::scalar(Value number, Type element) {
  APInt integer;
  if (matchPattern(number, m_ConstantInt(&integer)))
    return types.integer(element, integer.getSExtValue());
  APFloat real(0.0);
  if (matchPattern(number, m_ConstantFloat(&real)))
    return types.constant(element, real.convertToDouble());
  unsigned slot = shapes.scalarOf(number);
  if (number.getType().isIndex())
    return types.cast(k.i32Type(), element, k.scalar(slot));
  return types.cast(k.f32Type(), element, k.scalarF32(slot));
}

Value Evaluator::integerQuotient(Value x, Value y, bool remainder) {
  // By 0 gives 0. The one quotient that overflows (the smallest number by -1)
  // would trap on some processors: it is divided by 1, which is the same.
  Type type = x.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value zero = types.integerOf(type, 0), one = types.integerOf(type, 1);
  Value smallest = types.integerOf(
      type, width == 64 ? INT64_MIN : -(int64_t(1) << (width - 1)));
  Value byZero = k.eq(y, zero);
  Value overflow =
      k.logicalAnd(k.eq(x, smallest), k.eq(y, types.integerOf(type, -1)));
  Value divisor = k.select(k.logicalOr(byZero, overflow), one, y);
  Value quotient = arith::DivSIOp::create(k.builder(), x, divisor);
  if (!remainder)
    return k.select(byZero, zero, quotient);
  return k.select(byZero, zero, k.sub(x, k.mul(quotient, divisor)));
}

Value Evaluator::binary(Operation *op, Place place) {
  Value x = operand(op->getOperand(0), place);
  Value y = operand(op->getOperand(1), place);
  bool real = isa<FloatType>(x.getType());
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) { return real ? k.fadd(x, y) : k.add(x, y); })
      .Case([&](SubOp) { return real ? k.fsub(x, y) : k.sub(x, y); })
      .Case([&](MulOp) { return real ? k.fmul(x, y) : k.mul(x, y); })
      .Case([&](DivOp) {
        return real ? math.divide(x, y) : integerQuotient(x, y, false);
      })
      .Case([&](RemOp) {
        return real ? math.remainder(x, y) : integerQuotient(x, y, true);
      })
      .Case([&](MaxOp) { return real ? k.fmaxNaN(x, y) : k.maxS(x, y); })
      .Case([&](MinOp) { return real ? k.fminNaN(x, y) : k.minS(x, y); })
      .Case([&](AndOp) { return k.logicalAnd(x, y); })
      .Case([&](OrOp) { return k.logicalOr(x, y); });
}

Value Evaluator::unary(Operation *op, Place place) {
  Value x = element(op->getOperand(0), place);
  Type type = x.getType();
  bool real = isa<FloatType>(type);
  auto zero = [&] { return types.integerOf(type, 0); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](NegOp) { return real ? math.negate(x) : k.sub(zero(), x); })
      .Case([&](AbsOp) {
        if (real)
          return math.magnitude(x);
        return k.select(k.lt(x, zero()), k.sub(zero(), x), x);
      })
      .Case([&](NotOp) { return k.logicalNot(x); })
      .Case([&](ReluOp) { return real ? math.relu(x) : k.maxS(x, zero()); })
      .Case([&](ExpOp) { return math.exp(x); })
      .Case([&](LogOp) { return math.log(x); })
      .Case([&](SqrtOp) { return math.sqrt(x); })
      .Case([&](RsqrtOp) { return math.rsqrt(x); })
      .Case([&](TanhOp) { return math.tanh(x); })
      .Case([&](SigmoidOp) { return math.sigmoid(x); })
      .Case([&](SiluOp) { return math.silu(x); })
      .Case([&](GeluOp) { return math.gelu(x); })
      .Case([&](GeluTanhOp) { return math.geluTanh(x); })
      .Case([&](CosOp) { return math.cos(x); })
      .Case([&](SinOp) { return math.sin(x); });
}

Value Evaluator::compare(CompareOp op, Place place) {
  static const FPred reals[] = {FPred::OEQ, FPred::UNE, FPred::OLT,
                                FPred::OLE, FPred::OGT, FPred::OGE};
  static const IPred integers[] = {IPred::eq,  IPred::ne,  IPred::slt,
                                   IPred::sle, IPred::sgt, IPred::sge};
  Value x = operand(op.getLhs(), place), y = operand(op.getRhs(), place);
  auto kind = static_cast<unsigned>(op.getKind());
  if (isa<FloatType>(x.getType()))
    return k.fcmp(reals[kind], x, y);
  if (x.getType().isInteger(1)) {
    x = k.select(x, k.i32(1), k.i32(0));
    y = k.select(y, k.i32(1), k.i32(0));
  }
  return k.cmp(integers[kind], x, y);
}

// ---- gathers ---------------------------------------------------------------

Value Evaluator::concat(ConcatOp op, Place place) {
  SmallVector<Value> indices = indicesOf(place);
  return concatFrom(op, 0, indices[op.getAxis()], indices);
}

// Branches, not selects: an input without elements must not be read.
Value Evaluator::concatFrom(ConcatOp op, unsigned first, Value index,
                            ArrayRef<Value> indices) {
  Value input = op.getInputs()[first];
  const Sizes &sizes = shapes.sizesOf(input);
  auto fromInput = [&] {
    SmallVector<Value> own(indices);
    own[op.getAxis()] = index;
    return element(input, at(sizes, own));
  };
  if (first + 1 == op.getInputs().size())
    return fromInput();
  Value length = size(sizes[op.getAxis()]);
  return ifValue(k.ult(index, length), fromInput, [&] {
    return concatFrom(op, first + 1, k.sub(index, length), indices);
  });
}

// Ids and positions of 64 bits are read as two words: not every device has
// 64-bit integers, and these need no arithmetic of that width.
Evaluator::Words Evaluator::integerWords(Value tensor, Place place) {
  if (!elementOf(tensor).isInteger(64)) {
    Value low = element(tensor, place);
    return {low, types.shiftRightSigned(low, 31)};
  }
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return loadWords(argument, place);
  Value wide = element(tensor, place);
  auto half = [&](Value x) {
    return arith::TruncIOp::create(k.builder(), k.i32Type(), x);
  };
  return {half(wide), half(k.shr(wide, types.integerOf(wide.getType(), 32)))};
}

Value Evaluator::embed(EmbedOp op, Place place) {
  SmallVector<Value> indices = indicesOf(place);
  Value column = indices.pop_back_val();
  Words id =
      integerWords(op.getIds(), at(shapes.sizesOf(op.getIds()), indices));
  const Sizes &table = shapes.sizesOf(op.getTable());
  Value rows = size(table[0]);
  Value inside = k.logicalAnd(k.eq(id.high, k.i32(0)), k.ult(id.low, rows));
  return ifValue(
      inside,
      [&] { return element(op.getTable(), at(table, {id.low, column})); },
      [&] { return types.nanOrZero(elementOf(op.getTable())); });
}

Value Evaluator::dequantize(DequantizeOp op, Place place) {
  SmallVector<Value> indices = indicesOf(place);
  Type type = elementOf(op.getValues());
  Value value = types.cast(type, k.f32Type(), element(op.getValues(), place));
  indices.pop_back();
  indices.back() = k.div(indices.back(), op.getBlock());
  Value scale =
      element(op.getScales(), at(shapes.sizesOf(op.getScales()), indices));
  return k.fmul(value, scale);
}

// ---- rotation --------------------------------------------------------------

// Position times frequency as a fraction of a turn, modulo 2^64, exactly. A
// negative position turns the other way.
ElementaryMath::SinCos Evaluator::angle(RotateOp op, ArrayRef<Value> indices,
                                        Value pair) {
  // [T] or [batch..., T] against [batch..., between..., T, D].
  const Sizes &sizes = shapes.sizesOf(op.getPositions());
  SmallVector<Value> where(indices.take_front(sizes.size() - 1));
  where.push_back(indices[indices.size() - 2]);
  Words position = integerWords(op.getPositions(), at(sizes, where));
  Value negative = k.lt(position.high, k.i32(0));
  Value magnitude =
      k.select(negative, k.sub(k.i32(0), position.low), position.low);

  const Sizes &table = shapes.sizesOf(op.getTable());
  Value low = element(op.getTable(), at(table, {pair, k.i32(0)}));
  Value high = element(op.getTable(), at(table, {pair, k.i32(1)}));
  ElementaryMath::Product product = math.multiply(magnitude, low);
  Value turn = k.add(product.high, k.mul(magnitude, high));
  if (elementOf(op.getPositions()).isInteger(64)) {
    // The upper word of the negation: a carry comes from a lower word of 0.
    Value carry = k.select(k.eq(position.low, k.i32(0)), k.i32(1), k.i32(0));
    Value opposite = k.add(k.bitXor(position.high, k.i32(-1)), carry);
    Value upper = k.select(negative, opposite, position.high);
    turn = k.add(turn, k.mul(upper, low));
  }
  ElementaryMath::SinCos r = math.sinCosOfTurn(turn, product.low);
  return {k.select(negative, k.fneg(r.sin), r.sin), r.cos};
}

Value Evaluator::rotate(RotateOp op, Place place) {
  SmallVector<Value> indices = indicesOf(place);
  const Sizes &sizes = shapes.sizesOf(op.getInput());
  Value column = indices.back();
  AffineExpr rows = shapes.sizesOf(op.getTable())[0];
  Value half = size(rows);
  bool whole = rows * 2 == sizes.back();
  bool halves = op.getPairs() == Pairs::Halves;

  Value own = element(op.getInput(), place);
  auto turned = [&]() -> Value {
    Value second, pair, partner;
    if (halves) {
      second = k.logicalNot(k.ult(column, half));
      pair = k.select(second, k.sub(column, half), column);
      partner = k.select(second, pair, k.add(column, half));
    } else {
      second = k.ne(k.bitAnd(column, 1), k.i32(0));
      pair = k.shr(column, 1);
      partner = k.bitXor(column, k.i32(1));
    }
    SmallVector<Value> where(indices);
    where.back() = partner;
    Value other = element(op.getInput(), at(sizes, where));
    ElementaryMath::SinCos r = angle(op, indices, pair);
    Value side = k.select(second, r.sin, k.fneg(r.sin));
    return k.fma(own, r.cos, k.fmul(other, side));
  };
  if (whole)
    return turned();
  return ifValue(k.ult(column, k.mul(half, 2)), turned, [&] { return own; });
}

} // namespace agt::kernels
