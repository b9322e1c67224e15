// Products, reductions, norms, rotation, quantisation: shapes as language.md
// section 3 gives them.
#include "frontend/Sema/Builtins.h"
#include "frontend/Sema/Scales.h"

using namespace agt;
using namespace agt::sema;

static Value emit(CallArgs &args, Inst inst, std::optional<TensorType> type) {
  if (!type)
    return Value::poison();
  return args.checker.graph->emit(std::move(inst), std::move(*type));
}

static Value emitTuple(CallArgs &args, Inst inst,
                       std::initializer_list<std::optional<TensorType>> types) {
  std::vector<TensorType> results;
  for (const std::optional<TensorType> &type : types) {
    if (!type)
      return Value::poison();
    results.push_back(*type);
  }
  return args.checker.graph->emitTuple(std::move(inst), results);
}

/// Reports two tensor arguments of different dtypes.
static bool sameDType(CallArgs &args, unsigned a, unsigned b) {
  DType x = args.type(a).dtype, y = args.type(b).dtype;
  if (x == y)
    return true;
  args.error(b, "'" + args.name() + "' takes tensors of one dtype, got " +
                    dtypeName(x) + " and " + dtypeName(y) + "; use 'cast'");
  return false;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static const Param matmulParams[] = {tensorParam("a", floatDTypes, 2),
                                     tensorParam("b", floatDTypes, 2)};

static Value matmul(CallArgs &args) {
  const Shape &a = args.type(0).shape, &b = args.type(1).shape;
  if (!sameDType(args, 0, 1) ||
      !args.sameDim(1, b[b.size() - 2], "the dim before the last of 'b'",
                    a.back(), "the last dim of 'a'"))
    return Value::poison();
  std::optional<Shape> shape =
      args.checker.broadcast(llvm::ArrayRef(a).drop_back(2),
                             llvm::ArrayRef(b).drop_back(2), args.callRange());
  if (!shape)
    return Value::poison();
  shape->push_back(a[a.size() - 2]);
  shape->push_back(b.back());
  Inst inst(Op::Matmul, args.callRange());
  inst.operands = {args.id(0), args.id(1)};
  return emit(args, std::move(inst), args.result(args.type(0).dtype, *shape));
}

static const Param linearParams[] = {
    tensorParam("x", floatDTypes, 1), tensorParam("w", floatDTypes, 2, 2),
    optional(tensorParam("b", floatDTypes, 1, 1))};

static Value linear(CallArgs &args) {
  Shape shape = args.type(0).shape;
  const Shape &w = args.type(1).shape;
  if (!sameDType(args, 0, 1) || (args.has(2) && !sameDType(args, 0, 2)) ||
      !args.sameDim(1, w[1], "dim 1 of 'w'", shape.back(),
                    "the last dim of 'x'"))
    return Value::poison();
  if (args.has(2) && !args.sameDim(2, args.type(2).shape[0], "dim 0 of 'b'",
                                   w[0], "dim 0 of 'w'"))
    return Value::poison();
  shape.back() = w[0];
  Inst inst(Op::Linear, args.callRange());
  inst.operands = {args.id(0), args.id(1), args.id(2)};
  return emit(args, std::move(inst),
              args.result(args.type(0).dtype, std::move(shape)));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static const Param reduceParams[] = {tensorParam("x", numberDTypes, 1),
                                     param("axis", ParamKind::Axis),
                                     optional(param("keep", ParamKind::Bool))};
static const Param meanParams[] = {tensorParam("x", floatDTypes, 1),
                                   param("axis", ParamKind::Axis),
                                   optional(param("keep", ParamKind::Bool))};

template <Reduction reduction> static Value reduce(CallArgs &args) {
  Shape shape = args.type(0).shape;
  std::optional<int64_t> axis = args.axis(1, shape.size());
  if (!axis)
    return Value::poison();
  Inst inst(Op::Reduce, args.callRange());
  inst.operands = {args.id(0)};
  inst.reduction = reduction;
  inst.axis = *axis;
  inst.flag = args.boolean(2, false);
  if (inst.flag)
    shape[*axis] = args.checker.dims.constant(1);
  else
    shape.erase(shape.begin() + *axis);
  return emit(args, std::move(inst),
              args.result(args.type(0).dtype, std::move(shape)));
}

static const Param argmaxParams[] = {
    tensorParam("x", numberDTypes, 1),
    optional(param("axis", ParamKind::Axis), -1)};

static Value argmax(CallArgs &args) {
  Shape shape = args.type(0).shape;
  std::optional<int64_t> axis = args.axis(1, shape.size());
  if (!axis)
    return Value::poison();
  Inst inst(Op::Argmax, args.callRange());
  inst.operands = {args.id(0)};
  inst.axis = *axis;
  shape.erase(shape.begin() + *axis);
  return emit(args, std::move(inst), args.result(DType::I32, std::move(shape)));
}

static const Param topkParams[] = {tensorParam("x", numberDTypes, 1),
                                   intParam("k", 0)};

static Value topk(CallArgs &args) {
  ExprChecker &checker = args.checker;
  Shape shape = args.type(0).shape;
  Dim k = checker.dims.constant(args.integer(1)), size = shape.back();
  std::string text = "'topk' takes " + k->str() + " of ";
  if (!checker.graph->requireLessOrEqual(k, size, args.range(1),
                                         text + "{1}, the last dim of 'x'"))
    return args.error(1, text + size->str() + ", the last dim of 'x'");
  Inst inst(Op::Topk, args.callRange());
  inst.operands = {args.id(0)};
  inst.count = args.integer(1);
  shape.back() = k;
  return emitTuple(
      args, std::move(inst),
      {args.result(args.type(0).dtype, shape), args.result(DType::I32, shape)});
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static const Param softmaxParams[] = {
    tensorParam("x", floatDTypes, 1),
    optional(param("axis", ParamKind::Axis), -1)};

static Value softmax(CallArgs &args) {
  std::optional<int64_t> axis = args.axis(1, args.type(0).rank());
  if (!axis)
    return Value::poison();
  Inst inst(Op::Softmax, args.callRange());
  inst.operands = {args.id(0)};
  inst.axis = *axis;
  return emit(args, std::move(inst), args.type(0));
}

static const Param rmsNormParams[] = {
    tensorParam("x", floatDTypes, 1), tensorParam("w", floatDTypes, 1, 1),
    optional(param("eps", ParamKind::Number), 1e-5)};
static const Param layerNormParams[] = {
    tensorParam("x", floatDTypes, 1), tensorParam("w", floatDTypes, 1, 1),
    tensorParam("b", floatDTypes, 1, 1),
    optional(param("eps", ParamKind::Number), 1e-5)};

template <Op op> static Value norm(CallArgs &args) {
  constexpr unsigned weights = op == Op::RmsNorm ? 1 : 2;
  Inst inst(op, args.callRange());
  inst.operands = {args.id(0)};
  for (unsigned i = 1; i <= weights; ++i) {
    if (!sameDType(args, 0, i) ||
        !args.sameDim(i, args.type(i).shape[0],
                      "dim 0 of '" + args.paramName(i) + "'",
                      args.type(0).shape.back(), "the last dim of 'x'"))
      return Value::poison();
    inst.operands.push_back(args.id(i));
  }
  inst.number = args.number(weights + 1);
  if (!(inst.number >= 0))
    return args.error(weights + 1, "'eps' must be at least 0");
  return emit(args, std::move(inst), args.type(0));
}

//===----------------------------------------------------------------------===//
// Rotation
//===----------------------------------------------------------------------===//

static const llvm::StringRef pairWords[] = {"interleaved", "halves"};
static constexpr Param pairsParam() {
  Param pairs = optional(param("pairs", ParamKind::Word));
  pairs.words = pairWords;
  return pairs;
}
static const Param ropeParams[] = {
    tensorParam("x", floatDTypes, 2),
    tensorParam("pos", setOf(DType::I32), 1),
    optional(param("base", ParamKind::Number), 10000),
    pairsParam(),
    optional(intParam("dims", 0)),
    optional(param("scale", ParamKind::Number), 1)};

/// 'pos' is [T] or [batch..., T] with the first dims of 'x'.
static bool checkPositions(CallArgs &args) {
  const Shape &x = args.type(0).shape, &pos = args.type(1).shape;
  if (pos.size() >= x.size()) {
    args.error(1, "'pos' has " + llvm::Twine(pos.size()) +
                      " dims, expected at most " + llvm::Twine(x.size() - 1) +
                      ": [T] or [batch..., T] for 'x' of " + shapeText(x));
    return false;
  }
  if (!args.sameDim(1, pos.back(), "the last dim of 'pos'", x[x.size() - 2],
                    "the tokens of 'x'"))
    return false;
  for (size_t i = 0; i + 1 < pos.size(); ++i)
    if (!args.sameDim(1, pos[i], "dim " + llvm::Twine(i) + " of 'pos'", x[i],
                      "that of 'x'"))
      return false;
  return true;
}

/// How many elements turn: even, and not more than there are.
static bool checkRopeDims(CallArgs &args) {
  ExprChecker &checker = args.checker;
  DimContext &dims = checker.dims;
  Dim size = args.type(0).shape.back();
  if (!args.has(4)) {
    std::string text =
        "'rope' turns pairs: the last dim of 'x' must be even, got ";
    if (checker.graph->requireMultiple(size, dims.constant(2), args.range(0),
                                       text + size->str() + " = {0}"))
      return true;
    args.error(0, text + size->str());
    return false;
  }
  int64_t turned = args.integer(4);
  if (turned % 2 != 0) {
    args.error(4, "'rope' turns pairs: 'dims' must be even, got " +
                      llvm::Twine(turned));
    return false;
  }
  std::string text = "'dims' is " + std::to_string(turned) +
                     ", more than the last dim of 'x', ";
  if (checker.graph->requireLessOrEqual(dims.constant(turned), size,
                                        args.range(4), text + "{1}"))
    return true;
  args.error(4, text + size->str());
  return false;
}

static Value rope(CallArgs &args) {
  if (!checkPositions(args) || !checkRopeDims(args))
    return Value::poison();
  Inst inst(Op::Rope, args.callRange());
  inst.operands = {args.id(0), args.id(1)};
  inst.number = args.number(2);
  inst.second = args.number(5);
  inst.flag = args.has(3) && args.word(3) == "halves";
  inst.count = args.has(4) ? args.integer(4) : -1;
  if (!(inst.number > 0))
    return args.error(2, "'base' must be above 0");
  return emit(args, std::move(inst), args.type(0));
}

//===----------------------------------------------------------------------===//
// Tables and quantisation
//===----------------------------------------------------------------------===//

static const Param embedParams[] = {
    tensorParam("table", anyDType, 2, 2),
    tensorParam("ids", setOf(DType::I32) | setOf(DType::I64))};

static Value embed(CallArgs &args) {
  Shape shape = args.type(1).shape;
  shape.push_back(args.type(0).shape[1]);
  Inst inst(Op::Embed, args.callRange());
  inst.operands = {args.id(0), args.id(1)};
  return emit(args, std::move(inst),
              args.result(args.type(0).dtype, std::move(shape)));
}

static const llvm::StringRef quantizedWords[] = {"i8", "f8e4m3"};
static constexpr Param quantizedParam() {
  Param dtype = param("dtype", ParamKind::Word);
  dtype.words = quantizedWords;
  return dtype;
}
static const Param quantizeParams[] = {tensorParam("x", floatDTypes, 2),
                                       quantizedParam(), intParam("block", 1)};

static Value quantize(CallArgs &args) {
  Shape scales = args.type(0).shape;
  scales.pop_back();
  DimContext &dims = args.checker.dims;
  scales.back() = dims.ceilDiv(scales.back(), args.integer(2));
  if (!scales.back())
    return args.error(2, dims.problem());
  Inst inst(Op::Quantize, args.callRange());
  inst.operands = {args.id(0)};
  inst.count = args.integer(2);
  return emitTuple(args, std::move(inst),
                   {args.result(*parseDType(args.word(1)), args.type(0).shape),
                    args.result(DType::F32, scales)});
}

static constexpr DTypeSet quantizedDTypes =
    setOf(DType::I8) | setOf(DType::F8E4M3);
static const Param dequantizeParams[] = {
    tensorParam("values", quantizedDTypes, 2),
    tensorParam("scales", setOf(DType::F32), 1)};

static Value dequantize(CallArgs &args) {
  llvm::ArrayRef<Dim> shape = args.type(0).shape;
  std::optional<int64_t> block = checkScales(
      args, 1, shape.drop_back(2), shape[shape.size() - 2], "'values'");
  if (!block)
    return Value::poison();
  Inst inst(Op::Dequantize, args.callRange());
  inst.operands = {args.id(0), args.id(1)};
  inst.count = *block;
  return emit(args, std::move(inst),
              args.result(DType::F32, args.type(0).shape));
}

llvm::ArrayRef<Builtin> agt::sema::computeBuiltins() {
  static const Builtin table[] = {
      {"matmul", matmulParams, matmul},
      {"linear", linearParams, linear},
      {"sum", reduceParams, reduce<Reduction::Sum>},
      {"mean", meanParams, reduce<Reduction::Mean>},
      {"amax", reduceParams, reduce<Reduction::Max>},
      {"amin", reduceParams, reduce<Reduction::Min>},
      {"argmax", argmaxParams, argmax},
      {"topk", topkParams, topk},
      {"softmax", softmaxParams, softmax},
      {"rms_norm", rmsNormParams, norm<Op::RmsNorm>},
      {"layer_norm", layerNormParams, norm<Op::LayerNorm>},
      {"rope", ropeParams, rope},
      {"embed", embedParams, embed},
      {"quantize", quantizeParams, quantize},
      {"dequantize", dequantizeParams, dequantize},
  };
  return table;
}
