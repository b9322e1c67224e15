#include "tools/agtc/DiffText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace agt::tool;
namespace json = llvm::json;

void ProgramDiff::printSteps(llvm::raw_ostream &out) const {
  if (steps.empty()) {
    out << "no step differs\n";
    return;
  }
  out << "steps\n";
  size_t width = 0;
  for (const StepChange &change : steps)
    width = std::max(width, change.step.size());
  for (const StepChange &change : steps)
    out << "  " << llvm::left_justify(change.step, width) << "  "
        << llvm::left_justify(change.state, 7) << "  " << change.place << "\n";
}

static std::string quoted(llvm::StringRef step) {
  return ("'" + step + "'").str();
}

/// One line for each reason of a verdict, and what it would do next.
static void printReasons(llvm::raw_ostream &out, const json::Object &run) {
  auto line = [&](const llvm::Twine &text) { out << "    " << text << "\n"; };
  for (const json::Value &value : *run.getArray("changed")) {
    const json::Object &change = *value.getAsObject();
    llvm::StringRef onChange = *change.getString("on_change");
    std::string what = "step " + quoted(*change.getString("step"));
    if (onChange == "keep")
      line(what + " means something else, and keeps what the log has");
    else if (onChange == "rerun")
      line(what + " means something else, and is done anew");
    else
      line(*change.getString("place") + ": " + what +
           " means something else; say `on_change: keep` or `rerun` at it");
  }
  bool anew = llvm::any_of(*run.getArray("changed"), [](const json::Value &c) {
    return c.getAsObject()->getString("on_change") == "rerun";
  });
  for (const json::Value &step : *run.getArray("gone"))
    line("the log has step " + quoted(*step.getAsString()) +
         (anew ? ", which may not fit what is done anew"
               : ", which the program does not come to"));
  if (!run.getArray("gone")->empty())
    for (const json::Value &step : *run.getArray("next"))
      line("step " + quoted(*step.getAsString()) + " would come next");
  if (std::optional<llvm::StringRef> reason = run.getString("reason")) {
    std::string place = run.getString("place").value_or("").str();
    line((place.empty() ? "" : place + ": ") + *reason);
  }
}

void ProgramDiff::printRuns(llvm::raw_ostream &out) const {
  if (runs.empty()) {
    out << "no live runs\n";
    return;
  }
  out << "live runs\n";
  size_t id = 0, agent = 0;
  for (const json::Value &run : runs) {
    id = std::max(id, run.getAsObject()->getString("run")->size());
    agent = std::max(agent, run.getAsObject()->getString("agent")->size());
  }
  for (const json::Value &value : runs) {
    const json::Object &run = *value.getAsObject();
    out << "  " << llvm::left_justify(*run.getString("run"), id) << "  "
        << llvm::left_justify(*run.getString("agent"), agent) << "  "
        << llvm::left_justify(*run.getString("status"), 8) << " "
        << *run.getString("verdict") << "\n";
    printReasons(out, run);
  }
  out << llvm::formatv("{0} safe, {1} to be decided, {2} blocked\n",
                       count("safe"), count("needs a decision"),
                       count("blocked"));
}

size_t ProgramDiff::count(llvm::StringRef verdict) const {
  return llvm::count_if(runs, [&](const json::Value &run) {
    return run.getAsObject()->getString("verdict") == verdict;
  });
}

json::Value ProgramDiff::toJson() const {
  json::Array changes;
  for (const StepChange &change : steps)
    changes.push_back(json::Object{{"step", change.step},
                                   {"state", change.state},
                                   {"old", change.before},
                                   {"new", change.after},
                                   {"place", change.place}});
  return json::Object{{"steps", std::move(changes)},
                      {"runs", json::Array(runs)},
                      {"safe", int64_t(count("safe"))},
                      {"needs_a_decision", int64_t(count("needs a decision"))},
                      {"blocked", int64_t(count("blocked"))}};
}

void ProgramDiff::print(llvm::raw_ostream &out, bool asJson) const {
  if (asJson) {
    out << llvm::formatv("{0:2}", toJson()) << "\n";
    return;
  }
  printSteps(out);
  printRuns(out);
}
