// Properties of agents, and what budgets say about calls: a tool fits its
// agent's wall time, a child its parent's budget.
#include "frontend/Sema/Agent/AgentChecker.h"
#include "frontend/Sema/Agent/Properties.h"
#include "frontend/Sema/ExprChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::dyn_cast;

static void checkBudget(Checker &checker, const ast::Prop &prop,
                        Budget &budget) {
  static const llvm::StringRef known[] = {"tokens", "steps", "wall", "usd"};
  Diagnostics &diags = checker.diags;
  llvm::StringMap<llvm::SMRange> seen;
  for (const ast::Value *value : prop.values) {
    llvm::StringRef word =
        value->value == ast::Value::Plain ? wordOf(value->expr) : "";
    const ast::Expr *amount =
        value->value == ast::Value::Plain && value->more.size() == 1
            ? value->more[0]->literal
            : nullptr;
    if (word.empty() || !amount) {
      diags.error(value->range, "expected an amount for 'budget', as in tokens "
                                "10_000, steps 50, wall 10m, usd 2.5");
      continue;
    }
    auto [entry, fresh] = seen.try_emplace(word, value->range);
    if (!llvm::is_contained(known, word)) {
      diags.error(value->expr->range,
                  "a budget has no '" + word + "'" + didYouMean(word, known));
    } else if (!fresh) {
      diags.error(value->range, "'" + word + "' is given twice")
          .note(entry->second, "first given here");
    } else if (word == "wall") {
      budget.wallNanoseconds = {constantDuration(checker, *amount, word),
                                value->range};
    } else if (word == "usd") {
      Value number = ExprChecker(checker).check(*amount);
      std::optional<double> usd = number.constantNumber();
      if (!usd || *usd < 0)
        diags.error(amount->range, "expected a number of at least 0 for 'usd'");
      budget.usd = {usd, value->range};
    } else {
      Amount<int64_t> count = {constantCount(checker, *amount, 0, word),
                               value->range};
      (word == "tokens" ? budget.tokens : budget.steps) = count;
    }
  }
}

void agt::sema::agents::checkAgentProps(AgentChecker &context,
                                        AgentInfo &info) {
  Checker &checker = context.checker;
  forEachProp(checker.diags, info.decl->props, "an agent",
              {"budget", "attempts"}, {}, [&](const ast::Prop &prop) {
                if (prop.word.text == "budget")
                  return checkBudget(checker, prop, info.budget);
                if (const ast::Expr *value = singleValue(checker.diags, prop))
                  info.attempts = constantCount(checker, *value, 1, "attempts");
              });
}

namespace {
/// One amount of a child and its parent's.
struct Pair {
  llvm::StringRef name;
  bool above;
  std::string child, parent;
  llvm::SMRange childRange, parentRange;
};
} // namespace

static Pair compare(llvm::StringRef name, const Amount<int64_t> &child,
                    const Amount<int64_t> &parent, bool duration) {
  auto text = [&](const Amount<int64_t> &amount) {
    int64_t value = amount.value.value_or(0);
    return duration ? durationText(value) : std::to_string(value);
  };
  bool above = child.value && parent.value && *child.value > *parent.value;
  return {name, above, text(child), text(parent), child.range, parent.range};
}

static std::vector<Pair> pairs(const Budget &child, const Budget &parent) {
  std::vector<Pair> all = {
      compare("tokens", child.tokens, parent.tokens, false),
      compare("steps", child.steps, parent.steps, false),
      compare("wall", child.wallNanoseconds, parent.wallNanoseconds, true)};
  bool above = child.usd.value && parent.usd.value &&
               *child.usd.value > *parent.usd.value;
  auto text = [](const Amount<double> &amount) {
    return llvm::formatv("{0}", amount.value.value_or(0)).str();
  };
  all.push_back({"usd", above, text(child.usd), text(parent.usd),
                 child.usd.range, parent.usd.range});
  return all;
}

void AgentChecker::checkCallee(const AgentInfo &agent, const Use &use) {
  llvm::StringRef owner = agent.decl->name.text, name = use.decl->name.text;
  if (const auto *child = dyn_cast<ast::AgentDecl>(use.decl)) {
    for (const Pair &pair : pairs(this->agent(*child)->budget, agent.budget))
      if (pair.above)
        diags
            .error(use.range, "agent '" + name + "' has a budget of " +
                                  pair.name + " " + pair.child +
                                  ", above the " + pair.parent + " of agent '" +
                                  owner + "'")
            .note(pair.childRange, "the child's budget is here")
            .note(pair.parentRange, "the parent's budget is here");
    return;
  }
  const auto *decl = dyn_cast<ast::ToolDecl>(use.decl);
  const ToolInfo *called = decl ? tool(*decl) : nullptr;
  if (called)
    name = called->name;
  const Amount<int64_t> &wall = agent.budget.wallNanoseconds;
  int64_t longest =
      called ? called->longestNanoseconds.value_or(called->timeoutNanoseconds)
             : 0;
  if (!called || !wall.value || longest <= *wall.value)
    return;
  bool byDefault = !decl->props->find("timeout");
  diags
      .error(use.range, "tool '" + name + "' may take " +
                            durationText(longest) +
                            ", longer than the wall budget of agent '" + owner +
                            "', which is " + durationText(*wall.value))
      .note(called->timeoutRange,
            byDefault ? "no 'timeout' is given here" : "the timeout is here")
      .note(wall.range, "the budget is here");
}
