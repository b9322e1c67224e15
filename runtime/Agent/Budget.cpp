// See Budget.h.
#include "runtime/Agent/Budget.h"

#include "runtime/Support/Text.h"

#include <algorithm>

namespace agt::rt {

void Budget::exhausted(const std::string &what) {
  throw StepFailure("the budget of " + agent + " is exhausted: " + what +
                    ", after " + std::to_string(steps) + " steps and " +
                    std::to_string(used) + " tokens");
}

void Budget::openStep(int64_t activeNs) {
  for (Budget *budget = this; budget; budget = budget->parent) {
    std::lock_guard<std::mutex> held(budget->mutex);
    const BudgetDecl &limits = budget->limits;
    if (limits.steps && budget->steps >= *limits.steps)
      budget->exhausted(std::to_string(*limits.steps) + " steps");
    if (limits.wall && activeNs - budget->startNs >= *limits.wall)
      budget->exhausted(secondsText(double(*limits.wall) / 1e9) +
                        " of wall time");
  }
  countStep();
}

void Budget::countStep() {
  for (Budget *budget = this; budget; budget = budget->parent) {
    std::lock_guard<std::mutex> held(budget->mutex);
    ++budget->steps;
  }
}

void Budget::reserve(int64_t tokens) {
  for (Budget *budget = this; budget; budget = budget->parent) {
    std::lock_guard<std::mutex> held(budget->mutex);
    const BudgetDecl &limits = budget->limits;
    if (limits.tokens && budget->used + budget->reserved >= *limits.tokens)
      budget->exhausted(std::to_string(*limits.tokens) + " tokens");
    if (limits.usd && budget->spent >= *limits.usd)
      budget->exhausted("usd " + floatText(*limits.usd));
  }
  for (Budget *budget = this; budget; budget = budget->parent) {
    std::lock_guard<std::mutex> held(budget->mutex);
    budget->reserved += tokens;
  }
}

void Budget::settle(int64_t reservation, int64_t tokens, double usd) {
  for (Budget *budget = this; budget; budget = budget->parent) {
    std::lock_guard<std::mutex> held(budget->mutex);
    budget->reserved -= reservation;
    budget->used += tokens;
    budget->spent += usd;
  }
}

static int64_t lesser(int64_t a, int64_t b) {
  return a < 0 ? b : b < 0 ? a : std::min(a, b);
}

int64_t Budget::tokensLeft() {
  int64_t left = -1;
  for (Budget *budget = this; budget; budget = budget->parent) {
    std::lock_guard<std::mutex> held(budget->mutex);
    if (budget->limits.tokens)
      left = lesser(
          left, std::max<int64_t>(*budget->limits.tokens - budget->used, 0));
  }
  return left;
}

int64_t Budget::tokensUsed() {
  std::lock_guard<std::mutex> held(mutex);
  return used;
}

int64_t Budget::wallLeft(int64_t activeNs) {
  int64_t left = -1;
  for (Budget *budget = this; budget; budget = budget->parent)
    if (budget->limits.wall)
      left = lesser(left, std::max<int64_t>(*budget->limits.wall -
                                                (activeNs - budget->startNs),
                                            1));
  return left;
}

} // namespace agt::rt
