// See View.h. A run of queries from position a to b sees the keys of positions
// a - left to b + right, none of them above b where it is causal: for runs of
// neighbours the union of what each query sees has no gaps.
#include "runtime/Mesh/View.h"

#include "runtime/Mesh/Split.h"
#include "runtime/Plan/Record.h"

using namespace agt::rt;

namespace {

/// The positions between which a run lies.
struct Range {
  int64_t first;
  int64_t last;
};

Range rangeOf(const TokenRun &run, int64_t offset) {
  return {run.begin + offset, run.begin + (run.count - 1) * run.step + offset};
}

bool meet(const agt_view &view, Range queries, Range keys) {
  if (view.causal && keys.first > queries.last)
    return false;
  if (keys.first < view.pin)
    return true;
  bool inLeft = view.left < 0 || keys.last >= queries.first - view.left;
  bool inRight = view.right < 0 || keys.first <= queries.last + view.right;
  return inLeft && inRight;
}

std::vector<TokenRun> runsOf(int32_t parts, int32_t balance, int64_t part,
                             int64_t tokens) {
  return tokensOf(agt_split{0, parts, 1, balance}, part, tokens);
}

} // namespace

bool RingView::sees(int64_t queryPart, int64_t keyPart) const {
  for (const TokenRun &q :
       runsOf(view.parts, view.query_balance, queryPart, queries))
    for (const TokenRun &k :
         runsOf(view.parts, view.key_balance, keyPart, keys))
      if (meet(view, rangeOf(q, offset), rangeOf(k, 0)))
        return true;
  return false;
}

bool RingView::needed(int64_t owner, int64_t step) const {
  for (int64_t later = step + 1; later < view.parts; ++later)
    if (sees((owner + later) % view.parts, owner))
      return true;
  return false;
}

static void checkView(const agt_run &run, const agt_view &view) {
  if (view.parts < 1)
    failPlan(run, "a ring of " + std::to_string(view.parts) + " parts");
}

agt_status agt_graph_sees(agt_run *run, const agt_view *view, int64_t queries,
                          int64_t keys, int64_t offset, int64_t query_part,
                          int64_t key_part, int64_t *sees) {
  return guardPlan(run, [&] {
    checkView(*run, *view);
    *sees = RingView{*view, queries, keys, offset}.sees(query_part, key_part);
  });
}

agt_status agt_graph_needed(agt_run *run, const agt_view *view, int64_t queries,
                            int64_t keys, int64_t offset, int64_t owner,
                            int64_t step, int64_t *needed) {
  return guardPlan(run, [&] {
    checkView(*run, *view);
    *needed = RingView{*view, queries, keys, offset}.needed(owner, step);
  });
}
