// Runs of the test agents in this process: replay, forks, waits, children.
#include "unittests/Agent/EngineFixture.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace agt::rt;
using namespace agt::rt::test;

namespace {

TEST_F(EngineTest, AChainLogsIntentsAndResults) {
  RunOutcome outcome = start("chain", R"({"n": 2})");
  EXPECT_EQ(outcome.message, "");
  EXPECT_EQ(outcome.result, "\"noted 0;noted 1;\"");
  EXPECT_EQ(ledger(), (Lines{"0", "1"}));
  EXPECT_EQ(kinds(),
            (Lines{"run_started", "claimed", "intent i#0/r", "result i#0/r",
                   "intent i#1/r", "result i#1/r", "run_done"}));
  EXPECT_EQ(log->run("r")->status, RunStatus::Done);
  // The same ID again gives the same answer and does nothing.
  EXPECT_EQ(resume().result, outcome.result);
  EXPECT_EQ(replay().result, outcome.result);
  EXPECT_EQ(ledger().size(), 2u);
}

TEST_F(EngineTest, AChainOfEffectsCostsOneCommitMore) {
  Runner runner(program, *log);
  const AgentDecl &chain = *program.agent("chain");
  runner.create("r", chain, R"({"n":7})", true);
  int64_t before = runner.commits();
  runner.resume("r", {});
  EXPECT_EQ(runner.commits() - before, 7 + 1);
}

TEST_F(EngineTest, TheTokenIsThatOfTheDocument) {
  start("chain", R"({"n": 1})");
  // sha256 over each field's length (8 bytes, little end first) and bytes:
  // "agt1", "r", "i#0/r", {"text":"0"}.
  std::string token = log->events("r", 0)[2].token;
  EXPECT_EQ(token, "62288eb1b4379aa63bca144a14db8003"
                   "916c7790a365c545fc6fc08a0a831d07");
  EXPECT_EQ(dir.read("ledger"), token + " 0\n");
}

TEST_F(EngineTest, BranchesRunAtTheSameTime) {
  auto begin = std::chrono::steady_clock::now();
  RunOutcome outcome =
      start("race", R"({"xs": ["sleep 1; echo a", "sleep 1; echo b",
                    "sleep 1; echo c"], "policy": 0, "n": 0, "ms": 0})");
  auto end = std::chrono::steady_clock::now();
  EXPECT_EQ(outcome.result, R"("[\"a\\n\",\"b\\n\",\"c\\n\"]")");
  EXPECT_LT(end - begin, std::chrono::milliseconds(2500));
}

TEST_F(EngineTest, WhatBranchesBuildOnIsInTheLogFirst) {
  // A crash between the two would ask again for what the branches had used.
  EXPECT_EQ(start("builds", R"({"xs": ["x", "y"]})").message, "");
  Lines all = kinds();
  auto at = [&](const std::string &line) {
    return std::find(all.begin(), all.end(), line) - all.begin();
  };
  EXPECT_EQ(at("result a"), 3);
  EXPECT_LT(at("result a"), at("intent found[x]/r"));
  EXPECT_LT(at("result a"), at("intent found[y]/r"));
}

TEST_F(EngineTest, AForkGivesDeclaredOrder) {
  RunOutcome outcome = start("forked", R"({"xs": ["z", "a b", "m"]})");
  EXPECT_EQ(outcome.message, "");
  EXPECT_EQ(outcome.result,
            R"("[\"noted z a+noted z b\",\"noted a b a+noted a b b\",)"
            R"(\"noted m a+noted m b\"] noted end")");
  Lines all = kinds();
  EXPECT_TRUE(std::count(all.begin(), all.end(), "result found[a%20b]/b"));
  EXPECT_EQ(all[all.size() - 4], "decision found");
  EXPECT_EQ(all[all.size() - 3], "intent last");
  EXPECT_EQ(ledger().size(), 7u);
  EXPECT_EQ(replay().result, outcome.result);
}

TEST_F(EngineTest, EqualKeysFailBeforeABranchStarts) {
  RunOutcome outcome = start("forked", R"({"xs": ["x", "y", "x"]})");
  EXPECT_EQ(outcome.code, AGT_FAILED);
  EXPECT_EQ(outcome.message,
            "found: two branches of the fork have the key \"x\"");
  EXPECT_TRUE(ledger().empty());
}

TEST_F(EngineTest, FirstTakesTheWinnerAndCancelsTheRest) {
  auto begin = std::chrono::steady_clock::now();
  RunOutcome outcome =
      start("race",
            R"({"xs": ["sleep 9", "echo won", "sleep 9"], "policy": 3, "n": 0,
          "ms": 0})");
  EXPECT_EQ(outcome.result, "\"won\\n\"");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(replay().result, outcome.result);
}

