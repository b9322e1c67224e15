// join and rerank: what is made of many results.
//
// All but `reduce` with a model or a tool is computed again by every replay.
// That failures were dropped is a decision in the log, for whoever reads it.
#include "runtime/Agent/RunFigures.h"
#include "runtime/Model/Model.h"
#include "runtime/Tool/Tool.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace agt::rt {

namespace {

using Values = std::vector<Value>;

Values elementsOf(Value list) {
  return Values(list->elements, list->elements + list->count);
}

class Join {
public:
  Join(agt_scope *scope, const agt_site &site, uint32_t type)
      : scope(scope), site(site), type(type) {}

  Value run(Value list, bool results, const agt_join_op *ops, uint64_t n) {
    Values all = results ? succeeded(list) : elementsOf(list);
    RunFigures *wanted = scope->strand->run.options.figures;
    JoinFigures figures;
    if (wanted) {
      figures.path = scope->path(site.name);
      figures.rung = rungOf(ops, n);
      figures.entries = int64_t(all.size());
      figures.tokensIn = tokensOf(all);
    }
    for (uint64_t i = 0; i < n; ++i)
      apply(all, ops[i]);
    if (wanted) {
      figures.tokensLeft = tokensOf(all);
      scope->strand->joined = wanted->add(std::move(figures));
    }
    return makeList(scope->arena(), all);
  }

private:
  int64_t tokensOf(const Values &all) const {
    return roughTokens(canonicalJson(makeList(scope->arena(), all)));
  }

  std::string rungOf(const agt_join_op *ops, uint64_t n) const {
    const Types &types = *scope->strand->run.program.types;
    const Type &list = types.at(type);
    bool isText = list.kind == TypeKind::List &&
                  types.at(list.of).kind == TypeKind::String;
    bool ranks = false, evidence = false, reduces = false;
    for (uint64_t i = 0; i < n; ++i) {
      reduces |= ops[i].kind == AGT_JOIN_REDUCE;
      evidence |= ops[i].kind == AGT_JOIN_EVIDENCE;
      ranks |= ops[i].kind != AGT_JOIN_FLATTEN;
    }
    return reduces    ? "reduce"
           : evidence ? "evidence"
           : ranks    ? "dedupe and rank"
           : isText   ? "text"
                      : "schema";
  }

  Values succeeded(Value list) {
    Values kept;
    std::string dropped = "[";
    for (Value result : elementsOf(list)) {
      if (result->elements[0]->truth)
        kept.push_back(result->elements[1]);
      else
        dropped += (dropped.size() > 1 ? "," : "") +
                   canonicalJson(result->elements[3]);
    }
    record("{\"dropped\":" + dropped +
           "],\"of\":" + std::to_string(list->count) + "}");
    return kept;
  }

  void record(const std::string &args) {
    if (findPast(scope, site, args))
      return;
    std::string path = scope->path(site.name);
    refuseNew(scope, path);
    Event event = makeEvent(EventKind::Decision, path);
    event.args = args;
    event.hash = site.hash ? site.hash : "";
    scope->strand->note(std::move(event));
  }

  void apply(Values &all, const agt_join_op &op) {
    switch (op.kind) {
    case AGT_JOIN_FLATTEN: {
      Values flat;
      for (Value inner : all)
        flat.insert(flat.end(), inner->elements,
                    inner->elements + inner->count);
      all.swap(flat);
      break;
    }
    case AGT_JOIN_DEDUPE:
      dedupe(all, size_t(op.field));
      break;
    case AGT_JOIN_RANK:
      rank(all, size_t(op.field), op.n != 0);
      break;
    case AGT_JOIN_TAKE:
      if (op.n < 0)
        throw StepFailure("take: expected a count, got " +
                          std::to_string(op.n));
      all.resize(std::min(all.size(), size_t(op.n)));
      break;
    case AGT_JOIN_EVIDENCE:
      // A handle is a reference from the moment a record holds it: the text is
      // in the log's blobs already.
      break;
    case AGT_JOIN_REDUCE:
      reduce(all, op);
      break;
    case AGT_JOIN_BUDGET:
      while (!all.empty() &&
             roughTokens(canonicalJson(makeList(scope->arena(), all))) > op.n)
        all.pop_back();
      break;
    default:
      fail(AGT_FAILED, "the program joins in a way the runtime does not know");
    }
  }

  static void dedupe(Values &all, size_t field) {
    auto less = [&](Value a, Value b) {
      return compareValues(a->elements[field], b->elements[field]) < 0;
    };
    std::set<Value, decltype(less)> seen(less);
    Values kept;
    for (Value value : all)
      if (seen.insert(value).second)
        kept.push_back(value);
    all.swap(kept);
  }

  static void rank(Values &all, size_t field, bool desc) {
    std::vector<size_t> order(all.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      int difference =
          compareValues(all[a]->elements[field], all[b]->elements[field]);
      return difference ? (desc ? difference > 0 : difference < 0) : a < b;
    });
    Values sorted;
    for (size_t index : order)
      sorted.push_back(all[index]);
    all.swap(sorted);
  }

