// Functions that move elements. Sizes may depend on dims; what is not proved
// about them is checked when the program runs.
#include "frontend/Sema/Builtins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace agt;
using namespace agt::sema;

static Value emit(CallArgs &args, Inst inst, DType dtype, Shape shape) {
  std::optional<TensorType> type = args.result(dtype, std::move(shape));
  if (!type)
    return Value::poison();
  return args.checker.graph->emit(std::move(inst), std::move(*type));
}

/// The number of elements; null, with an error, beyond 64 bits.
static Dim elements(CallArgs &args, llvm::ArrayRef<Dim> shape, unsigned param) {
  DimContext &dims = args.checker.dims;
  Dim product = dims.constant(1);
  for (Dim dim : shape)
    product = dims.mul(product, dim);
  if (!product)
    args.error(param, dims.problem());
  return product;
}

/// Reports sizes that are, or may turn out to be, negative.
static bool checkNotNegative(CallArgs &args, Dim size, unsigned param) {
  ExprChecker &checker = args.checker;
  std::string text = "a dim cannot be negative, got ";
  if (checker.graph->requireLessOrEqual(checker.dims.constant(0), size,
                                        args.range(param),
                                        text + size->str() + " = {1}"))
    return true;
  args.error(param, text + size->str());
  return false;
}

/// The sizes of a shape argument, with null for -1.
static std::optional<Shape> sizesOf(CallArgs &args, unsigned param,
                                    bool mayInfer) {
  Shape shape;
  unsigned open = 0;
  for (const Value &size : args[param].elements) {
    bool infer = size.constantInt() == -1;
    open += infer;
    shape.push_back(infer ? nullptr : size.dim);
    if (!infer && !checkNotNegative(args, size.dim, param))
      return std::nullopt;
  }
  if (open <= (mayInfer ? 1 : 0))
    return shape;
  args.error(param, mayInfer ? "a shape can hold one -1 at most"
                             : "a dim cannot be negative, got -1");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// reshape, transpose, heads
//===----------------------------------------------------------------------===//

static Value reshapeTo(CallArgs &args, const TensorType &from, ValueId input,
                       Shape shape) {
  Inst inst(Op::Reshape, args.callRange());
  inst.operands = {input};
  inst.dims.assign(shape.begin(), shape.end());
  return emit(args, std::move(inst), from.dtype, std::move(shape));
}

static Value transposeBy(CallArgs &args, const Value &input,
                         llvm::ArrayRef<int64_t> permutation) {
  Shape shape;
  for (int64_t dim : permutation)
    shape.push_back(input.tensor.shape[dim]);
  Inst inst(Op::Transpose, args.callRange());
  inst.operands = {input.id};
  inst.permutation.assign(permutation.begin(), permutation.end());
  return emit(args, std::move(inst), input.tensor.dtype, std::move(shape));
}

/// dividend / divisor, exactly: proved, or checked with `text` + the numbers.
static Dim divideExactly(CallArgs &args, unsigned param, Dim dividend,
                         Dim divisor, const std::string &text) {
  DimContext &dims = args.checker.dims;
  if (Dim exact = dims.exactQuotient(dividend, divisor))
    return exact;
  Dim whole = dims.div(dividend, divisor);
  if (whole && args.checker.graph->requireMultiple(
                   dividend, divisor, args.range(param),
                   text + ": {0} does not divide by {1}"))
    return whole;
  args.error(param, text);
  return nullptr;
}

static const Param reshapeParams[] = {tensorParam("x"),
                                      param("shape", ParamKind::Shape)};

static Value reshape(CallArgs &args) {
  ExprChecker &checker = args.checker;
  const TensorType &from = args.type(0);
  std::optional<Shape> shape = sizesOf(args, 1, /*mayInfer=*/true);
  Dim have = shape ? elements(args, from.shape, 0) : nullptr;
  if (!have)
    return Value::poison();
  auto *open = llvm::find(*shape, nullptr);
  if (open != shape->end()) {
    Shape others;
    llvm::copy_if(*shape, std::back_inserter(others),
                  [](Dim dim) { return dim != nullptr; });
    Dim product = elements(args, others, 1);
    if (!product)
      return Value::poison();
    if (product->constant() == 0)
      return args.error(1, "-1 has no meaning beside a dim of 0");
    *open = divideExactly(args, 1, have, product,
                          "the " + have->str() + " elements of " + from.str() +
                              " do not divide by " + product->str());
    return *open ? reshapeTo(args, from, args.id(0), *shape) : Value::poison();
  }
  Dim want = elements(args, *shape, 1);
  if (!want)
    return Value::poison();
  std::string before =
      "cannot reshape " + from.str() + " to " + shapeText(*shape) + ": ";
  if (!checker.graph->requireEqual(have, want, args.range(1),
                                   before + "{0} elements against {1}"))
    return args.error(1, before + have->str() + " elements against " +
                             want->str());
  return reshapeTo(args, from, args.id(0), *shape);
}

static const Param transposeParams[] = {
    tensorParam("x"), optional(param("axes", ParamKind::Axes))};

static llvm::SmallVector<int64_t> swapping(size_t rank, size_t a, size_t b) {
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[a], permutation[b]);
  return permutation;
}

