// Kernels that reduce or normalise along one axis: reduce, argmax, topk,
// softmax, rms_norm, layer_norm.
//
// Contiguous rows get a subgroup each (which is a workgroup); short rows, rows
// with a stride and 64-bit integers get an invocation each, with neighbouring
// invocations on neighbouring elements. The second form works on any subgroup
// and is the last variant of the first.
#include "codegen/kernels/RowLoop.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace agt::kernels {

static constexpr int64_t kShortRow = 32;

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

namespace {

class RowKernel {
public:
  RowKernel(Evaluator &evaluator, KernelOp kernel, RowLoop &loop)
      : e(evaluator), k(evaluator.builder()), types(evaluator.elementTypes()),
        math(evaluator.elementary()), loop(loop),
        root(kernel.getBody().front().getTerminator()->getOperand(0)) {}

  void build(Operation *anchor) {
    llvm::TypeSwitch<Operation *>(anchor)
        .Case<ReduceOp, ArgmaxOp, TopkOp, SoftmaxOp, RmsNormOp, LayerNormOp>(
            [&](auto op) { emit(op); });
  }

private:
  void emit(ReduceOp op);
  void emit(ArgmaxOp op);
  void emit(TopkOp op);
  void emit(SoftmaxOp op);
  void emit(RmsNormOp op);
  void emit(LayerNormOp op);

  // What of the anchor's result leaves the kernel: through the rest of the
  // body.
  Value finish(Value result, Place place, Value value) {
    if (result == root)
      return value;
    e.pin(result, place, types.settle(elementOf(result), value));
    return e.unrounded(root, place);
  }
  void finishReduced(Value result, bool keep, Value value);
  Value weight(Value tensor, Value r) {
    return e.element(tensor, e.at(e.kernelShapes().sizesOf(tensor), Values{r}));
  }
  Value rowLength(Value tensor) {
    return k.toF32(e.size(e.kernelShapes().sizesOf(tensor).back()));
  }
  Value largest(Value input, Value init,
                llvm::function_ref<Value(Value, Value)> larger);
  Value key(Type element, Value x);
  struct Best {
    Value key, index;
  };
  Best bestAfter(Value input, std::optional<Best> previous);
  // rms_norm and layer_norm; `bias` may be null.
  struct Norm {
    Value input, weight, bias, result;
    double eps;
    bool centred;
  };
  // A power of two that a row is multiplied by; `up` may be null where it is
  // never kUp.
  struct Scale {
    Value by, up;
  };
  // Of a row times `scale`; of the row as it is where there is none. The mean
  // is `mean` and `rest`, of which either may be null: 0.
  struct Moments {
    std::optional<Scale> scale;
    Value mean, rest, squares, eps;
  };
  void emitNorm(const Norm &norm);
  Moments momentsOf(const Norm &norm, std::optional<Scale> scale);
  void rescale(const Norm &norm, Moments &moments);
  Value scaled(Value x, const Scale &scale);
  Value centred(const Norm &norm, Place place, const Moments &moments) {
    Value x = e.element(norm.input, place);
    if (moments.scale)
      x = scaled(x, *moments.scale);
    if (moments.mean)
      x = k.fsub(x, moments.mean);
    return moments.rest ? k.fsub(x, moments.rest) : x;
  }

  Evaluator &e;
  KernelBuilder &k;
  ElementTypes &types;
  ElementaryMath &math;
  RowLoop &loop;
  Value root;
};

} // namespace

void RowKernel::finishReduced(Value result, bool keep, Value value) {
  loop.once([&] {
    Place place = loop.reduced(e.kernelShapes().sizesOf(result), keep);
    e.store(0, loop.row(), finish(result, place, value));
  });
}

// ---- reductions ------------------------------------------------------------

Value RowKernel::largest(Value input, Value init,
                         llvm::function_ref<Value(Value, Value)> larger) {
  return loop.foldRow(
      {init},
      [&](ArrayRef<Value> best, Value, Place place) {
        return Values{larger(best[0], e.element(input, place))};
      },
      [&](ArrayRef<Value> a, ArrayRef<Value> b) {
        return Values{larger(a[0], b[0])};
      })[0];
}

