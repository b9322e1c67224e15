// agt_main_agents: the command line of a program that has agents. What is about
// graphs, or describes the program, goes on to agt_main.
#include "runtime/Agent/Tests.h"
#include "runtime/Cli/AgentCommands.h"
#include "runtime/Cli/Crash.h"
#include "runtime/Cli/Help.h"
#include "runtime/Cli/Main.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Text.h"
#include "runtime/Telemetry/Exporter.h"
#include "runtime/Tool/Process.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace agt::rt {

void printText(const std::string &text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    fail(AGT_FAILED, "cannot write to the standard output");
}

bool executesSteps(const std::string &command) {
  for (const char *one : {"start", "resume", "worker", "cancel", "ui"})
    if (command == one)
      return true;
  return false;
}

int runAgentCommand(const AgentProgram &program, const AgentOptions &options,
                    const std::string &exe, SpanSink *spans) {
  const std::string &command = options.command;
  if (command == "test")
    return runTests(program, options.words.empty() ? "" : options.words[0]);
  if (command == "ui")
    return uiCommand(program, options, spans);
  std::unique_ptr<StepLog> log = openStepLog(options.db);
  std::string id = options.words.empty() ? "" : options.words[0];
  if (command == "start")
    return startCommand(program, *log, options, exe, spans);
  if (command == "submit")
    return submitCommand(program, *log, options);
  if (command == "worker")
    return workerCommand(program, *log, options, spans);
  if (command == "resume")
    return resumeCommand(program, *log, id, options, exe, spans);
  if (command == "replay")
    return replayCommand(program, *log, id);
  if (command == "survey")
    return surveyCommand(program, *log);
  if (command == "runs")
    return runsCommand(*log, options.json);
  if (command == "log")
    return logCommand(*log, id, options.json);
  if (command == "watch")
    return watchCommand(*log, id, options.json);
  if (command == "approve")
    return approveCommand(*log, options);
  if (command == "resolve")
    return resolveCommand(program, *log, options);
  if (command == "signal")
    return signalCommand(*log, options);
  if (command == "cancel")
    return cancelCommand(program, *log, options, spans);
  if (command == "fork")
    return forkCommand(*log, options);
  if (command == "export")
    return exportCommand(*log, id);
  if (command == "import")
    return importCommand(*log, id);
  return gcCommand(*log, options.older);
}

