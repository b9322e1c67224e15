// What `agtc diff` has found, as text and as JSON.
#ifndef AGT_TOOLS_AGTC_DIFFTEXT_H
#define AGT_TOOLS_AGTC_DIFFTEXT_H

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace agt::tool {

/// A step of an agent: `state` is "changed", "new" or "gone", `before` and
/// `after` its hashes.
struct StepChange {
  std::string step, state, before, after, place;
};

struct ProgramDiff {
  std::vector<StepChange> steps;
  /// As the command `survey` of a program gives them (docs/Agents.md).
  std::vector<llvm::json::Value> runs;

  size_t count(llvm::StringRef verdict) const;
  void print(llvm::raw_ostream &out, bool asJson) const;

private:
  llvm::json::Value toJson() const;
  void printSteps(llvm::raw_ostream &out) const;
  void printRuns(llvm::raw_ostream &out) const;
};

} // namespace agt::tool

#endif
