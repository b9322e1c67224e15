// See AgentOptions.h.
#include "runtime/Cli/AgentOptions.h"

#include "runtime/Cli/StatsForm.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <algorithm>

namespace agt::rt {

namespace {

struct Command {
  const char *name;
  size_t least, most; // positional words
  const char *words;
  std::vector<std::string> options; // besides --db and --help
};

const std::vector<Command> &commands() {
  static const std::vector<Command> all = {
      {"start",
       1,
       1,
       "AGENT",
       {"--run", "--arg", "--args", "--stats", "--trace"}},
      {"submit", 1, 1, "AGENT", {"--run", "--arg", "--args"}},
      {"worker", 0, 0, "", {"--concurrency", "--notice", "--metrics"}},
      {"resume", 1, 1, "ID", {"--stats", "--trace"}},
      {"runs", 0, 0, "", {"--json"}},
      {"log", 1, 1, "ID", {"--json"}},
      {"watch", 1, 1, "ID", {"--json"}},
      {"approve", 3, 3, "ID STEP yes|no", {"--by"}},
      {"resolve", 3, 4, "ID STEP retry | skip JSON | fail", {}},
      {"signal", 3, 3, "ID NAME JSON", {}},
      {"cancel", 1, 1, "ID", {}},
      {"replay", 1, 1, "ID", {}},
      {"fork", 1, 1, "ID", {"--at", "--run"}},
      {"export", 1, 1, "ID", {}},
      {"import", 1, 1, "FILE", {}},
      {"ui", 0, 0, "", {"--port"}},
      {"gc", 0, 0, "", {"--older"}},
      {"survey", 0, 0, "", {}},
      {"test", 0, 1, "", {}}};
  return all;
}

const Command *find(const std::string &name) {
  for (const Command &command : commands())
    if (name == command.name)
      return &command;
  return nullptr;
}

std::string usageOf(const Command &command) {
  std::string text = command.name;
  if (*command.words)
    text += std::string(" ") + command.words;
  for (const std::string &option : command.options)
    text += option == "--json"          ? " [--json]"
            : option == "--arg"         ? " [--arg NAME=VALUE ...]"
            : option == "--args"        ? " [--args FILE.json]"
            : option == "--run"         ? " [--run ID]"
            : option == "--by"          ? " [--by NAME]"
            : option == "--at"          ? " --at STEP"
            : option == "--older"       ? " --older 30d"
            : option == "--concurrency" ? " [--concurrency N]"
            : option == "--notice"      ? " [--notice 120s]"
            : option == "--metrics"     ? " [--metrics PORT]"
            : option == "--port"        ? " [--port N]"
            : option == "--stats"       ? " [--stats[=json[:FILE]]]"
            : option == "--trace"       ? " [--trace FILE.json]"
                                        : "";
  return text;
}

/// What agtc calls.
bool isHidden(const Command &command) {
  return command.name == std::string("test") ||
         command.name == std::string("survey");
}

} // namespace

bool isAgentCommand(const std::string &word) { return find(word) != nullptr; }

std::string agentUsage(const std::string &exe) {
  std::string text;
  for (const Command &command : commands())
    if (!isHidden(command))
      text += "       " + exe + " " + usageOf(command) + " [--db URL]\n";
  return text;
}

AgentOptions parseAgentOptions(const std::string &name,
                               const std::vector<std::string> &words) {
  const Command &command = *find(name);
  AgentOptions options;
  options.command = name;
  std::vector<std::string> known = command.options;
  known.push_back("--db");
  known.push_back("--help");
  for (size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (word.rfind("--", 0) != 0 || word.size() == 2) {
      options.words.push_back(word);
      continue;
    }
    std::string option = word.substr(0, word.find('='));
    if (std::find(known.begin(), known.end(), option) == known.end())
      fail(AGT_BAD_INPUT, "unknown option '" + option + "' of '" + name + "'" +
                              didYouMean(option, known));
    if (option == "--json") {
      options.json = true;
      continue;
    }
    if (option == "--help") {
      options.help = true;
      continue;
    }
    if (option == "--stats") {
      bool bare = option.size() == word.size();
      options.stats = bare ? "text" : word.substr(option.size() + 1);
      if (options.stats.empty())
        refuseStatsForm("");
      checkStatsForm(options.stats);
      continue;
    }
    std::string value;
    if (option.size() < word.size())
      value = word.substr(option.size() + 1);
    else if (++i < words.size())
      value = words[i];
    else
      fail(AGT_BAD_INPUT, "expected a value behind '" + option + "'");
    if (option == "--arg")
      options.args.push_back(value);
    else
      (option == "--run"           ? options.run
       : option == "--db"          ? options.db
       : option == "--args"        ? options.argsFile
       : option == "--by"          ? options.by
       : option == "--at"          ? options.at
       : option == "--concurrency" ? options.concurrency
       : option == "--notice"      ? options.notice
       : option == "--metrics"     ? options.metrics
       : option == "--port"        ? options.port
       : option == "--trace"       ? options.trace
                                   : options.older) = value;
  }
  if (!options.help && (options.words.size() < command.least ||
                        options.words.size() > command.most))
    fail(AGT_BAD_INPUT, "expected '" + usageOf(command) + "', got " +
                            std::to_string(options.words.size()) +
                            (options.words.size() == 1 ? " word" : " words"));
  return options;
}

} // namespace agt::rt
