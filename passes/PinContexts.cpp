// agt-pin-contexts: `pin: n` of an llm. Windows are the author's, in a graph
// that several llms may be made of and that people run by itself; what stays
// visible through them is each llm's, so that it has a copy.
#include "passes/Decoders.h"
#include "passes/Passes.h"

namespace agt {
#define GEN_PASS_DEF_PINCONTEXTS
#include "passes/Passes.h.inc"
} // namespace agt

using namespace mlir;
using namespace agt;

/// Attentions over a cache that would see other keys if the first `pin` were
/// visible whatever their windows say; `all` counts all over a cache.
static SmallVector<AttentionOp> attentionsToPin(GraphOp graph, int64_t pin,
                                                size_t &all) {
  SmallVector<AttentionOp> result;
  for (unsigned i = 0, e = graph.getNumArguments(); i < e; ++i) {
    if (!isInput(graph, i, "length"))
      continue;
    for (Operation *user : graph.getArgument(i).getUsers()) {
      auto attention = dyn_cast<AttentionOp>(user);
      if (!attention)
        continue;
      ++all;
      bool window = attention.getWindowLeft() || attention.getWindowRight();
      if (window && int64_t(attention.getPin()) < pin)
        result.push_back(attention);
    }
  }
  return result;
}

namespace {

struct PinContextsPass : agt::impl::PinContextsBase<PinContextsPass> {
  using PinContextsBase::PinContextsBase;

  void runOnOperation() override {
    for (LlmOp llm : getOperation().getOps<LlmOp>()) {
      auto settings = llm.getSettingsAttr();
      auto pin = settings ? settings.getAs<IntegerAttr>("pin") : IntegerAttr();
      if (!pin || pin.getInt() == 0 || llm.getKind() != "graph")
        continue;
      GraphOp decode = decoderOf(llm);
      if (!decode)
        return signalPassFailure();
      pinFirst(llm, decode, pin.getInt());
    }
  }

private:
  void pinFirst(LlmOp llm, GraphOp decode, int64_t count) {
    size_t all = 0;
    size_t some = attentionsToPin(decode, count, all).size();
    if (explain)
      say(llm, count, some, all);
    if (some == 0)
      return;
    std::string name = (decode.getSymName() + " pinned " + Twine(count)).str();
    setGraph(llm, "pinned", name);
    if (getOperation().lookupSymbol(name))
      return; // of another llm
    GraphOp copy = copyHidden(decode, name);
    for (AttentionOp attention : attentionsToPin(copy, count, all))
      attention.setPin(count);
    ++copies;
  }

  void say(LlmOp llm, int64_t count, size_t some, size_t all) {
    llm.emitRemark("'pin: ")
        << count << "' opens the windows of " << some << " of " << all
        << " attentions over the cache to the first tokens";
  }
};

} // namespace