void RowKernel::emit(ReduceOp op) {
  Value input = op.getInput();
  Type type = elementOf(input);
  bool real = ElementTypes::isFloat(type);
  Reduction kind = op.getKind();
  Value value;
  if (kind == Reduction::Sum || kind == Reduction::Mean) {
    Value zero = types.integerOf(types.computeType(type), 0);
    if (real)
      zero = k.f32(0);
    value = loop.sum(
        zero, [&](Value, Place place) { return e.element(input, place); });
    Value n = e.size(e.kernelShapes().sizesOf(input)[op.getAxis()]);
    if (kind == Reduction::Mean && real)
      value = k.fdiv(value, k.toF32(n));
    if (kind == Reduction::Mean && !real)
      value = e.integerQuotient(
          types.settle(type, value),
          types.cast(k.i32Type(), types.computeType(type), n), false);
    if (!real)
      value = types.settle(type, value);
  } else {
    bool max = kind == Reduction::Max;
    // A number that every other one replaces; -infinity or its opposite for
    // floats.
    unsigned width = type.getIntOrFloatBitWidth();
    int64_t top = width == 64 ? INT64_MAX : (int64_t(1) << (width - 1)) - 1;
    Value init =
        real ? k.f32Bits(max ? 0xff800000 : 0x7f800000)
             : types.integerOf(types.computeType(type), max ? -top - 1 : top);
    value = largest(input, init, [&](Value a, Value b) {
      if (real)
        return max ? k.fmaxNaN(a, b) : k.fminNaN(a, b);
      return max ? k.maxS(a, b) : k.minS(a, b);
    });
  }
  finishReduced(op.getResult(), op.getKeep(), value);
}

// ---- order -----------------------------------------------------------------

// An integer that orders as the language does: NaN is the largest, 0 and -0
// are equal.
Value RowKernel::key(Type element, Value x) {
  if (!ElementTypes::isFloat(element))
    return x;
  Value bits = k.asI32(x);
  Value magnitude = k.bitAnd(bits, 0x7fffffff);
  Value sign = types.shiftRightSigned(bits, 31);
  Value ordered = k.bitXor(bits, k.bitAnd(sign, 0x7fffffff));
  ordered = k.select(k.eq(magnitude, k.i32(0)), k.i32(0), ordered);
  return k.select(k.ult(k.i32(0x7f800000), magnitude), k.i32(0x7fffffff),
                  ordered);
}

// The largest element, the lowest index among equals, of those that come after
// `previous` in this order.
RowKernel::Best RowKernel::bestAfter(Value input,
                                     std::optional<Best> previous) {
  Type element = elementOf(input);
  Type type = types.computeType(element);
  Type keyType = ElementTypes::isFloat(element) ? k.i32Type() : type;
  unsigned width = keyType.getIntOrFloatBitWidth();
  Value least = types.integerOf(keyType, width == 64 ? INT64_MIN : INT32_MIN);
  auto better = [&](ArrayRef<Value> a, ArrayRef<Value> b) {
    Value equal = k.logicalAnd(k.eq(b[0], a[0]), k.lt(b[1], a[1]));
    Value replace = k.logicalOr(k.lt(a[0], b[0]), equal);
    return Values{k.select(replace, b[0], a[0]), k.select(replace, b[1], a[1])};
  };
  Values best = loop.foldRow(
      {least, k.i32(INT32_MAX)},
      [&](ArrayRef<Value> carried, Value r, Place place) {
        Value here = key(element, e.element(input, place));
        Values next = better(carried, {here, r});
        if (!previous)
          return next;
        Value equal =
            k.logicalAnd(k.eq(here, previous->key), k.lt(previous->index, r));
        Value after = k.logicalOr(k.lt(here, previous->key), equal);
        return Values{k.select(after, next[0], carried[0]),
                      k.select(after, next[1], carried[1])};
      },
      better);
  return {best[0], best[1]};
}

void RowKernel::emit(ArgmaxOp op) {
  Value index = bestAfter(op.getInput(), std::nullopt).index;
  // A row without elements: 0.
  Value none = k.eq(index, k.i32(INT32_MAX));
  finishReduced(op.getResult(), /*keep=*/false,
                k.select(none, k.i32(0), index));
}

// A pass over the row for each of the k: nothing to keep sorted in registers,
// and k is small.
void RowKernel::emit(TopkOp op) {
  Type type = types.computeType(elementOf(op.getInput()));
  Type keyType = isa<FloatType>(type) ? k.i32Type() : type;
  Variable keyBefore = k.makeVariable(
      types.integerOf(keyType, keyType.isInteger(64) ? INT64_MAX : INT32_MAX));
  Variable indexBefore = k.makeVariable(k.i32(-1));
  int64_t count = op.getK();
  e.forRange(k.i32(0), k.i32(count), 1, [&](Value t) {
    Best best =
        bestAfter(op.getInput(), Best{k.load(keyBefore), k.load(indexBefore)});
    k.store(keyBefore, best.key);
    k.store(indexBefore, best.index);
    loop.once([&] {
      Value number = k.add(k.mul(loop.row(), count), t);
      e.store(0, number, e.element(op.getInput(), loop.at(best.index)));
      e.store(1, number, best.index);
    });
  });
}

