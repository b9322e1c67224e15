// agt-page-caches: an llm is asked by many at a time, and a graph `decode` is
// written for one sequence. The copy made here differs in what tells the
// cache's places: whose tokens lie where is the runtime's to say
// (runtime/Cache/Pages.h).
#include "passes/Decoders.h"
#include "passes/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace agt {
#define GEN_PASS_DEF_PAGECACHES
#include "passes/Passes.h.inc"
} // namespace agt

using namespace mlir;
using namespace agt;

namespace {

/// The copy of one graph.
class Pager {
public:
  Pager(GraphOp graph, StringRef name)
      : graph(graph), copy(copyHidden(graph, name)), b(graph) {}

  LogicalResult run() {
    for (unsigned i = 0, e = graph.getNumArguments(); i < e; ++i) {
      if (!isInput(copy, i, "length"))
        continue;
      auto cache = inputOf(copy, i).getAs<StringAttr>("cache");
      std::optional<unsigned> positions = positionsOf(cache);
      if (!positions)
        return graph.emitOpError("has the length of a cache as input ")
               << i << ", and no positions of it";
      page(i, *positions, cache);
    }
    return success();
  }

private:
  std::optional<unsigned> positionsOf(StringAttr cache) {
    for (unsigned i = 0, e = graph.getNumArguments(); cache && i < e; ++i)
      if (isInput(copy, i, "positions") &&
          inputOf(copy, i).get("cache") == cache)
        return i;
    return std::nullopt;
  }

  DictionaryAttr attributes(StringAttr cache, StringRef kind) {
    DictionaryAttr input =
        b.getDictionaryAttr({b.getNamedAttr("cache", cache),
                             b.getNamedAttr("kind", b.getStringAttr(kind))});
    auto name = b.getStringAttr(cache.getValue() + "." + kind);
    return b.getDictionaryAttr(
        {b.getNamedAttr(kInput, input), b.getNamedAttr(kName, name)});
  }

  Value append(StringAttr cache, StringRef kind, Type type) {
    unsigned at = copy.getNumArguments();
    (void)copy.insertArgument(at, type, attributes(cache, kind), copy.getLoc());
    return copy.getArgument(at);
  }

  /// What was the length of `cache` becomes the places of its new tokens.
  void page(unsigned length, unsigned positions, StringAttr cache) {
    auto number = b.getI32Type();
    auto many = RankedTensorType::get({ShapedType::kDynamic}, number);
    Value at = append(cache, "key_positions", many);
    Value visible = append(
        cache, "visible",
        RankedTensorType::get({ShapedType::kDynamic, ShapedType::kDynamic},
                              b.getI1Type()));
    Value was = copy.getArgument(length), tokens = copy.getArgument(positions);
    llvm::SmallSetVector<AttentionOp, 8> attentions;
    for (Operation *user : was.getUsers())
      attentions.insert(cast<AttentionOp>(user));
    for (AttentionOp attention : attentions) {
      attention.getKvLenMutable().clear();
      attention.getMasksMutable().append(visible);
      bool byPosition = attention.getCausal() != Causal::None ||
                        attention.getWindowLeft() ||
                        attention.getWindowRight() || attention.getAlibi();
      if (!byPosition)
        continue;
      attention.getQPosMutable().assign(tokens);
      attention.getKvPosMutable().assign(at);
    }
    was.setType(many);
    auto type = copy.getFunctionType();
    SmallVector<Type> inputs(type.getInputs());
    inputs[length] = many;
    copy.setFunctionType(
        FunctionType::get(b.getContext(), inputs, type.getResults()));
    copy.setArgAttrs(length, attributes(cache, "places"));
    for (Operation *user : llvm::to_vector(tokens.getUsers()))
      if (auto append = dyn_cast<CacheAppendOp>(user))
        append.getSlotsMutable().assign(was);
  }

  GraphOp graph, copy;
  OpBuilder b;
};

struct PageCachesPass : agt::impl::PageCachesBase<PageCachesPass> {
  void runOnOperation() override {
    llvm::StringMap<std::string> known;
    for (LlmOp llm : getOperation().getOps<LlmOp>()) {
      if (llm.getKind() != "graph")
        continue;
      GraphOp decode = decoderOf(llm);
      if (!decode)
        return signalPassFailure();
      auto [copy, isNew] = known.try_emplace(decode.getSymName());
      if (isNew) {
        copy->second = (decode.getSymName() + " in pages").str();
        if (failed(Pager(decode, copy->second).run()))
          return signalPassFailure();
        ++copies;
      }
      setGraph(llm, "pages", copy->second);
    }
  }
};

} // namespace