/// The order that a list of axes gives; nothing, with an error, unless it has
/// each axis of the tensor once.
static std::optional<llvm::SmallVector<int64_t>>
orderOf(CallArgs &args, unsigned param, size_t rank) {
  llvm::SmallVector<int64_t> order;
  std::vector<bool> seen(rank, false);
  for (const Value &axis : args[param].elements) {
    int64_t number = *axis.constantInt();
    number += number < 0 ? int64_t(rank) : 0;
    if (number < 0 || number >= int64_t(rank) || seen[number]) {
      args.error(param,
                 "expected each axis of " + args.type(0).str() + " once, got " +
                     std::to_string(*axis.constantInt()) +
                     (number < 0 || number >= int64_t(rank) ? "" : " again"));
      return std::nullopt;
    }
    seen[number] = true;
    order.push_back(number);
  }
  if (order.size() == rank)
    return order;
  args.error(param, "expected " + std::to_string(rank) + " axes for " +
                        args.type(0).str() + ", got " +
                        std::to_string(order.size()));
  return std::nullopt;
}

static Value transpose(CallArgs &args) {
  size_t rank = args.type(0).rank();
  if (args.has(1)) {
    auto order = orderOf(args, 1, rank);
    return order ? transposeBy(args, args[0], *order) : Value::poison();
  }
  if (rank < 2)
    return args.error(0,
                      "expected 2 dims or more to swap the last two of, got " +
                          args.type(0).str());
  return transposeBy(args, args[0], swapping(rank, rank - 2, rank - 1));
}

static Param headCount() {
  Param n = param("n", ParamKind::Size);
  n.least = 1;
  return n;
}
static const Param headsParams[] = {tensorParam("x", anyDType, 2), headCount()};

static Value heads(CallArgs &args) {
  const TensorType &from = args.type(0);
  Dim n = args[1].dim, width = from.shape.back();
  if (!checkNotNegative(args, n, 1))
    return Value::poison();
  Dim each = divideExactly(args, 1, width, n,
                           "the last dim of 'x', " + width->str() +
                               ", does not divide into " + n->str() + " heads");
  if (!each)
    return Value::poison();
  Shape shape = from.shape;
  shape.back() = n;
  shape.push_back(each);
  size_t rank = shape.size();
  Value split = reshapeTo(args, from, args.id(0), std::move(shape));
  if (split.isPoison())
    return split;
  return transposeBy(args, split, swapping(rank, rank - 3, rank - 2));
}

static const Param unheadsParams[] = {tensorParam("x", anyDType, 3)};

static Value unheads(CallArgs &args) {
  size_t rank = args.type(0).rank();
  Value tokensFirst =
      transposeBy(args, args[0], swapping(rank, rank - 3, rank - 2));
  if (tokensFirst.isPoison())
    return tokensFirst;
  Shape shape = tokensFirst.tensor.shape;
  Dim width = args.checker.dims.mul(shape[rank - 2], shape[rank - 1]);
  if (!width)
    return args.error(0, args.checker.dims.problem());
  shape.pop_back();
  shape.back() = width;
  return reshapeTo(args, tokensFirst.tensor, tokensFirst.id, std::move(shape));
}

//===----------------------------------------------------------------------===//
// slice, concat
//===----------------------------------------------------------------------===//

static const Param sliceParams[] = {
    tensorParam("x", anyDType, 1), param("axis", ParamKind::Axis),
    param("start", ParamKind::Size), param("stop", ParamKind::Size)};

/// a <= b, or an error at `param`: "'stop' is 9, more than 8, the size ...".
static bool checkOrder(CallArgs &args, unsigned param, Dim a,
                       const std::string &what, Dim b,
                       const std::string &after) {
  std::string middle = ", more than ";
  if (args.checker.graph->requireLessOrEqual(
          a, b, args.range(param), what + " is {0}" + middle + "{1}" + after))
    return true;
  args.error(param, what + " is " + a->str() + middle + b->str() + after);
  return false;
}

