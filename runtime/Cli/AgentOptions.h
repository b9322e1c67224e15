// The command lines that are about runs of agents, split and checked.
//
// Split by hand: what a person answers may be JSON such as -5, which an option
// parser would take for an option of its own.
#ifndef AGT_RUNTIME_CLI_AGENTOPTIONS_H
#define AGT_RUNTIME_CLI_AGENTOPTIONS_H

#include <string>
#include <vector>

namespace agt::rt {

struct AgentOptions {
  std::string command;
  std::vector<std::string> words; // the positional ones
  std::string run, db, argsFile, by, at, older, concurrency, notice;
  std::string port, metrics;
  std::string stats, trace;      // stats: "text", "json", "json:FILE" or ""
  std::vector<std::string> args; // name=value
  bool json = false, help = false;
};

bool isAgentCommand(const std::string &word);
/// Fails with AGT_BAD_INPUT.
AgentOptions parseAgentOptions(const std::string &command,
                               const std::vector<std::string> &words);
/// One line a command.
std::string agentUsage(const std::string &exe);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_AGENTOPTIONS_H
