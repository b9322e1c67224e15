#include "frontend/Sema/Agent/StepPaths.h"

using namespace agt;
using namespace agt::sema::agents;

bool StepPaths::pop() {
  const Scope &scope = scopes.back();
  bool steps = !scope.uses.empty() || !scope.numbers.empty();
  scopes.pop_back();
  return steps;
}

bool StepPaths::exclusive(const Use &use, const Arms &arms) {
  if (use.ended)
    return true;
  for (const auto &[branch, arm] : use.arms)
    for (const auto &[other, otherArm] : arms)
      if (branch == other && arm != otherArm)
        return true;
  return false;
}

const StepPaths::Use *StepPaths::clash(llvm::StringRef segment) {
  Scope &scope = scopes.back();
  for (size_t index : scope.bySegment[segment])
    if (!exclusive(scope.uses[index], scope.arms))
      return &scope.uses[index];
  return nullptr;
}

void StepPaths::record(llvm::StringRef segment, llvm::SMRange range) {
  Scope &scope = scopes.back();
  scope.bySegment[segment].push_back(scope.uses.size());
  scope.uses.push_back({segment.str(), range, scope.arms});
}

void StepPaths::add(llvm::StringRef segment, llvm::SMRange range,
                    bool fromLet) {
  if (const Use *other = clash(segment))
    diags
        .error(range, "two steps of this block are named '" + segment +
                          (fromLet ? "'; rename one of them"
                                   : "'; name one with 'let', as in let x = " +
                                         segment + "..."))
        .note(other->range, "the other step is here");
  record(segment, range);
}

void StepPaths::addLoop(llvm::StringRef variable, llvm::SMRange range) {
  if (const Use *other = clash(variable))
    diags
        .error(range, "two loops or steps of this block are named '" +
                          variable + "'; rename the variable of this loop")
        .note(other->range, "the other one is here");
  record(variable, range);
}

std::string StepPaths::number(llvm::StringRef callee) {
  unsigned number = ++scopes.back().numbers[callee];
  return number == 1 ? callee.str()
                     : callee.str() + "." + std::to_string(number);
}

void StepPaths::enterArm(const ast::Node &branch, unsigned arm) {
  Scope &scope = scopes.back();
  scope.arms.emplace_back(&branch, arm);
  scope.armStarts.push_back(scope.uses.size());
}

void StepPaths::leaveArm(bool goesOn) {
  Scope &scope = scopes.back();
  size_t start = scope.armStarts.pop_back_val();
  scope.arms.pop_back();
  if (!goesOn)
    for (size_t i = start; i < scope.uses.size(); ++i)
      scope.uses[i].ended = true;
}

void StepPaths::leaveTry(size_t mark) {
  Scope &scope = scopes.back();
  for (size_t i = mark; i < scope.uses.size(); ++i)
    scope.uses[i].ended = false;
}