// ---- softmax and norms -----------------------------------------------------

void RowKernel::emit(SoftmaxOp op) {
  Value input = op.getInput();
  Value top = largest(input, k.f32Bits(0xff800000),
                      [&](Value a, Value b) { return k.fmaxNaN(a, b); });
  auto term = [&](Place place) {
    return math.exp(k.fsub(e.element(input, place), top));
  };
  Value total =
      loop.sum(k.f32(0), [&](Value, Place place) { return term(place); });
  loop.storeEach(0, [&](Value, Place place) {
    return finish(op.getResult(), place, k.fdiv(term(place), total));
  });
}

void RowKernel::emit(RmsNormOp op) {
  emitNorm({op.getInput(), op.getWeight(), nullptr, op.getResult(),
            op.getEps().convertToDouble(), /*centred=*/false});
}

void RowKernel::emit(LayerNormOp op) {
  emitNorm({op.getInput(), op.getWeight(), op.getBias(), op.getResult(),
            op.getEps().convertToDouble(), /*centred=*/true});
}

// A norm does not change with the row's scale, but its squares do: those of
// 1e20 are infinite and those of 1e-20 nothing. Rows like that are rare, so
// they are found by their sum and gone over again, scaled by a power of two.
// kUp takes a sum of less than kSmall to less than 2^120 and the square of the
// smallest subnormal to 2^-98; kDown takes the largest row to 2^96 an element.
static constexpr double kSmall = 0x1p-80, kUp = 0x1p100, kDown = 0x1p-80;

// Up, a subnormal is read by its bits, which stand for so many 2^-149: a
// device may take it for 0 in a product.
Value RowKernel::scaled(Value x, const Scale &scale) {
  Value product = k.fmul(x, scale.by);
  if (!scale.up)
    return product;
  Value magnitude = k.bitAnd(k.asI32(x), 0x7fffffff);
  Value subnormal = k.ult(magnitude, k.i32(0x00800000));
  Value lifted = k.fmul(k.toF32U(magnitude), k.f32(kUp * 0x1p-149));
  Value sign = k.bitXor(k.asI32(x), magnitude);
  lifted = k.asF32(k.bitOr(k.asI32(lifted), sign));
  return k.select(k.logicalAnd(subnormal, scale.up), lifted, product);
}

RowKernel::Moments RowKernel::momentsOf(const Norm &norm,
                                        std::optional<Scale> scale) {
  Moments moments{scale, nullptr, nullptr, nullptr, k.f32(norm.eps)};
  if (norm.centred) {
    Value sum = loop.sum(k.f32(0), [&](Value, Place place) {
      return centred(norm, place, moments);
    });
    moments.mean = k.fdiv(sum, rowLength(norm.input));
  }
  if (!norm.centred) {
    moments.squares = loop.sum(k.f32(0), [&](Value, Place place) {
      Value x = centred(norm, place, moments);
      return k.fmul(x, x);
    });
    return moments;
  }
  // What rounding kept from the mean would pass for spread: it is summed along
  // and taken out (the corrected two-pass algorithm: Chan, Golub and LeVeque,
  // The American Statistician 37, 1983). Of equal elements that leaves what
  // rounding made of the squares, about which nothing smaller is known: it
  // stays above what rounding leaves of an element.
  Values sums = loop.sums({k.f32(0), k.f32(0)}, [&](Value, Place place) {
    Value x = centred(norm, place, moments);
    return Values{k.fmul(x, x), x};
  });
  moments.rest = k.fdiv(sums[1], rowLength(norm.input));
  moments.squares = k.fmaxNaN(k.fsub(sums[0], k.fmul(moments.rest, sums[1])),
                              k.fmul(sums[0], k.f32(0x1p-22)));
  return moments;
}

