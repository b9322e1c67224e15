// attention, attention_lse and the masks. Dims are read by name (heads, tokens,
// dim) through the layout once; every argument is checked against them.
#include "frontend/Sema/Builtins.h"
#include "frontend/Sema/Scales.h"

using namespace agt;
using namespace agt::sema;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

static const llvm::StringRef alignmentWords[] = {"top_left", "bottom_right"};
static constexpr Param alignmentParam() {
  Param alignment = param("alignment", ParamKind::Word);
  alignment.words = alignmentWords;
  return alignment;
}
static const Param causalParams[] = {alignmentParam()};

static Value causal(CallArgs &args) {
  MaskSpec mask;
  mask.causal = args.word(0) == "top_left" ? AttentionArgs::TopLeft
                                           : AttentionArgs::BottomRight;
  return Value::ofMask(std::move(mask));
}

static const Param windowParams[] = {named(optional(intParam("left", 0))),
                                     named(optional(intParam("right", 0)))};

static Value window(CallArgs &args) {
  if (!args.has(0) && !args.has(1))
    return args.error(0, "'window' needs 'left' or 'right'");
  MaskSpec mask;
  mask.window = true;
  if (args.has(0))
    mask.left = args.integer(0);
  if (args.has(1))
    mask.right = args.integer(1);
  return Value::ofMask(std::move(mask));
}

//===----------------------------------------------------------------------===//
// The parameters of attention
//===----------------------------------------------------------------------===//

namespace {
enum AttentionParam : unsigned {
  Query,
  Key,
  Val,
  Scale,
  Mask,
  Bias,
  Pin,
  Sink,
  Softcap,
  Alibi,
  QPos,
  KvPos,
  QSeg,
  KvSeg,
  QCu,
  KvCu,
  KvLen,
  KScale,
  VScale,
  LayoutWord,
};
} // namespace

static constexpr DTypeSet i32 = setOf(DType::I32);
static constexpr DTypeSet keyDTypes =
    floatDTypes | setOf(DType::I8) | setOf(DType::F8E4M3);

static constexpr Param optionalTensor(llvm::StringLiteral name, DTypeSet dtypes,
                                      unsigned minRank,
                                      unsigned maxRank = ~0u) {
  return named(optional(tensorParam(name, dtypes, minRank, maxRank)));
}

static const llvm::StringRef layoutWords[] = {"hsd", "shd"};
static constexpr Param layoutParam() {
  Param layout = named(optional(param("layout", ParamKind::Word)));
  layout.words = layoutWords;
  return layout;
}

// In the order of AttentionParam.
static const Param attentionParams[] = {
    tensorParam("q", floatDTypes, 3),
    tensorParam("k", keyDTypes, 3),
    tensorParam("v", keyDTypes, 3),
    named(optional(param("scale", ParamKind::RuntimeNumber))),
    named(optional(param("mask", ParamKind::Mask))),
    optionalTensor("bias", floatDTypes, 0),
    named(optional(intParam("pin", 0))),
    optionalTensor("sink", floatDTypes, 1, 1),
    named(optional(param("softcap", ParamKind::Number))),
    optionalTensor("alibi", floatDTypes, 1, 1),
    optionalTensor("q_pos", i32, 1),
    optionalTensor("kv_pos", i32, 1),
    optionalTensor("q_seg", i32, 1),
    optionalTensor("kv_seg", i32, 1),
    optionalTensor("q_cu", i32, 1, 1),
    optionalTensor("kv_cu", i32, 1, 1),
    optionalTensor("kv_len", i32, 0),
    optionalTensor("k_scale", setOf(DType::F32), 1),
    optionalTensor("v_scale", setOf(DType::F32), 1),
    layoutParam(),
};

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

namespace {

/// The dims of one of q, k and v.
struct HeadDims {
  HeadDims(const TensorType &type, bool shd)
      : batch(llvm::ArrayRef(type.shape).drop_back(3)),
        heads(type.shape[type.rank() - (shd ? 2 : 3)]),
        tokens(type.shape[type.rank() - (shd ? 3 : 2)]),
        dim(type.shape.back()) {}

  Shape withBatch(std::initializer_list<Dim> rest) const {
    Shape shape(batch);
    shape.append(rest.begin(), rest.end());
    return shape;
  }

  llvm::ArrayRef<Dim> batch;
  Dim heads, tokens, dim;
};

class AttentionChecker {
public:
  explicit AttentionChecker(CallArgs &args)
      : args(args), shd(args.has(LayoutWord) && args.word(LayoutWord) == "shd"),
        query(args.type(Query), shd), key(args.type(Key), shd),
        value(args.type(Val), shd) {}