static Value slice(CallArgs &args) {
  ExprChecker &checker = args.checker;
  Shape shape = args.type(0).shape;
  std::optional<int64_t> axis = args.axis(1, shape.size());
  if (!axis)
    return Value::poison();
  Dim start = args[2].dim, stop = args[3].dim, zero = checker.dims.constant(0);
  std::string negative = "'start' cannot be negative, got ";
  if (!checker.graph->requireLessOrEqual(zero, start, args.range(2),
                                         negative + "{1}"))
    return args.error(2, negative + start->str());
  if (!checkOrder(args, 2, start, "'start'", stop, ", 'stop'") ||
      !checkOrder(args, 3, stop, "'stop'", shape[*axis],
                  ", the size of axis " + std::to_string(*axis) + " of 'x'"))
    return Value::poison();
  Inst inst(Op::Slice, args.callRange());
  inst.operands = {args.id(0)};
  inst.axis = *axis;
  inst.dims = {start, stop};
  shape[*axis] = checker.dims.sub(stop, start);
  if (!shape[*axis])
    return args.error(3, checker.dims.problem());
  return emit(args, std::move(inst), args.type(0).dtype, std::move(shape));
}

static Param concatTensors() {
  Param list = tensorParam("x", anyDType, 1);
  list.kind = ParamKind::Tensors;
  return list;
}
static const Param concatParams[] = {concatTensors(),
                                     named(param("axis", ParamKind::Axis))};

static Value concat(CallArgs &args) {
  ExprChecker &checker = args.checker;
  const TensorType &first = args.list.front().value.tensor;
  std::optional<int64_t> axis = args.axis(1, first.rank());
  if (!axis)
    return Value::poison();
  Inst inst(Op::Concat, args.callRange());
  inst.axis = *axis;
  Shape shape = first.shape;
  Dim size = checker.dims.constant(0);
  for (const Operand &operand : args.list) {
    const TensorType &type = operand.value.tensor;
    if (type.dtype != first.dtype || type.rank() != first.rank())
      return checker.error(
          operand.range, "'concat' takes tensors of one dtype and rank, got " +
                             first.str() + " and " + type.str());
    std::string text = "'concat' takes tensors that differ along axis " +
                       std::to_string(*axis) + " only, got " + first.str() +
                       " and " + type.str();
    for (size_t i = 0; i < shape.size(); ++i)
      if (int64_t(i) != *axis &&
          !checker.graph->requireEqual(type.shape[i], shape[i], operand.range,
                                       text + ": " +
                                           dimPair(type.shape[i], shape[i])))
        return checker.error(operand.range, text);
    size = checker.dims.add(size, type.shape[*axis]);
    inst.operands.push_back(operand.value.id);
  }
  if (!size)
    return checker.error(args.callRange(), checker.dims.problem());
  shape[*axis] = size;
  return emit(args, std::move(inst), first.dtype, std::move(shape));
}

//===----------------------------------------------------------------------===//
// iota, full
//===----------------------------------------------------------------------===//

static Param iotaSize() {
  Param n = param("n", ParamKind::Size);
  n.least = 0;
  return n;
}
static const Param iotaParams[] = {iotaSize()};

static Value iota(CallArgs &args) {
  if (!checkNotNegative(args, args[0].dim, 0))
    return Value::poison();
  if (args[0].constantInt().value_or(0) > INT32_MAX)
    return args.error(0, "'iota' counts in i32; " + args[0].dim->str() +
                             " does not fit");
  Inst inst(Op::Iota, args.callRange());
  inst.dims = {args[0].dim};
  return emit(args, std::move(inst), DType::I32, {args[0].dim});
}

static const Param fullParams[] = {param("shape", ParamKind::Shape),
                                   param("value", ParamKind::Element)};

static Value full(CallArgs &args) {
  ExprChecker &checker = args.checker;
  std::optional<Shape> shape = sizesOf(args, 0, /*mayInfer=*/false);
  if (!shape)
    return Value::poison();
  const Value &value = args[1];
  if (value.isTensor())
    return args.error(1, "argument 'value' of 'full' must be a number or a "
                         "bool, got " +
                             describe(value));
  if (value.constantInt() &&
      *value.constantInt() != int32_t(*value.constantInt()))
    return args.error(1, value.dim->str() + " does not fit i32");
  Inst inst(Op::Full, args.callRange());
  inst.dims.assign(shape->begin(), shape->end());
  DType dtype = value.isFloat() ? DType::F32
                : value.isInt() ? DType::I32
                                : DType::Bool;
  if (value.isFloat())
    inst.operands = {checker.graph->asNumber(value, args.range(1))};
  else
    inst.dims.push_back(value.isInt() ? value.dim
                                      : checker.dims.constant(value.integer));
  return emit(args, std::move(inst), dtype, std::move(*shape));
}

llvm::ArrayRef<Builtin> agt::sema::shapeBuiltins() {
  static const Builtin table[] = {
      {"reshape", reshapeParams, reshape},
      {"transpose", transposeParams, transpose},
      {"heads", headsParams, heads},
      {"unheads", unheadsParams, unheads},
      {"slice", sliceParams, slice},
      {"concat", concatParams, concat},
      {"iota", iotaParams, iota},
      {"full", fullParams, full},
  };
  return table;
}