TEST_F(EngineTest, QuorumAndCollect) {
  EXPECT_EQ(start("race",
                  R"({"xs": ["echo a", "exit 3", "sleep 9"], "policy": 2,
                      "n": 1, "ms": 0})")
                .message,
            "");
  EXPECT_EQ(start("race",
                  R"({"xs": ["echo a", "exit 3"], "policy": 1, "n": 1,
                      "ms": 0})",
                  "s")
                .result,
            R"("[{\"error\":null,\"key\":\"0\",\"ok\":true,\"value\":)"
            R"(\"a\\n\"},{\"error\":\"exit 3\",\"key\":\"1\",\"ok\":false,)"
            R"(\"value\":null}]")");
  EXPECT_EQ(start("race",
                  R"({"xs": ["echo a", "exit 3", "exit 4"], "policy": 1,
                      "n": 2, "ms": 0})",
                  "t")
                .message,
            "won: fewer than 2 branches succeeded; the branch \"1\" failed: "
            "exit 3");
  EXPECT_EQ(start("race",
                  R"({"xs": ["echo a", "exit 3"], "policy": 0, "n": 0,
                      "ms": 0})",
                  "u")
                .message,
            "won: the branch \"1\" failed: exit 3");
}

TEST_F(EngineTest, CollectTakesWhatIsThereAtItsDeadline) {
  RunOutcome outcome =
      start("race", R"({"xs": ["echo a", "sleep 9"], "policy": 1, "n": 1,
                        "ms": 700})");
  EXPECT_EQ(outcome.result,
            R"("[{\"error\":null,\"key\":\"0\",\"ok\":true,\"value\":)"
            R"(\"a\\n\"},{\"error\":\"too late\",\"key\":\"1\",\"ok\":false,)"
            R"(\"value\":null}]")");
  EXPECT_EQ(replay().result, outcome.result);
  EXPECT_EQ(start("race",
                  R"({"xs": ["echo a", "sleep 9"], "policy": 0, "n": 0,
                      "ms": 300})",
                  "s")
                .message,
            "won: the fork's deadline came when 1 of 2 branches had succeeded");
}

TEST_F(EngineTest, AnApprovalIsARow) {
  RunOutcome outcome = start("gate", R"({"ms": 3600000})");
  EXPECT_EQ(outcome.code, AGT_WAITING);
  EXPECT_EQ(outcome.message, "approval at 'go'");
  EXPECT_EQ(log->run("r")->status, RunStatus::Waiting);
  EXPECT_EQ(resume().code, AGT_WAITING);
  say(EventKind::Approval, "go", "true");
  EXPECT_EQ(resume().result, "\"noted before noted after\"");
  EXPECT_EQ(ledger(), (Lines{"before", "after"}));
  EXPECT_EQ(replay().result, "\"noted before noted after\"");
}

TEST_F(EngineTest, AnApprovalHasADeadline) {
  EXPECT_EQ(start("gate", R"({"ms": 100})").code, AGT_WAITING);
  usleep(150000);
  EXPECT_EQ(resume().result, "\"no\"");
  EXPECT_EQ(ledger(), (Lines{"before"}));
}

TEST_F(EngineTest, SleepsAndSignals) {
  EXPECT_EQ(start("waits", R"({"ms": 200})").message, "sleep at 'sleep'");
  EXPECT_FALSE(log->run("r")->wake.empty());
  say(EventKind::Signal, "", "\"hello\"", "\"word\"");
  EXPECT_EQ(resume().message, "sleep at 'sleep'");
  usleep(250000);
  EXPECT_EQ(resume().result, "\"hello\"");
  EXPECT_EQ(replay().result, "\"hello\"");
  EXPECT_EQ(start("waits", R"({"ms": 0})", "s").message,
            "signal word at 'word'");
}