void RowKernel::rescale(const Norm &norm, Moments &moments) {
  Variable mean, rest, squares = k.makeVariable(moments.squares);
  if (norm.centred) {
    mean = k.makeVariable(moments.mean);
    rest = k.makeVariable(moments.rest);
  }
  Variable by = k.makeVariable(k.f32(1));
  Variable eps = k.makeVariable(moments.eps);
  // Infinite or NaN: as numbers, for a driver may take it that neither occurs.
  Value bits = k.bitAnd(k.asI32(moments.squares), 0x7fffffff);
  Value large = k.le(k.i32(0x7f800000), bits), outside = large;
  // Squares that are lost beside eps are no loss.
  bool mayVanish = norm.eps < kSmall;
  Value up;
  if (mayVanish) {
    up = k.lt(bits, k.asI32(k.f32(kSmall)));
    // Elements about a mean of 1 are all the same, or farther apart than that.
    if (norm.centred)
      up = k.logicalAnd(up, k.flt(k.fabs(moments.mean), k.f32(1)));
    outside = k.logicalOr(large, up);
  }
  e.ifThen(outside, [&] {
    Scale scale{k.f32(kDown), up};
    // Nothing beside large squares, but not 0: those of equal elements are 0.
    double least = norm.eps > 0 ? 0x1p-126 : 0;
    Value newEps = k.f32(std::max(norm.eps * kDown * kDown, least));
    if (mayVanish) {
      scale.by = k.select(up, k.f32(kUp), scale.by);
      newEps = k.select(up, k.f32(norm.eps * kUp * kUp), newEps);
    }
    Moments again = momentsOf(norm, scale);
    k.store(squares, again.squares);
    if (norm.centred) {
      k.store(mean, again.mean);
      k.store(rest, again.rest);
    }
    k.store(by, scale.by);
    k.store(eps, newEps);
  });
  if (norm.centred) {
    moments.mean = k.load(mean);
    moments.rest = k.load(rest);
  }
  moments.scale = Scale{k.load(by), up};
  moments.squares = k.load(squares);
  moments.eps = k.load(eps);
}

void RowKernel::emitNorm(const Norm &norm) {
  Moments moments = momentsOf(norm, std::nullopt);
  // The squares of all f16 are in f32's range.
  if (!elementOf(norm.input).isF16())
    rescale(norm, moments);
  Value spread = k.fdiv(moments.squares, rowLength(norm.input));
  Value factor = math.rsqrt(k.fadd(spread, moments.eps));
  loop.storeEach(0, [&](Value r, Place place) {
    Value x = k.fmul(k.fmul(centred(norm, place, moments), factor),
                     weight(norm.weight, r));
    if (norm.bias)
      x = k.fadd(x, weight(norm.bias, r));
    return finish(norm.result, place, x);
  });
}

// ---- variants --------------------------------------------------------------

static int64_t axisOf(Operation *anchor) {
  int64_t last =
      cast<RankedTensorType>(anchor->getOperand(0).getType()).getRank() - 1;
  return llvm::TypeSwitch<Operation *, int64_t>(anchor)
      .Case<ReduceOp, ArgmaxOp, SoftmaxOp>(
          [](auto op) { return static_cast<int64_t>(op.getAxis()); })
      .Default([&](Operation *) { return last; });
}

LogicalResult buildRows(VariantSet &variants, Operation *anchor) {
  KernelShapes &shapes = variants.shapes();
  Value input = anchor->getOperand(0);
  RowShape shape(shapes, input, axisOf(anchor));
  AffineExpr one = shapes.constant(1);
  LaunchSize &launch = variants.launch();
  launch.work = {shape.rows, one, one, one};
  int64_t passes = isa<TopkOp>(anchor) ? cast<TopkOp>(anchor).getK() : 4;
  launch.flops = shape.rows * shape.length * passes;

  auto add = [&](const VariantPlan &plan, uint32_t lanes) {
    return variants.add(plan, [&](Evaluator &e) {
      KernelBuilder &k = e.builder();
      auto build = [&](Value row) {
        RowLoop loop(e, shape, row, lanes);
        RowKernel(e, variants.kernel(), loop).build(anchor);
      };
      if (lanes > 1)
        return build(k.workgroup());
      Value row = k.add(k.mul(k.workgroup(), plan.workgroupSize), k.thread());
      e.ifThen(k.ult(row, e.size(shape.rows)), [&] { build(row); });
    });
  };

  std::optional<int64_t> length = shape.staticLength();
  bool ofInvocations = !shape.isLast || (length && *length <= kShortRow) ||
                       elementOf(input).isInteger(64);
  if (!ofInvocations)
    for (uint32_t size : VariantSet::subgroupSizes())
      if (failed(add({"rows/" + std::to_string(size),
                      size,
                      static_cast<int32_t>(size),
                      {1, 1, 1, 1},
                      0},
                     size)))
        return failure();
  return add({"any", 0, 64, {64, 1, 1, 1}, 0}, 1);
}

} // namespace agt::kernels
