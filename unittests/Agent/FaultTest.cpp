// The fault harness: the program agt-test-agents is killed at every durable
// write and every effect in turn, continued, and compared with a run that was
// not killed: the same answer, and the world has seen each effect once. On both
// databases.
#include "unittests/Agent/PostgresServer.h"
#include "unittests/Runtime/TempDir.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <vector>

using agt::rt::test::PostgresServer;
using agt::rt::test::TempDir;

namespace {

struct Ended {
  int code; // of the shell: 137 for SIGKILL
  std::string out;
};

bool onPostgres = false; // the tests with a parameter say so

class Program {
public:
  explicit Program(const TempDir &dir)
      : dir(dir), url("sqlite:" + dir.path("log.db")) {
    if (!onPostgres)
      return;
    PostgresServer::get().fresh();
    url = PostgresServer::get().url();
  }

  /// `environment` is put before the command.
  Ended run(const std::string &words, const std::string &environment = "") {
    std::string command = "env LEDGER=" + dir.path("ledger") + " AGT_DB='" +
                          url + "' " + environment + " " AGT_TEST_AGENTS " " +
                          words + " 2>>" + dir.path("errors");
    // The status of a process that was killed is the shell's to tell.
    FILE *pipe = popen((command + "; echo \"=$?\"").c_str(), "r");
    std::string all;
    std::array<char, 4096> buffer;
    while (size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
      all.append(buffer.data(), n);
    pclose(pipe);
    size_t mark = all.rfind('=');
    return {std::atoi(all.c_str() + mark + 1), all.substr(0, mark)};
  }

private:
  const TempDir &dir;
  std::string url;
};

class FaultOn : public testing::TestWithParam<const char *> {
protected:
  FaultOn() { onPostgres = std::string(GetParam()) == "postgres"; }
  ~FaultOn() override { onPostgres = false; }
};
INSTANTIATE_TEST_SUITE_P(All, FaultOn, testing::Values("sqlite", "postgres"),
                         [](const auto &info) { return info.param; });

std::vector<std::string> lines(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(stream, line);)
    all.push_back(line);
  return all;
}

// Every fail point that the command reaches, with how often.
std::map<std::string, int> failPoints(const std::string &words) {
  TempDir dir;
  Program program(dir);
  EXPECT_EQ(program.run(words, "AGT_FAIL=list:" + dir.path("points")).code, 0)
      << dir.read("errors");
  std::map<std::string, int> points;
  for (const std::string &line : lines(dir.read("points")))
    ++points[line];
  return points;
}

// Kills at each point; `effects`: what the world must have seen, each once.
void killEverywhere(const std::string &words,
                    const std::multiset<std::string> &effects,
                    bool repeatsAllowed) {
  TempDir whole;
  std::string expected = Program(whole).run(words).out;
  ASSERT_FALSE(expected.empty()) << whole.read("errors");
  int kills = 0;
  for (const auto &[point, times] : failPoints(words))
    for (int n = 1; n <= times; ++n) {
      TempDir dir;
      Program program(dir);
      std::string fail = point + "#" + std::to_string(n);
      Ended killed = program.run(words, "AGT_FAIL=" + fail);
      kills += killed.code == 137;
      Ended resumed = program.run(words);
      EXPECT_EQ(resumed.code, 0) << fail << "\n" << dir.read("errors");
      EXPECT_EQ(resumed.out, expected) << fail;
      std::multiset<std::string> seen;
      std::set<std::string> once;
      for (const std::string &line : lines(dir.read("ledger"))) {
        seen.insert(line.substr(line.find(' ') + 1));
        once.insert(line);
      }
      if (repeatsAllowed) {
        // As often as may be, but always under one token.
        EXPECT_EQ(once.size(), effects.size()) << fail;
      } else {
        EXPECT_EQ(seen, effects) << fail;
      }
    }
  EXPECT_GT(kills, 10); // a harness that kills nothing shows nothing
}

TEST_P(FaultOn, AReconciledChain) {
  killEverywhere("start chain --run r --arg n=3", {"0", "1", "2"}, false);
}

TEST_P(FaultOn, AnIdempotentChainKeepsItsTokens) {
  killEverywhere("start again --run r --arg n=3", {"0", "1", "2"}, true);
}

TEST_P(FaultOn, BranchesOfAFork) {
  killEverywhere("start forked --run r --arg 'xs=[\"u\",\"v\",\"w\"]'",
                 {"u a", "u b", "v a", "v b", "w a", "w b", "end"}, false);
}

TEST_P(FaultOn, Children) {
  killEverywhere("start parent --run r --arg n=1", {"0", "0", "1"}, false);
}

// `once`: where nobody knows, a person is asked; nothing is done twice.
TEST_P(FaultOn, OnceIsParked) {
  std::string words = "start once --run r --arg n=2";
  int parked = 0;
  for (const auto &[point, times] : failPoints(words))
    for (int n = 1; n <= times; ++n) {
      TempDir dir;
      Program program(dir);
      program.run(words, "AGT_FAIL=" + point + "#" + std::to_string(n));
      Ended resumed = program.run(words);
      for (int i = 0; i < 2; ++i) {
        std::string step = "i#" + std::to_string(i) + "/r";
        if (resumed.code != 3)
          break;
        // The person looks at the world.
        ++parked;
        bool there = dir.read("ledger").find(" " + std::to_string(i) + "\n") !=
                     std::string::npos;
        Ended said =
            program.run("resolve r " + step +
                        (there ? " skip '\"noted " + std::to_string(i) + "\"'"
                               : std::string(" retry")));
        if (said.code == 0)
          resumed = program.run("resume r");
      }
      EXPECT_EQ(resumed.code, 0) << point << "#" << n << dir.read("errors");
      EXPECT_EQ(resumed.out, "\"noted 0;noted 1;\"\n");
      std::multiset<std::string> seen;
      for (const std::string &line : lines(dir.read("ledger")))
        seen.insert(line.substr(line.find(' ') + 1));
      EXPECT_EQ(seen, (std::multiset<std::string>{"0", "1"}))
          << point << "#" << n;
    }
  EXPECT_GT(parked, 2);
}

// The disk refuses: a write or a sync fails, once or from then on. The program
// says so and stops; nothing that it had acknowledged is lost, nothing is done
// twice when it is started again.
TEST(Fault, TheDiskRefuses) {
  std::string words = "start chain --run r --arg n=3";
  int refused = 0;
  auto inject = [&](const std::string &what) {
    TempDir dir;
    Program program(dir);
    Ended ended = program.run(
        words, "strace -f -qq -o /dev/null -e trace=fdatasync,pwrite64"
               " -e inject=" +
                   what);
    if (ended.code != 0) {
      ++refused;
      std::string said = dir.read("errors");
      EXPECT_NE(said.find("the step log '" + dir.path("log.db") + "': d"),
                std::string::npos)
          << what << "\n"
          << said; // disk I/O error, database or disk is full
      EXPECT_EQ(ended.out, "") << what;
    }
    ended = program.run(words);
    EXPECT_EQ(ended.code, 0) << what << "\n" << dir.read("errors");
    EXPECT_EQ(ended.out, "\"noted 0;noted 1;noted 2;\"\n") << what;
    EXPECT_EQ(lines(dir.read("ledger")).size(), 3u) << what;
  };
  for (int n = 1; n < 14; n += 2)
    inject("fdatasync:error=EIO:when=" + std::to_string(n));
  for (int n = 4; n < 60; n += 8)
    inject("pwrite64:error=ENOSPC:when=" + std::to_string(n));
  for (int n = 30; n < 60; n += 10)
    inject("pwrite64:error=EIO:when=" + std::to_string(n) + "+");
  EXPECT_GT(refused, 10);
}

// Branches that take turns at random, killed at random, several times over (at
// a durable write, at an effect, or at any moment): the same answer whatever
// the order, no step twice. AGT_SLOW=1: 200 seeds; AGT_SEED is the first one.
TEST_P(FaultOn, RandomDelaysAndDeaths) {
  const char *slow = std::getenv("AGT_SLOW");
  int seeds = slow && std::string(slow) == "1" ? 200 : 12;
  std::string words = "start forked --run r --arg 'xs=[\"u\",\"v\",\"w\"]'";
  std::string expected;
  int deaths = 0;
  const char *given = std::getenv("AGT_SEED");
  uint32_t first = given ? uint32_t(std::strtoul(given, nullptr, 10)) : 0;
  for (int i = 0; i < seeds; ++i) {
    uint32_t seed = first + uint32_t(i);
    std::mt19937 random{seed};
    TempDir dir;
    Program program(dir);
    Ended ended{137, ""};
    for (int death = 0; death < 4 && ended.code == 137; ++death) {
      const char *points[] = {"log.after", "log.before", "effect.before",
                              "effect.after"};
      std::string point = points[random() % 4];
      std::string count = std::to_string(1 + random() % 8);
      std::string moment = "0." + std::to_string(100 + random() % 400);
      // timeout(1) ends its own life by the signal that it has sent.
      ended =
          random() % 2
              ? program.run(words, "JITTER=1 AGT_FAIL=" + point + "#" + count)
              : program.run(words, "JITTER=1 timeout -s KILL " + moment);
      deaths += ended.code == 137;
    }
    if (ended.code == 137)
      ended = program.run(words, "JITTER=1");
    EXPECT_EQ(ended.code, 0) << seed << dir.read("errors");
    if (expected.empty())
      expected = ended.out;
    EXPECT_EQ(ended.out, expected) << seed;
    std::vector<std::string> seen = lines(dir.read("ledger"));
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 7u)
        << seed;
    EXPECT_EQ(seen.size(), 7u) << seed;
  }
  EXPECT_GT(deaths, seeds / 2);
}

// The control: with asking switched off the harness must see effects twice.
TEST(Fault, NoticesAReconcileThatDoesNotAsk) {
  std::string words = "start chain --run r --arg n=3";
  int doubled = 0;
  for (const auto &[point, times] : failPoints(words))
    for (int n = 1; n <= times; ++n) {
      TempDir dir;
      Program program(dir);
      program.run(words, "AGT_FAIL=" + point + "#" + std::to_string(n));
      program.run(words, "BLIND=1");
      doubled += lines(dir.read("ledger")).size() > 3;
    }
  EXPECT_GT(doubled, 2);
}

} // namespace