TEST_F(EngineTest, AChildsStepsAreBelowIt) {
  RunOutcome outcome = start("parent", R"({"n": 1})");
  EXPECT_EQ(outcome.result, "\"noted 0;|noted 0;noted 1;\"");
  Lines all = kinds();
  EXPECT_TRUE(std::count(all.begin(), all.end(), "result s/chain/i#1/r"));
  EXPECT_TRUE(std::count(all.begin(), all.end(), "result s"));
  EXPECT_EQ(replay().result, outcome.result);
}

TEST_F(EngineTest, ReadingsAreRecorded) {
  dir.write("file", "content");
  RunOutcome outcome =
      start("reads", "{\"path\": \"" + dir.path("file") + "\"}");
  EXPECT_EQ(outcome.message, "");
  dir.write("file", "other");
  EXPECT_EQ(replay().result, outcome.result);
  EXPECT_NE(outcome.result.find(dir.path("ledger") + " content"),
            std::string::npos);
  EXPECT_EQ(start("reads", R"({"path": "/nowhere"})", "s").code, AGT_FAILED);
}

TEST_F(EngineTest, ReplayWithOtherArgumentsStops) {
  unsetenv("CHANGED");
  EXPECT_EQ(start("changed", "{}").code, AGT_WAITING);
  setenv("CHANGED", "new", 1);
  RunOutcome outcome = resume();
  unsetenv("CHANGED");
  EXPECT_EQ(outcome.code, AGT_FAILED);
  EXPECT_EQ(outcome.message,
            "replay of run 'r' differs at the step 'r': the log has the "
            "arguments {\"text\":\"old\"}, the program now gives "
            "{\"text\":\"new\"}");
  EXPECT_EQ(ledger(), (Lines{"old"}));
  // Nothing is lost: the right program goes on.
  say(EventKind::Approval, "go", "true");
  EXPECT_EQ(resume().result, "\"noted old\"");
}

TEST_F(EngineTest, ARenamedStepKeepsItsIdentity) {
  unsetenv("CHANGED");
  EXPECT_EQ(start("renamed", "{}").code, AGT_WAITING);
  setenv("CHANGED", "yes", 1);
  say(EventKind::Approval, "go", "true");
  EXPECT_EQ(resume().result, "\"[\\\"noted a\\\"]\"");
  EXPECT_EQ(ledger(), (Lines{"a"}));
  // A new run has the new name.
  start("renamed", "{}", "s");
  unsetenv("CHANGED");
  Lines all = kinds("s");
  EXPECT_TRUE(std::count(all.begin(), all.end(), "result new[a]/r"));
}

TEST_F(EngineTest, ARunsEndsWithTheBudgetOfSteps) {
  RunOutcome outcome = start("again", R"({"n": 9})");
  EXPECT_EQ(outcome.code, AGT_FAILED);
  EXPECT_EQ(outcome.message, "i#5/r: the budget of again is exhausted: 5 "
                             "steps, after 5 steps and 0 tokens");
  EXPECT_EQ(ledger().size(), 5u);
}

TEST_F(EngineTest, CancelKillsWhatRuns) {
  auto begin = std::chrono::steady_clock::now();
  std::thread canceller([&] {
    while (ledger().empty())
      usleep(10000);
    say(EventKind::Cancel, "", "");
  });
  RunOutcome outcome =
      start("runs",
            R"({"code": "echo x y >> $LEDGER; sleep 30; echo z >> $LEDGER"})");
  canceller.join();
  EXPECT_EQ(outcome.code, AGT_CANCELLED);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  EXPECT_EQ(log->run("r")->status, RunStatus::Cancelled);
  EXPECT_EQ(ledger().size(), 1u);
}

TEST_F(EngineTest, AToolThatIsKilledAtItsLimitParksOnce) {
  auto begin = std::chrono::steady_clock::now();
  RunOutcome outcome = start("slow", R"({"code": "sleep 30 & wait"})");
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            std::chrono::milliseconds(2000));
  EXPECT_EQ(outcome.code, AGT_WAITING);
  EXPECT_EQ(outcome.message,
            "the step 'o' is parked: nobody knows whether the tool 'slow' has "
            "acted: 'slow' was killed after 1.000 s");
  EXPECT_EQ(log->run("r")->status, RunStatus::Parked);
  say(EventKind::Result, "o", "\"done by hand\"");
  EXPECT_EQ(resume().result, "\"done by hand\"");
}

} // namespace