  Value check(bool withLse);

private:
  bool checkDims();
  bool checkHeads();
  bool checkScores();
  bool checkPerToken(unsigned param, Dim tokens);
  bool checkPairs();
  bool checkOffsets();
  bool checkLengths();
  bool checkQuantized(unsigned param, unsigned scales, const HeadDims &dims,
                      ValueId &id, std::optional<int64_t> &block);
  bool checkNumbers();
  void takeMask();
  std::string name(unsigned param) const {
    return "'" + args.paramName(param).str() + "'";
  }

  CallArgs &args;
  bool shd;
  HeadDims query, key, value;
  AttentionArgs out;
};

} // namespace

bool AttentionChecker::checkDims() {
  for (unsigned other : {Key, Val}) {
    if (args.type(other).rank() != args.type(Query).rank()) {
      args.differ(other,
                  name(other) + " has " + llvm::Twine(args.type(other).rank()) +
                      " dims, expected " +
                      llvm::Twine(args.type(Query).rank()) + ", as many as 'q'",
                  "'q'");
      return false;
    }
    const HeadDims &dims = other == Key ? key : value;
    for (size_t i = 0; i < query.batch.size(); ++i)
      if (!args.sameDim(other, dims.batch[i],
                        "batch dim " + llvm::Twine(i) + " of " + name(other),
                        query.batch[i], "that of 'q'"))
        return false;
  }
  return args.sameDim(Key, key.dim, "the head dim of 'k'", query.dim,
                      "that of 'q'") &&
         args.sameDim(Val, value.heads, "the number of heads of 'v'", key.heads,
                      "that of 'k'") &&
         args.sameDim(Val, value.tokens, "the number of tokens of 'v'",
                      key.tokens, "that of 'k'");
}

/// The heads of q are a multiple of those of k.
bool AttentionChecker::checkHeads() {
  DimContext &dims = args.checker.dims;
  if (query.heads == key.heads || dims.exactQuotient(query.heads, key.heads))
    return true;
  std::string text = "the heads of 'q' must be a multiple of those of 'k', "
                     "got ";
  text += query.heads->str() + " and " + key.heads->str();
  if (args.checker.graph->requireMultiple(
          query.heads, key.heads, args.range(Query),
          text + ": {0} does not divide by {1}"))
    return true;
  args.error(Query, text);
  return false;
}

/// [tokens] or [batch..., tokens].
bool AttentionChecker::checkPerToken(unsigned param, Dim tokens) {
  if (!args.has(param))
    return true;
  const Shape &shape = args.type(param).shape;
  Shape target = query.withBatch({tokens});
  if (!args.sameDim(param, shape.back(), "the last dim of " + name(param),
                    tokens,
                    param == QPos || param == QSeg ? "the tokens of 'q'"
                                                   : "the tokens of 'k'"))
    return false;
  return args.checker.broadcastsTo(shape, target, args.range(param),
                                   name(param));
}

bool AttentionChecker::checkScores() {
  Shape pairs = query.withBatch({query.heads, query.tokens, key.tokens});
  ExprChecker &checker = args.checker;
  for (ValueId mask : out.masks)
    if (!checker.broadcastsTo(checker.graph->type(mask).shape, pairs,
                              args.range(Mask), "a mask"))
      return false;
  if (args.has(Bias) && !checker.broadcastsTo(args.type(Bias).shape, pairs,
                                              args.range(Bias), "a bias"))
    return false;
  for (unsigned param : {Sink, Alibi})
    if (args.has(param) && !args.sameDim(param, args.type(param).shape[0],
                                         "dim 0 of " + name(param), query.heads,
                                         "the heads of 'q'"))
      return false;
  return true;
}

/// Arguments that come in twos.
bool AttentionChecker::checkPairs() {
  constexpr std::pair<unsigned, unsigned> together[] = {{QSeg, KvSeg},
                                                        {QCu, KvCu}};
  for (auto [a, b] : together)
    if (args.has(a) != args.has(b)) {
      unsigned given = args.has(a) ? a : b, missing = args.has(a) ? b : a;
      args.error(given, name(given) + " needs " + name(missing) + " beside it");
      return false;
    }
  if (args.has(QSeg) && args.has(QCu)) {
    args.error(QCu, "'q_cu' and 'kv_cu' stand instead of 'q_seg' and "
                    "'kv_seg'");
    return false;
  }
  return true;
}

