// attend: attention over what a cache holds. The new keys and values are put
// into the cache first, so that queries see them as any others; how many tokens
// there are then is the cache's to say, when the graph runs.
#include "frontend/Sema/Builtins.h"

using namespace agt;
using namespace agt::sema;

namespace {
enum AttendParam : unsigned {
  Query,
  Key,
  Val,
  CacheArg,
  Layer,
  Scale,
  Mask,
  Pin,
  Sink,
  Softcap,
  Alibi
};
} // namespace

// In the order of AttendParam.
static const Param attendParams[] = {
    tensorParam("q", floatDTypes, 3, 3),
    tensorParam("k", floatDTypes, 3, 3),
    tensorParam("v", floatDTypes, 3, 3),
    param("cache", ParamKind::Cache),
    named(intParam("layer", 0)),
    named(optional(param("scale", ParamKind::RuntimeNumber))),
    named(optional(param("mask", ParamKind::Mask))),
    named(optional(intParam("pin", 0))),
    named(optional(tensorParam("sink", floatDTypes, 1, 1))),
    named(optional(param("softcap", ParamKind::Number))),
    named(optional(tensorParam("alibi", floatDTypes, 1, 1))),
};

namespace {

class AttendChecker {
public:
  explicit AttendChecker(CallArgs &args)
      : args(args), graph(*args.checker.graph), dims(args.checker.dims),
        param(args[CacheArg].id),
        cache(*args.checker.signature->params[param].cache) {}

  Value check();

private:
  bool checkDims();
  bool checkLayer();
  bool checkNumbers();
  bool takeMask();
  HiddenInput input(HiddenInput::Kind kind) const;
  ValueId append(unsigned arg, HiddenInput::Kind kind);
  std::string modelName() const {
    return "'" + cache.model->name.text.str() + "'";
  }

  CallArgs &args;
  GraphBuilder &graph;
  DimContext &dims;
  unsigned param;
  const CacheInfo &cache;
  AttentionArgs out;
};

} // namespace

HiddenInput AttendChecker::input(HiddenInput::Kind kind) const {
  HiddenInput input{kind, args.range(CacheArg)};
  input.param = param;
  if (kind != HiddenInput::CacheLength)
    input.layer = args.integer(Layer);
  return input;
}

/// q is [heads, T, head_dim], k and v [kv_heads, T, head_dim].
bool AttendChecker::checkDims() {
  Dim tokens = args[CacheArg].tensor.shape[0];
  for (unsigned arg : {Query, Key, Val}) {
    const Shape &shape = args.type(arg).shape;
    std::string name = "'" + args.paramName(arg).str() + "'";
    if (!args.sameDim(arg, shape[1], "the number of tokens of " + name, tokens,
                      "that of the new tokens of 'cache'") ||
        !args.sameDim(arg, shape[2], "the head dim of " + name,
                      dims.constant(cache.headDim),
                      "'head_dim' of " + modelName()))
      return false;
    if (arg != Query &&
        !args.sameDim(arg, shape[0], "the number of heads of " + name,
                      dims.constant(cache.heads),
                      "'kv_heads' of " + modelName()))
      return false;
  }
  Dim heads = args.type(Query).shape[0], shared = dims.constant(cache.heads);
  std::string text = "the heads of 'q' must be a multiple of 'kv_heads' of " +
                     modelName() + ", got ";
  text += heads->str() + " and " + shared->str();
  if (graph.requireMultiple(heads, shared, args.range(Query),
                            text + ": {0} does not divide by {1}"))
    return true;
  args.error(Query, text);
  return false;
}

bool AttendChecker::checkLayer() {
  int64_t layer = args.integer(Layer);
  if (layer >= cache.layers) {
    args.error(Layer, "layer " + llvm::Twine(layer) + " is outside the " +
                          llvm::Twine(cache.layers) + " layers of " +
                          modelName());
    return false;
  }
  const HiddenInput *known = graph.findHidden(input(HiddenInput::CacheKeys));
  if (!known)
    return true;
  args.checker.diags
      .error(args.range(Layer), "layer " + llvm::Twine(layer) +
                                    " of the cache has its new keys already")
      .note(known->range, "they were appended here");
  return false;
}

bool AttendChecker::checkNumbers() {
  Dim heads = args.type(Query).shape[0];
  for (unsigned arg : {Sink, Alibi})
    if (args.has(arg) && !args.sameDim(arg, args.type(arg).shape[0],
                                       "dim 0 of '" + args.paramName(arg) + "'",
                                       heads, "the heads of 'q'"))
      return false;
  if (args.has(Scale) && !args.fitsF32(Scale))
    return false;
  if (args.has(Softcap) && !(out.softcap = args.positive(Softcap)))
    return false;
  out.pin = args.has(Pin) ? args.integer(Pin) : 0;
  return true;
}

bool AttendChecker::takeMask() {
  if (!args.has(Mask))
    return true;
  const Value &mask = args[Mask];
  if (mask.isTensor() || !mask.mask->tensors.empty()) {
    args.error(Mask, "'attend' takes no tensor as a mask: how many keys there "
                     "are is known to the cache alone");
    return false;
  }
  out.causal = mask.mask->causal;
  out.left = mask.mask->left;
  out.right = mask.mask->right;
  return true;
}

/// The keys or values of the layer, with the new ones among them.
ValueId AttendChecker::append(unsigned arg, HiddenInput::Kind kind) {
  std::string context = args.checker.signature->params[param].name.str();
  context += ".context";
  TensorType type{cache.dtype,
                  {dims.constant(cache.heads), dims.name(context),
                   dims.constant(cache.headDim)}};
  const HiddenInput &stored = graph.hiddenInput(input(kind), type);
  graph.setSource(context, stored, 1);
  ValueId into = stored.value, rows = args.id(arg);
  if (args.type(arg).dtype != cache.dtype) {
    Inst cast(Op::Cast, args.range(arg));
    cast.operands = {rows};
    TensorType narrow = args.type(arg);
    narrow.dtype = cache.dtype;
    rows = graph.emit(std::move(cast), std::move(narrow)).id;
  }
  Inst inst(Op::CacheAppend, args.range(arg));
  inst.operands = {into, rows, args[CacheArg].id};
  return graph.emit(std::move(inst), type).id;
}

Value AttendChecker::check() {
  if (!checkDims() || !checkLayer() || !checkNumbers() || !takeMask())
    return Value::poison();
  TensorType one{DType::I32, {dims.constant(1)}};
  out.kvLen = graph.hiddenInput(input(HiddenInput::CacheLength), one).value;
  if (args.has(Scale))
    out.scale = graph.asNumber(args[Scale], args.range(Scale));
  out.sink = args.id(Sink);
  out.alibi = args.id(Alibi);
  ValueId keys = append(Key, HiddenInput::CacheKeys);
  ValueId values = append(Val, HiddenInput::CacheValues);
  Inst inst(Op::Attention, args.callRange());
  inst.operands = {args.id(Query), keys, values};
  inst.attention = std::make_shared<AttentionArgs>(std::move(out));
  return graph.emit(std::move(inst), args.type(Query));
}

static Value attend(CallArgs &args) { return AttendChecker(args).check(); }

llvm::ArrayRef<Builtin> agt::sema::cacheBuiltins() {
  static const Builtin table[] = {{"attend", attendParams, attend}};
  return table;
}
