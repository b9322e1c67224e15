// A program under mpirun: a rank for each position, over TCP on loopback.
#include "unittests/Runtime/ProgramTest.h"

#include <chrono>
#include <nlohmann/json.hpp>

using Json = nlohmann::json;

namespace {

class Mpi : public ProgramTest {
protected:
  Mpi() : ProgramTest(AGT_TEST_RING) {}

  // "CODE: stdout|first line of stderr" of ranks that are started so.
  std::string start(const std::string &ranks) {
    std::string command = "cd " + dir.folder + " && " + MpiRuns::command +
                          ranks + " >" + dir.path(".out") + " 2>" +
                          dir.path(".err") + " </dev/null";
    int status = system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status)) << command;
    std::string errors = dir.read(".err");
    return std::to_string(WEXITSTATUS(status)) + ": " + dir.read(".out") + "|" +
           errors.substr(0, errors.find('\n'));
  }
  std::string ranks(int n, const std::string &arguments,
                    const std::string &more = "") {
    return "-n " + std::to_string(n) + " " + more + " " + program + " " +
           arguments;
  }
};

TEST_F(Mpi, GivesTheBitsOfOneProcess) {
  for (int n : {0, 3, 2999, 300001}) {
    numbers("x.npy", n);
    ASSERT_EQ(run("run ring --in x=x.npy --out y=one.npy"), "0: |");
    ASSERT_EQ(start(ranks(4, "run ring --in x=x.npy --out y=four.npy")),
              "0: |");
    EXPECT_EQ(dir.read("four.npy"), dir.read("one.npy")) << n;
  }
}

TEST_F(Mpi, ReportsAllRanksAtRank0) {
  numbers("x.npy", 2998);
  ASSERT_EQ(start(ranks(4, "run ring --in x=x.npy --out y=y.npy --repeat 2 "
                           "--link-rate cp=100KB/s --stats=json:s.json "
                           "--trace t.json")),
            "0: |");
  Json stats = Json::parse(dir.read("s.json"));
  EXPECT_EQ(stats["positions"], 4);
  EXPECT_EQ(stats["times_s"].size(), 2u);
  EXPECT_GE(stats["time_s"], 0.089);
  EXPECT_EQ(stats["bytes_moved"], 3 * 4 * 2998);
  EXPECT_GE(stats["transfer_time_s"], 4 * 0.089);
  EXPECT_EQ(stats["hops"], 16);
  EXPECT_EQ(stats["kv_peak_memory"], Json({5996, 6000, 6000, 6000}));
  Json trace = Json::parse(dir.read("t.json"));
  size_t shifts = 0;
  for (const Json &event : trace["traceEvents"])
    shifts += event["name"] == "shift";
  EXPECT_EQ(shifts, 2 * 12u);
}

TEST_F(Mpi, RanksMayBeSlowAndLate) {
  numbers("x.npy", 3001);
  ASSERT_EQ(run("run ring --in x=x.npy --out y=one.npy"), "0: |");
  std::string late = "sh -c 'sleep 1; exec \"$@\"' late ";
  std::string rest = " run ring --in x=x.npy --out y=four.npy";
  ASSERT_EQ(start("-n 1 " + late + program + rest +
                  " : -n 2 -x AGT_TEST_DELAY=20000 " + program + rest +
                  " : -n 1 " + program + rest),
            "0: |");
  EXPECT_EQ(dir.read("four.npy"), dir.read("one.npy"));
}

TEST_F(Mpi, RefusesRanksThatDoNotFit) {
  numbers("x.npy", 100);
  std::string line = "run ring --in x=x.npy";
  EXPECT_EQ(start(ranks(3, line)),
            "2: |error: graph 'ring' has 4 positions, mpirun has started 3 "
            "ranks: use 'mpirun -n 4'");
  EXPECT_EQ(start(ranks(1, line)),
            "2: |error: graph 'ring' has 4 positions, mpirun has started 1 "
            "rank: use 'mpirun -n 4'");
  EXPECT_EQ(start(ranks(2, "run add_one --in x=x.npy")),
            "2: |error: graph 'add_one' runs on one device, mpirun has started "
            "2 ranks");
  EXPECT_EQ(
      start(ranks(3, line) + " : " + ranks(1, "run ring --in x=other.npy")),
      "2: |error: rank 3 was started with 'run ring --in x=other.npy', "
      "rank 0 with 'run ring --in x=x.npy': all ranks need the same "
      "command line");
  EXPECT_EQ(
      start(ranks(3, line) + " : " + ranks(1, line, "-x AGT_TEST_HASH=4567")),
      "2: |error: rank 3 runs 'ring' (4567), rank 0 runs 'ring' (0123): "
      "all ranks need the same program");
}

TEST_F(Mpi, FailsOnAllRanks) {
  EXPECT_EQ(start(ranks(4, "run ring --in x=none.npy")),
            "2: |error: cannot read 'none.npy': No such file or directory");
  numbers("x.npy", 100);
  EXPECT_EQ(start(ranks(4, "run ring --in x=x.npy --devices "
                           "cpu,cpu,null,cpu")),
            "5: |ring.agt:4:10: error: position 2: kernel 'meet' cannot run on "
            "'null device': it needs SPIR-V, which this program was compiled "
            "without (agtc --target)");
  EXPECT_EQ(
      start(ranks(4, "run ring --in x=x.npy", "-x AGT_MPI_LIBRARY=libnone.so")),
      "5: |error: cannot open 'libnone.so', which a run under mpirun "
      "needs: install the package libopenmpi3");
}

// Rank 2 dies in the middle of its work, the others wait for it.
TEST_F(Mpi, ADeadRankEndsTheOthers) {
  numbers("x.npy", 3001);
  std::string rest = " run ring --in x=x.npy --out y=y.npy";
  std::string dying = "sh -c '(sleep 3; kill -9 $$) & exec \"$@\"' dying ";
  auto begin = std::chrono::steady_clock::now();
  std::string text = start("-n 2 " + std::string(program) + rest +
                           " : -n 1 -x AGT_TEST_DELAY=2000000000 " + dying +
                           program + rest + " : -n 1 " + program + rest);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 3 + 10);
  EXPECT_EQ(text.substr(0, 5), "137: ");
  EXPECT_NE(dir.read(".err").find("process rank 2"), std::string::npos)
      << dir.read(".err");
  EXPECT_EQ(dir.read("y.npy"), "");
}

} // namespace