  // A tree: each call merges up to `fanin` lists, which at first are single
  // elements, until one list is left. So it ends whatever a reducer returns.
  void reduce(Values &all, const agt_join_op &op) {
    if (op.n < 2)
      throw StepFailure("reduce: expected a fanin of 2 or more, got " +
                        std::to_string(op.n));
    std::vector<Values> lists;
    for (Value value : all)
      lists.push_back({value});
    int64_t calls = 0;
    while (lists.size() > 1) {
      std::vector<Values> merged;
      for (size_t i = 0; i < lists.size(); i += size_t(op.n)) {
        size_t end = std::min(lists.size(), i + size_t(op.n));
        if (end - i == 1) {
          merged.push_back(lists[i]);
          continue;
        }
        Values group;
        for (size_t k = i; k < end; ++k)
          group.insert(group.end(), lists[k].begin(), lists[k].end());
        merged.push_back(elementsOf(
            reduceOnce(makeList(scope->arena(), group), op, calls++)));
      }
      lists.swap(merged);
    }
    all = lists.empty() ? Values() : lists.front();
  }

  Value reduceOnce(Value list, const agt_join_op &op, int64_t number) {
    std::string name =
        std::string(site.name) + "/reduce#" + std::to_string(number);
    agt_site inner = {name.c_str(), nullptr, nullptr, site.place,
                      AGT_CHANGE_FAIL};
    switch (op.with) {
    case AGT_WITH_FUNCTION: {
      Value result = nullptr;
      int32_t outcome = op.function(scope, &list, &result);
      if (outcome > AGT_STEP_FAILED)
        throw Unwind{outcome};
      if (outcome == AGT_STEP_FAILED)
        throw StepFailure(scope->strand->failure);
      return result;
    }
    case AGT_WITH_TOOL:
      return callTool(scope, inner, op.index, {list});
    default: {
      Arena &arena = scope->arena();
      agt_ask ask = {};
      ask.llm = op.index;
      ask.type = type;
      ask.system = makeString(
          arena, "Merge the entries of this JSON list: join those that say the "
                 "same, keep what differs, add nothing. Answer with the list.");
      ask.user = makeString(arena, canonicalJson(list));
      return askStep(scope, inner, ask);
    }
    }
  }

  agt_scope *scope;
  const agt_site &site;
  uint32_t type;
};

// The order a model gives: a JSON list of numbers of texts.
Values orderedByModel(agt_scope *scope, const agt_site &site, uint32_t llm,
                      const Values &docs, Value query) {
  Arena &arena = scope->arena();
  const Types &types = *scope->strand->run.program.types;
  agt_ask ask = {};
  ask.llm = llm;
  // The list of ints that the compiler has put there for this.
  while (types.at(ask.type).kind != TypeKind::List ||
         types.at(types.at(ask.type).of).kind != TypeKind::Int ||
         types.at(ask.type).max)
    ++ask.type;
  std::string text = "Query:\n" + std::string(textOf(query)) + "\n";
  for (size_t i = 0; i < docs.size(); ++i)
    text += "\nText " + std::to_string(i) + ":\n" +
            std::string(textOf(docs[i])) + "\n";
  ask.system = makeString(
      arena, "Order the texts by how well they answer the query, best first. "
             "Answer with a JSON list of their numbers and nothing else.");
  ask.user = makeString(arena, text);
  Value order = askStep(scope, site, ask);
  Values sorted;
  std::vector<bool> seen(docs.size());
  for (uint64_t at = 0; at < order->count; ++at) {
    int64_t i = order->elements[at]->number;
    if (i < 0 || i >= int64_t(docs.size()) || seen[size_t(i)])
      throw StepFailure("expected an order of " + std::to_string(docs.size()) +
                        " texts, got " + canonicalJson(order));
    seen[size_t(i)] = true;
    sorted.push_back(docs[size_t(i)]);
  }
  return sorted;
}

} // namespace

} // namespace agt::rt

using namespace agt::rt;

int32_t agt_step_join(agt_scope *scope, const agt_site *site,
                      const agt_value *list, int32_t results, uint32_t type,
                      const agt_join_op *ops, uint64_t n_ops,
                      const agt_value **result) {
  return guardSite(scope, site, [&](const agt_site &at) {
    *result = Join(scope, at, type).run(list, results != 0, ops, n_ops);
  });
}

int32_t agt_step_rerank(agt_scope *scope, const agt_site *site,
                        const agt_value *docs, const agt_value *query,
                        int32_t with, uint32_t index, int64_t take,
                        const agt_value **result) {
  return guardSite(scope, site, [&](const agt_site &at) {
    if (take < 0)
      throw StepFailure("'take' is at least 0, got " + std::to_string(take));
    Values all =
        with == AGT_WITH_TOOL
            ? elementsOf(callTool(scope, at, index, {docs, query}))
            : orderedByModel(scope, at, index, elementsOf(docs), query);
    all.resize(std::min(all.size(), size_t(take)));
    *result = makeList(scope->arena(), all);
  });
}