bool AttentionChecker::checkOffsets() {
  if (!args.has(QCu))
    return true;
  return args.sameDim(KvCu, args.type(KvCu).shape[0], "dim 0 of 'kv_cu'",
                      args.type(QCu).shape[0], "that of 'q_cu'");
}

bool AttentionChecker::checkLengths() {
  if (!args.has(KvLen))
    return true;
  const Shape &shape = args.type(KvLen).shape;
  Shape target(query.batch);
  if (target.empty())
    target.push_back(args.checker.dims.constant(1));
  return args.checker.broadcastsTo(shape, target, args.range(KvLen),
                                   "'kv_len'");
}

/// Scales belong to 8-bit tensors, and only to them.
bool AttentionChecker::checkQuantized(unsigned param, unsigned scales,
                                      const HeadDims &dims, ValueId &id,
                                      std::optional<int64_t> &block) {
  bool narrow = !isFloat(args.type(param).dtype);
  if (narrow != args.has(scales)) {
    args.error(narrow ? param : scales,
               narrow
                   ? name(param) + " of " + dtypeName(args.type(param).dtype) +
                         " needs " + name(scales)
                   : name(scales) + " is for " + name(param) +
                         " of i8 or f8e4m3, got " + args.type(param).str());
    return false;
  }
  if (!narrow)
    return true;
  id = args.id(scales);
  block = checkScales(args, scales, dims.withBatch({dims.heads}), dims.tokens,
                      name(param));
  return block.has_value();
}

bool AttentionChecker::checkNumbers() {
  if (args.has(Scale) && !args.fitsF32(Scale))
    return false;
  if (args.has(Softcap) && !(out.softcap = args.positive(Softcap)))
    return false;
  out.pin = args.has(Pin) ? args.integer(Pin) : 0;
  return true;
}

void AttentionChecker::takeMask() {
  if (!args.has(Mask))
    return;
  const Value &mask = args[Mask];
  if (mask.isTensor()) {
    out.masks.push_back(mask.id);
    return;
  }
  out.causal = mask.mask->causal;
  out.left = mask.mask->left;
  out.right = mask.mask->right;
  out.masks = mask.mask->tensors;
}

Value AttentionChecker::check(bool withLse) {
  takeMask();
  if (!checkDims() || !checkHeads() || !checkPairs() || !checkScores() ||
      !checkPerToken(QPos, query.tokens) || !checkPerToken(KvPos, key.tokens) ||
      !checkPerToken(QSeg, query.tokens) || !checkPerToken(KvSeg, key.tokens) ||
      !checkOffsets() || !checkLengths() ||
      !checkQuantized(Key, KScale, key, out.kScale, out.kBlock) ||
      !checkQuantized(Val, VScale, value, out.vScale, out.vBlock) ||
      !checkNumbers())
    return Value::poison();
  GraphBuilder &graph = *args.checker.graph;
  if (args.has(Scale))
    out.scale = graph.asNumber(args[Scale], args.range(Scale));
  out.bias = args.id(Bias);
  out.sink = args.id(Sink);
  out.alibi = args.id(Alibi);
  out.qPos = args.id(QPos);
  out.kvPos = args.id(KvPos);
  out.qSeg = args.id(QSeg);
  out.kvSeg = args.id(KvSeg);
  out.qCu = args.id(QCu);
  out.kvCu = args.id(KvCu);
  out.kvLen = args.id(KvLen);
  out.shd = shd;
  Inst inst(Op::Attention, args.callRange());
  inst.operands = {args.id(Query), args.id(Key), args.id(Val)};
  inst.attention = std::make_shared<AttentionArgs>(std::move(out));

  Shape shape = args.type(Query).shape;
  Shape lse(llvm::ArrayRef(shape).drop_back());
  shape.back() = value.dim;
  std::optional<TensorType> result =
      args.result(args.type(Query).dtype, std::move(shape));
  std::optional<TensorType> sums = args.result(DType::F32, std::move(lse));
  if (!result || !sums)
    return Value::poison();
  if (withLse)
    return graph.emitTuple(std::move(inst), {*result, *sums});
  return graph.emit(std::move(inst), *result);
}

template <bool withLse> static Value attention(CallArgs &args) {
  return AttentionChecker(args).check(withLse);
}

llvm::ArrayRef<Builtin> agt::sema::attentionBuiltins() {
  static const Builtin table[] = {
      {"attention", attentionParams, attention<false>},
      {"attention_lse", attentionParams, attention<true>},
      {"causal", causalParams, causal},
      {"window", windowParams, window},
  };
  return table;
}
