// The command line of a program with agents: its texts and exit codes, on both
// databases.
#include "unittests/Agent/PostgresServer.h"
#include "unittests/Runtime/TempDir.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <regex>

using agt::rt::test::PostgresServer;
using agt::rt::test::TempDir;

namespace {

class AgentCli : public testing::TestWithParam<const char *> {
protected:
  AgentCli() {
    if (std::string(GetParam()) != "postgres")
      return;
    PostgresServer::get().fresh();
    database = "AGT_DB='" + PostgresServer::get().url() + "' ";
  }
  // Standard output, standard error and the exit code, in this order.
  std::string run(const std::string &words) {
    std::string command = "cd " + dir.folder + " && LEDGER=ledger " + database +
                          AGT_TEST_AGENTS + " " + words +
                          " 2>err >out; code=$?; cat out err; echo \"[$code]\"";
    FILE *pipe = popen(command.c_str(), "r");
    std::string all;
    std::array<char, 4096> buffer;
    while (size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
      all.append(buffer.data(), n);
    pclose(pipe);
    // Times are those of the machine.
    return std::regex_replace(all, std::regex("20[0-9-]{8}T[0-9:.]{12}Z"),
                              "TIME");
  }
  TempDir dir;
  std::string database; // "": the file that is the default
};
INSTANTIATE_TEST_SUITE_P(All, AgentCli, testing::Values("sqlite", "postgres"),
                         [](const auto &info) { return info.param; });

TEST_P(AgentCli, StartsWaitsAndGoesOn) {
  EXPECT_EQ(run("start gate --run g --arg ms=3600000"),
            "waiting: the run 'g'\n  go asks for an approval (until TIME)\n"
            "    agt-test-agents approve g go yes|no\n[3]\n");
  EXPECT_EQ(run("start gate --run g"), run("resume g"));
  EXPECT_EQ(run("runs"), "g                    gate             waiting     "
                         "TIME\n[0]\n");
  EXPECT_EQ(run("approve g stop yes"),
            "error: the run 'g' has no open approval 'stop', it has go\n[2]\n");
  EXPECT_EQ(run("approve g go maybe"),
            "error: expected yes or no, got 'maybe'\n[2]\n");
  EXPECT_EQ(run("approve g go yes --by me"), "[0]\n");
  EXPECT_EQ(run("approve g go no"),
            "error: the run 'g' has no open approval 'go', it has none\n[2]\n");
  EXPECT_EQ(run("resume g"), "\"noted before noted after\"\n[0]\n");
  EXPECT_EQ(run("start gate --run g --arg ms=1"),
            "error: the run 'g' was started with other arguments: "
            "{\"ms\":3600000}\n[2]\n");
  EXPECT_EQ(run("cancel g"), "error: the run 'g' is over: it is done\n[2]\n");
  EXPECT_EQ(run("replay g"), "\"noted before noted after\"\n[0]\n");
  EXPECT_EQ(run("fork g --at b --run h"), "h\n[0]\n");
  EXPECT_EQ(run("replay h"),
            "waiting: the log of run 'h' ends before the step 'b'\n[3]\n");
  EXPECT_EQ(run("resume h"), "\"noted before noted after\"\n[0]\n");
}

TEST_P(AgentCli, CancelsSignalsAndResolves) {
  run("start waits --run w --arg ms=0");
  EXPECT_EQ(run("signal w word 5x"),
            "error: '5x' is not JSON, at byte 2: syntax error while parsing "
            "value - invalid literal; last read: '5x'; expected end of "
            "input\n[2]\n");
  EXPECT_EQ(run("signal w word '\"now\"'"), "[0]\n");
  EXPECT_EQ(run("resume w"), "\"now\"\n[0]\n");
  EXPECT_EQ(run("watch w"), run("log w"));
  run("start waits --run v --arg ms=0");
  EXPECT_EQ(run("cancel v"), "[0]\n");
  EXPECT_EQ(run("resume v"), "error: the run 'v' was cancelled\n[4]\n");
  EXPECT_EQ(run("start slow --run s --arg code='sleep 9'"),
            "waiting: the run 's'\n  o is parked: nobody knows whether the "
            "tool 'slow' has acted: 'slow' was killed after 1.000 s\n"
            "    agt-test-agents resolve s o retry | skip JSON | fail\n[3]\n");
  EXPECT_EQ(run("resolve s o skip 5"),
            "error: the value does not fit the step: expected string in the "
            "value, got 5\n[2]\n");
  EXPECT_EQ(run("resolve s o fail"), "[0]\n");
  EXPECT_EQ(run("resume s").rfind("test.agt:1:1: error: o: failed by ", 0), 0u);
}

TEST_P(AgentCli, ExportsAndImports) {
  run("start chain --run c --arg n=2");
  EXPECT_EQ(run("export c >c.jsonl; cat c.jsonl | wc -l"), "8\n[0]\n");
  EXPECT_EQ(run("import c.jsonl"), "error: there is a run 'c' already\n[2]\n");
  EXPECT_EQ(run("import c.jsonl --db sqlite:other.db"), "c\n[0]\n");
  EXPECT_EQ(run("resume c --db sqlite:other.db"),
            "\"noted 0;noted 1;\"\n[0]\n");
  dir.write("bad.jsonl", "{}\n");
  EXPECT_EQ(run("import bad.jsonl"),
            "error: 'bad.jsonl', line 1: expected a file that `export` has "
            "written\n[2]\n");
  EXPECT_EQ(run("gc --older 30d"), "removed 0 runs\n[0]\n");
  EXPECT_EQ(run("gc --older 0s"), "removed 1 run\n[0]\n");
  EXPECT_EQ(run("gc --older x"), "error: expected a time such as 30d, 12h, 5m "
                                 "or 10s, got 'x'\n[2]\n");
}

TEST_P(AgentCli, RunsTests) {
  setenv("MOCK",
         dir.write("m.json", R"([{"reply": {"x": 1, "y": 0}}])").c_str(), 1);
  std::string said = std::regex_replace(
      run("test"), std::regex("\\([0-9.]+ [mu]?s\\)"), "(TIME)");
  EXPECT_EQ(said, "ok one effect (TIME)\nFAILED goes wrong (TIME)\n"
                  "  test.agt:10:3: expected 2 == 3, got 2 "
                  "and 3\nok mocked (TIME)\n[1]\n");
}

TEST_P(AgentCli, SaysWhatIsWrong) {
  EXPECT_EQ(run("start chian"),
            "error: the program has no agent 'chian', did you mean 'chain'?"
            "\n[2]\n");
  EXPECT_EQ(run("start chain"),
            "error: the argument 'n' of chain is missing; its type is int"
            "\n[2]\n");
  EXPECT_EQ(run("start chain --arg n=x"),
            "error: the argument 'n' is not JSON, at byte 1: syntax error "
            "while parsing value - invalid literal; last read: 'x'\n[2]\n");
  EXPECT_EQ(run("start chain --arg n=true"),
            "error: the argument 'n': expected int in the value, got true"
            "\n[2]\n");
  EXPECT_EQ(run("start chain --arg m=1 --arg n=1"),
            "error: chain has no parameter 'm'\n[2]\n");
  EXPECT_EQ(run("start chain --arg n"),
            "error: expected --arg NAME=VALUE, got 'n'\n[2]\n");
  EXPECT_EQ(run("start chain --args x --arg n=1"),
            "error: expected --arg or --args, got both\n[2]\n");
  EXPECT_EQ(run("start chain --rum r"),
            "error: unknown option '--rum' of 'start', did you mean '--run'?"
            "\n[2]\n");
  EXPECT_EQ(run("start chain --run"),
            "error: expected a value behind '--run'\n[2]\n");
  EXPECT_EQ(run("approve x"), "error: expected 'approve ID STEP yes|no [--by "
                              "NAME]', got 1 word\n[2]\n");
  EXPECT_EQ(run("resume x"),
            "error: there is no run 'x' in the step log\n[2]\n");
  EXPECT_EQ(run("fork x"),
            "error: expected --at STEP: the step that is done anew\n[2]\n");
}

} // namespace