namespace {

std::string agentsText(const AgentProgram &program) {
  std::string text = "agents:\n";
  for (const AgentDecl &agent : program.agents) {
    text += "  " + agent.name + "(";
    for (const ParamDecl &param : agent.params)
      text += (&param == agent.params.data() ? "" : ", ") + param.name + ": " +
              program.types->text(param.type);
    text += ") -> " + program.types->text(agent.result) + "\n";
    std::istringstream lines(agent.doc);
    for (std::string line; std::getline(lines, line);)
      text += "      " + line + "\n";
    for (const ParamDecl &param : agent.params)
      if (!param.doc.empty())
        text += "      " + param.name + ": " + param.doc + "\n";
  }
  return text;
}

// --json: the manifest, and the agents beside its graphs.
std::string agentsJson(const agt_program &program,
                       const AgentProgram &declared) {
  Json all = parseJson(manifestText(program)), agents = Json::array();
  const Types &types = *declared.types;
  auto described = [](Json entry, const std::string &doc) {
    if (!doc.empty())
      entry["doc"] = doc;
    return entry;
  };
  for (const AgentDecl &agent : declared.agents) {
    Json params = Json::array();
    for (const ParamDecl &param : agent.params)
      params.push_back(described(
          {{"name", param.name}, {"type", types.text(param.type)}}, param.doc));
    agents.push_back(described({{"name", agent.name},
                                {"params", params},
                                {"result", types.text(agent.result)}},
                               agent.doc));
  }
  all["agents"] = agents;
  return all.dump(2) + "\n";
}

void describe(const Manifest &manifest, const AgentProgram &program,
              const std::string &exe, bool help) {
  std::string text = manifest.program + " (" + manifest.hash + ")\n\n";
  if (help)
    text = "usage: " + exe + " [--help | --version | --json]\n" +
           (manifest.graphs.empty()
                ? ""
                : "       " + exe + " run GRAPH [OPTION...]\n") +
           agentUsage(exe) + "\n";
  text += agentsText(program);
  if (!manifest.graphs.empty()) {
    std::string graphs = listingText(manifest, exe);
    text += "\n" + graphs.substr(graphs.find("graphs:"));
  } else if (!help) {
    text += "\n'" + exe + " --help' says more.\n";
  }
  if (help)
    text += "\nURL is sqlite:FILE (sqlite:agt.db) or "
            "postgres://USER@HOST/NAME; AGT_DB is the same.\n"
            "OTEL_EXPORTER_OTLP_ENDPOINT=URL sends runs as traces to a "
            "collector of OpenTelemetry.\n"
            "exit codes: 0 done, 1 failed, 2 bad input or command line, 3 "
            "waiting, 4 cancelled, 5 a device, database, library or tool is "
            "missing\n";
  printText(text);
}

// `traces`: for the exporter, which is to outlive what is said of the end.
int serveAgents(int argc, char **argv, const agt_program &program,
                const agt_agents &agents, std::unique_ptr<Exporter> &traces) {
  std::string word = argc > 1 ? argv[1] : "";
  bool describes =
      argc == 1 ||
      (argc == 2 && (word == "--help" || word == "-h" || word == "--json"));
  if (!describes && !isAgentCommand(word))
    return -1;
  if (program.abi != AGT_ABI_VERSION)
    return -1; // agt_main says it
  std::string exe = callName(argv[0]);
  AgentProgram declared(&program, agents);
  if (word == "--json") {
    printText(agentsJson(program, declared));
    return AGT_OK;
  }
  if (describes) {
    describe(parseManifest(program), declared, exe, argc == 2);
    return AGT_OK;
  }
  AgentOptions options =
      parseAgentOptions(word, std::vector<std::string>(argv + 2, argv + argc));
  if (options.help) {
    describe(parseManifest(program), declared, exe, true);
    return AGT_OK;
  }
  if (executesSteps(word))
    traces = openExporter(titleOf(declared), declared.hash);
  return runAgentCommand(declared, options, exe, traces.get());
}

} // namespace
} // namespace agt::rt

using namespace agt::rt;

int agt_main_agents(int argc, char **argv, const agt_program *program,
                    const agt_agents *agents) {
  superviseIfAsked(argc, argv);
  outliveFileLimit();
  reportCrashes();
  int code = -1;
  std::unique_ptr<Exporter> traces;
  agt_status status = guard([&] {
    code = serveAgents(argc, argv, *program, *agents, traces);
    if (std::fflush(stdout) != 0)
      fail(AGT_FAILED, "cannot write to the standard output");
  });
  if (!status)
    return code >= 0 ? code : agt_main_models(argc, argv, program);
  std::fflush(stdout);
  code = agt_status_code(status);
  std::string place = agt_status_place(status);
  std::fprintf(
      stderr, "%s%s: %s\n", place.empty() ? "" : (place + ": ").c_str(),
      code == AGT_WAITING ? "waiting" : "error", agt_status_message(status));
  agt_status_release(status);
  return code;
}

agt_status agt_agent_start(const agt_program *program, const agt_agents *agents,
                           uint32_t agent, const char *db, const char *run_id,
                           const char *args_json, char **result_json) {
  return guard([&] {
    AgentProgram declared(program, *agents);
    const AgentDecl &decl = declared.agents.at(agent);
    std::unique_ptr<Exporter> traces =
        openExporter(titleOf(declared), declared.hash);
    std::unique_ptr<StepLog> log = openStepLog(db ? db : "");
    Runner runner(declared, *log);
    bool given = args_json && *args_json;
    std::string id = run_id && *run_id ? run_id : newRunId();
    std::string args; // those of the log, where the run is known
    if (given || !log->run(id)) {
      Json parsed;
      try {
        parsed = parseJson(given ? args_json : "{}");
      } catch (StepFailure &failure) {
        fail(AGT_BAD_INPUT, "the arguments are " + failure.message);
      }
      args = checkArguments(declared, decl, parsed);
    }
    runner.create(id, decl, args, given);
    ExecutionOptions how;
    how.spans = traces.get();
    RunOutcome outcome = runner.resume(id, how);
    if (outcome.code != AGT_OK)
      fail(outcome.code, outcome.message, outcome.place);
    *result_json = strdup(outcome.result.c_str());
  });
}

void agt_text_release(char *text) { std::free(text); }
