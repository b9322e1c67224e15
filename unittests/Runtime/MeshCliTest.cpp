// The command line of a program with a graph on a mesh: whole texts and exit
// codes, and what --stats and --trace say.
#include "unittests/Runtime/ProgramTest.h"

#include <nlohmann/json.hpp>

using Json = nlohmann::json;

namespace {

class MeshCli : public ProgramTest {
protected:
  MeshCli() : ProgramTest(AGT_TEST_RING) {}
};

TEST_F(MeshCli, RefusesBadDevicesAndRates) {
  EXPECT_EQ(run("run ring --devices cpu,cpu,cpu,cpu,cpu"),
            "2: |error: graph 'ring' has 4 positions, got 5 devices: "
            "'cpu,cpu,cpu,cpu,cpu'\n");
  EXPECT_EQ(run("run ring --devices cpu,gpu"),
            "2: |error: expected auto, cpu, vulkan, vulkan:N or null as the "
            "device, got 'gpu'\n");
  EXPECT_EQ(run("run ring --devices cpu --device cpu"),
            "2: |error: expected --device or --devices, got both\n");
  EXPECT_EQ(run("run ring --link-rate cp"),
            "2: |error: expected AXIS=RATE, such as cp=50MB/s, behind "
            "'--link-rate', got 'cp'\n");
  EXPECT_EQ(run("run ring --link-rate cp=0MB/s"),
            "2: |error: expected AXIS=RATE, such as cp=50MB/s, behind "
            "'--link-rate', got 'cp=0MB/s'\n");
  EXPECT_EQ(run("run ring --link-rate tp=1MB/s"),
            "2: |error: graph 'ring' has no axis 'tp', it has cp\n");
  EXPECT_EQ(run("run ring --link-rate cp=1MB/s --link-rate cp=2MB/s"),
            "2: |error: axis 'cp' has two rates behind '--link-rate'\n");
  EXPECT_EQ(run("run ring --policy pass-q"),
            "2: |error: graph 'ring' cannot be run with '--policy pass-q': its "
            "transfers were chosen when it was compiled\n");
  EXPECT_EQ(run("run ring --policy stationary"),
            "2: |error: graph 'ring' cannot be run with '--policy stationary': "
            "its transfers were chosen when it was compiled\n");
  EXPECT_EQ(run("run ring --policy pass-w"),
            "2: |error: expected pass-kv or distributed, pass-q or stationary "
            "behind '--policy', got 'pass-w', did you mean 'pass-q'?\n");
}

TEST_F(MeshCli, SaysThatTheDevicesHoldTooLittle) {
  numbers("x.npy", 10000);
  std::string text =
      run("run ring --in x=x.npy --device null", "AGT_MEMORY=100000");
  EXPECT_EQ(text, "5: |ring.agt:4:10: error: position 0: kernel 'meet' cannot "
                  "run on 'null device': it needs SPIR-V, which this program "
                  "was compiled without (agtc --target)\n");
  text = run("run ring --in x=x.npy --device cpu", "AGT_MEMORY=100000");
  std::string begin =
      "2: |ring.agt:3:7: error: not enough memory: graph 'ring' "
      "needs 204864 bytes (200.1 KiB) for 4 positions, the "
      "device '";
  std::string end = "' has 100000 bytes (97.7 KiB) free of 100000 bytes (97.7 "
                    "KiB)\n";
  EXPECT_EQ(text.substr(0, begin.size()), begin);
  EXPECT_EQ(text.substr(text.size() - end.size()), end);
}

TEST_F(MeshCli, ReportsPositionsAndTransfers) {
  numbers("x.npy", 2998);
  ASSERT_EQ(run("run ring --in x=x.npy --out y=y.npy --devices cpu,cpu "
                "--repeat 3 --stats=json:s.json --trace t.json"),
            "0: |");
  Json stats = Json::parse(dir.read("s.json"));
  EXPECT_EQ(stats["positions"], 4);
  EXPECT_EQ(stats["device"].get<std::string>().substr(0, 4), "4 x ");
  EXPECT_EQ(stats["times_s"].size(), 3u);
  EXPECT_EQ(stats["bytes_moved"], 3 * 4 * 2998);
  EXPECT_EQ(stats["bytes_aux"], 0);
  EXPECT_LE(stats["bytes_hidden"], stats["bytes_moved"]);
  EXPECT_LE(stats["transfer_hidden_s"], stats["transfer_time_s"]);
  EXPECT_EQ(stats["hops"], 16);
  EXPECT_EQ(stats["hops_skipped"], 0);
  EXPECT_EQ(stats["peak_memory"].size(), 4u);
  // Pieces of 750, 750, 749, 749 tokens: two neighbours at most.
  EXPECT_EQ(stats["kv_peak_memory"], Json({5996, 6000, 6000, 6000}));

  Json trace = Json::parse(dir.read("t.json"));
  std::map<std::string, int> rows, transfers, hops;
  std::map<int, std::string> names;
  for (const Json &event : trace["traceEvents"]) {
    if (event["name"] == "thread_name")
      names[event["tid"]] = event["args"]["name"];
    if (event["name"] == "shift")
      ++transfers[names[event["tid"]]];
    if (event["ph"] == "i")
      ++hops[names[event["tid"]].substr(0, 11)];
  }
  EXPECT_EQ(transfers,
            (std::map<std::string, int>{{"position 0: receives", 9},
                                        {"position 1: receives", 9},
                                        {"position 2: receives", 9},
                                        {"position 3: receives", 9}}));
  EXPECT_EQ(hops, (std::map<std::string, int>{{"position 0:", 12},
                                              {"position 1:", 12},
                                              {"position 2:", 12},
                                              {"position 3:", 12}}));
}

// A link with a rate is a real delay, and transfers over it lie under compute
// that takes longer.
TEST_F(MeshCli, SlowsLinksDown) {
  numbers("x.npy", 3000);
  // Three transfers of 3,000 bytes one after the other: 30 ms each.
  ASSERT_EQ(run("run ring --in x=x.npy --link-rate cp=100KB/s "
                "--stats=json:s.json"),
            "0: |");
  Json stats = Json::parse(dir.read("s.json"));
  EXPECT_GE(stats["time_s"], 0.090);
  EXPECT_GE(stats["transfer_time_s"], 4 * 0.090);
  EXPECT_LE(stats["transfer_hidden_s"], 0.1 * 4 * 0.090);
}

} // namespace
