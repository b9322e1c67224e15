// What tests of the engine share: the test agents on a log of their own.
#ifndef AGT_UNITTESTS_AGENT_ENGINEFIXTURE_H
#define AGT_UNITTESTS_AGENT_ENGINEFIXTURE_H

#include "runtime/Agent/Runner.h"
#include "runtime/Log/SqliteLog.h"
#include "unittests/Agent/TestAgents.h"
#include "unittests/Runtime/TempDir.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace agt::rt::test {

using Lines = std::vector<std::string>;

class EngineTest : public testing::Test {
protected:
  EngineTest() {
    setenv("LEDGER", dir.path("ledger").c_str(), 1);
    log = openSqliteLog({dir.path("log.db"), ""});
  }

  RunOutcome start(const std::string &agent, const std::string &args,
                   const std::string &id = "r") {
    Runner runner(program, *log);
    const AgentDecl &decl = *program.agent(agent);
    runner.create(id, decl, checkArguments(program, decl, parseJson(args)),
                  true);
    return runner.resume(id, {});
  }
  RunOutcome resume(const std::string &id = "r") {
    return Runner(program, *log).resume(id, {});
  }
  RunOutcome replay(const std::string &id = "r") {
    return Runner(program, *log).replay(id);
  }
  void say(EventKind kind, const std::string &path, const std::string &result,
           const std::string &args = "") {
    Event event = makeEvent(kind, path);
    event.result = result;
    event.args = args;
    Write write;
    write.run = "r";
    write.events.push_back(event);
    ASSERT_EQ(log->commit({&write}).front(), Written::Yes);
  }

  // What the world has seen, in order, without the tokens.
  std::vector<std::string> ledger() {
    std::istringstream lines(dir.read("ledger"));
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);)
      all.push_back(line.substr(line.find(' ') + 1));
    return all;
  }
  std::vector<std::string> kinds(const std::string &id = "r") {
    std::vector<std::string> all;
    for (const Event &event : log->events(id, 0))
      all.push_back(std::string(eventKindName(event.kind)) +
                    (event.path.empty() ? "" : " " + event.path));
    return all;
  }

  TempDir dir;
  AgentProgram program{&testAgentProgram, testAgents};
  std::unique_ptr<StepLog> log;
};

} // namespace agt::rt::test

#endif // AGT_UNITTESTS_AGENT_ENGINEFIXTURE_H
