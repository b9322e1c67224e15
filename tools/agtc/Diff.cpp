// `agtc diff OLD NEW --db URL`: the steps of agents that differ between two
// programs, by their paths and hashes, and which live runs of a step log go on
// in the new one: a program made of it for the moment replays them.
#include "tools/agtc/Commands.h"
#include "tools/agtc/DiffText.h"
#include "tools/agtc/Frontend.h"
#include "tools/agtc/Source.h"

#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Place.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <map>
#include <set>

using namespace agt;
using namespace agt::tool;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {

/// What a program has at one path: arms of an `if` may share it.
struct StepsAt {
  std::set<std::string> hashes;
  std::string place;
};

struct Agents {
  llvm::StringSet<> names;
  std::map<std::string, StepsAt> steps; // "review/found/texts"
};

} // namespace

/// What an op adds to the paths of the steps inside.
static llvm::StringRef segmentOf(mlir::Operation *op) {
  for (llvm::StringRef name : {"segment", "name"})
    if (auto text = op->getAttrOfType<mlir::StringAttr>(name))
      return text;
  return "";
}

static std::string pathOf(mlir::Operation *op, AgentOp agent) {
  std::string path;
  for (; op != agent; op = op->getParentOp())
    if (llvm::StringRef segment = segmentOf(op); !segment.empty())
      path = ("/" + segment + path).str();
  return agent.getSymName().str() + path;
}

static int readAgents(const std::string &path, const DiffOptions &options,
                      Agents &agents) {
  auto frontend = frontendOptions(options.defines, {});
  Source source;
  if (!frontend || !source.read(path))
    return BadUsage;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  FrontendResult result =
      compileToAgt(source.diagnostics, source.mainBuffer, context, *frontend);
  if (!result.module)
    return exitCode(result.status);
  for (AgentOp agent : result.module->getOps<AgentOp>()) {
    agents.names.insert(agent.getSymName());
    agent->walk([&](mlir::Operation *op) {
      auto hash = op->getAttrOfType<mlir::StringAttr>("hash");
      if (!hash)
        return;
      StepsAt &at = agents.steps[pathOf(op, agent)];
      at.hashes.insert(hash.str());
      at.place = placeOf(op->getLoc());
    });
  }
  if (agents.names.empty()) {
    complain("'" + path + "' has no agents");
    return BadUsage;
  }
  return Fine;
}

static std::string hashText(const std::set<std::string> &hashes) {
  return llvm::join(hashes, "+");
}

static std::vector<StepChange> compare(const Agents &before,
                                       const Agents &after) {
  std::vector<StepChange> changes;
  for (const auto &[path, step] : before.steps) {
    auto now = after.steps.find(path);
    if (now == after.steps.end())
      changes.push_back({path, "gone", hashText(step.hashes), "", step.place});
    else if (now->second.hashes != step.hashes)
      changes.push_back({path, "changed", hashText(step.hashes),
                         hashText(now->second.hashes), now->second.place});
  }
  for (const auto &[path, step] : after.steps)
    if (!before.steps.count(path))
      changes.push_back({path, "new", "", hashText(step.hashes), step.place});
  return changes;
}

//===----------------------------------------------------------------------===//
// Live runs
//===----------------------------------------------------------------------===//

static std::string databaseOf(const DiffOptions &options) {
  if (!options.db.empty())
    return options.db;
  const char *variable = std::getenv("AGT_DB");
  return variable && *variable ? variable : "sqlite:agt.db";
}

/// Looking makes no step log.
static bool isThere(const std::string &database) {
  llvm::StringRef file = database;
  if (!file.consume_front("sqlite:") || llvm::sys::fs::exists(file))
    return true;
  complain("there is no step log '" + file + "'");
  return false;
}

/// Lets a program made of NEW replay the runs; one JSON object each.
static int survey(const DiffOptions &options, const Agents &agents,
                  const std::string &database, std::vector<json::Value> &runs) {
  llvm::SmallString<128> program, output;
  if (llvm::sys::fs::createTemporaryFile("agt-diff", "", program) ||
      llvm::sys::fs::createTemporaryFile("agt-diff", "json", output)) {
    complain("cannot write a temporary file");
    return BadUsage;
  }
  llvm::FileRemover removeProgram(program), removeOutput(output);
  CompileOptions compileOptions;
  compileOptions.input = options.after;
  compileOptions.output = program.str().str();
  compileOptions.target = "cpu";
  compileOptions.cpu = "native";
  compileOptions.defines = options.defines;
  for (llvm::StringRef name : agents.names.keys())
    compileOptions.only.push_back(name.str());
  if (int result = compile(compileOptions))
    return result;
  std::string error;
  int status = llvm::sys::ExecuteAndWait(
      program, {program, "survey", "--db", database}, std::nullopt,
      {std::nullopt, output.str(), std::nullopt}, 0, 0, &error);
  if (status < 0)
    complain("cannot run what was compiled: " + error);
  if (status != 0)
    return status < 0 ? int(BadUsage) : status; // it has said why
  auto text = llvm::MemoryBuffer::getFile(output);
  if (!text) {
    complain("cannot read a temporary file: " + text.getError().message());
    return BadUsage;
  }
  llvm::SmallVector<llvm::StringRef> lines;
  (*text)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    runs.push_back(llvm::cantFail(json::parse(line)));
  return Fine;
}

int agt::tool::diff(const DiffOptions &options) {
  Agents before, after;
  if (int result = readAgents(options.before, options, before))
    return result;
  if (int result = readAgents(options.after, options, after))
    return result;
  std::string database = databaseOf(options);
  if (!isThere(database))
    return BadUsage;
  std::vector<json::Value> all;
  if (int result = survey(options, after, database, all))
    return result;
  ProgramDiff diff;
  diff.steps = compare(before, after);
  for (json::Value &run : all) {
    llvm::StringRef agent = *run.getAsObject()->getString("agent");
    if (before.names.contains(agent) || after.names.contains(agent))
      diff.runs.push_back(std::move(run));
  }
  diff.print(llvm::outs(), options.json);
  return diff.count("safe") == diff.runs.size() ? Fine : ErrorsInProgram;
}
