// start, resume, replay: a run in this process, its answer on stdout.
#include "runtime/Cli/AgentCommands.h"
#include "runtime/Cli/AgentStats.h"
#include "runtime/Cli/StatsForm.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Text.h"

#include <cstdio>
#include <unistd.h>

namespace agt::rt {

namespace {

const AgentDecl &needAgent(const AgentProgram &program,
                           const std::string &name) {
  if (const AgentDecl *agent = program.agent(name))
    return *agent;
  std::vector<std::string> names;
  for (const AgentDecl &agent : program.agents)
    names.push_back(agent.name);
  std::string guess = didYouMean(name, names);
  fail(AGT_BAD_INPUT,
       "the program has no agent '" + name + "'" +
           (guess.empty() ? ", it has " + listText(names) : guess));
}

Json parseArgument(const std::string &what, std::string_view text) {
  try {
    return parseJson(text);
  } catch (StepFailure &failure) {
    fail(AGT_BAD_INPUT, what + " is " + failure.message);
  }
}

// A string parameter takes the text as it is, any other type JSON.
Json argumentsOf(const AgentProgram &program, const AgentDecl &agent,
                 const AgentOptions &options) {
  Json given = Json::object();
  if (!options.argsFile.empty()) {
    if (!options.args.empty())
      fail(AGT_BAD_INPUT, "expected --arg or --args, got both");
    MappedFile file(options.argsFile);
    return parseArgument(
        "'" + options.argsFile + "'",
        {reinterpret_cast<const char *>(file.data()), file.size()});
  }
  for (const std::string &word : options.args) {
    size_t equals = word.find('=');
    if (equals == std::string::npos)
      fail(AGT_BAD_INPUT, "expected --arg NAME=VALUE, got '" + word + "'");
    std::string name = word.substr(0, equals), text = word.substr(equals + 1);
    const ParamDecl *param = nullptr;
    for (const ParamDecl &candidate : agent.params)
      if (candidate.name == name)
        param = &candidate;
    bool isText =
        param && program.types->at(param->type).kind == TypeKind::String;
    if (isText && findInvalidUtf8(text) != std::string::npos)
      fail(AGT_BAD_INPUT, "the argument '" + name + "' is not UTF-8");
    given[name] = isText  ? Json(text)
                  : param ? parseArgument("the argument '" + name + "'", text)
                          : Json();
  }
  return given;
}

ExecutionOptions showing() {
  ExecutionOptions options;
  if (isatty(STDERR_FILENO))
    options.onEmit = [](const std::string &path, const std::string &text) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(), text.c_str());
    };
  return options;
}

// What a person can do about each wait.
std::string hint(const std::string &exe, const std::string &id,
                 const PendingWait &wait) {
  std::string step = " " + id + " " + wait.path + " ";
  std::string until =
      wait.until.empty()
          ? ""
          : " (until " + wallText(Instant::parse(wait.until).wallMs) + ")";
  if (wait.parked)
    return "  " + wait.path + " is parked: " + wait.what + "\n    " + exe +
           " resolve" + step + "retry | skip JSON | fail\n";
  if (wait.what == "approval")
    return "  " + wait.path + " asks for an approval" + until + "\n    " + exe +
           " approve" + step + "yes|no\n";
  if (wait.what == "sleep")
    return "  " + wait.path + " sleeps" + until + "\n";
  std::string name = wait.what.substr(wait.what.find(' ') + 1);
  return "  " + wait.path + " waits for the signal " + name + until + "\n    " +
         exe + " signal " + id + " " + name + " JSON\n";
}

// Of runs that fail or wait as well.
void report(const AgentProgram &program, const AgentOptions &given,
            const RunFigures &figures) {
  if (given.stats.empty() && given.trace.empty())
    return;
  std::vector<LocalModelFigures> models;
  if (program.program)
    models = localModelFigures(*program.program);
  writeStats(given.stats, agentStatsJson(models, figures.joins()),
             agentStatsText(models, figures.joins()));
  if (given.trace.empty())
    return;
  OutputFile file(given.trace);
  file.write(agentTraceJson(models));
  file.commit();
}

int show(const RunOutcome &outcome, const std::string &id,
         const std::string &exe) {
  if (outcome.code == AGT_OK) {
    printText(outcome.result + "\n");
    return AGT_OK;
  }
  if (outcome.code == AGT_WAITING && !outcome.waits.empty()) {
    std::string text = "waiting: the run '" + id + "'\n";
    for (const PendingWait &wait : outcome.waits)
      text += hint(exe, id, wait);
    std::fputs(text.c_str(), stderr);
    return AGT_WAITING;
  }
  fail(outcome.code, outcome.message, outcome.place);
}

} // namespace

int resumeCommand(const AgentProgram &program, StepLog &log,
                  const std::string &id, const AgentOptions &given,
                  const std::string &exe, SpanSink *spans) {
  if (!given.trace.empty())
    checkWritable(given.trace);
  Runner runner(program, log);
  RunFigures figures;
  ExecutionOptions options = showing();
  options.spans = spans;
  if (!given.stats.empty())
    options.figures = &figures;
  RunOutcome outcome = runner.resume(id, options);
  report(program, given, figures);
  return show(outcome, id, exe);
}

std::string createRun(const AgentProgram &program, StepLog &log,
                      const AgentOptions &options, const std::string &owner) {
  const AgentDecl &agent = needAgent(program, options.words[0]);
  std::string id = options.run;
  bool given = !options.args.empty() || !options.argsFile.empty();
  bool known = !id.empty() && log.run(id);
  // The same ID again is the same run: its arguments are in the log.
  std::string args = known && !given
                         ? ""
                         : checkArguments(program, agent,
                                          argumentsOf(program, agent, options));
  if (id.empty())
    id = newRunId();
  Runner(program, log).create(id, agent, args, given, owner);
  return id;
}

int startCommand(const AgentProgram &program, StepLog &log,
                 const AgentOptions &options, const std::string &exe,
                 SpanSink *spans) {
  std::string id = createRun(program, log, options, thisProcess());
  if (options.run.empty())
    std::fprintf(stderr, "run %s\n", id.c_str());
  return resumeCommand(program, log, id, options, exe, spans);
}

int replayCommand(const AgentProgram &program, StepLog &log,
                  const std::string &id) {
  Runner runner(program, log);
  return show(runner.replay(id), id, "");
}

} // namespace agt::rt
