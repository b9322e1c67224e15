// --stats and --trace from a report made by hand.
#include "runtime/Cli/Report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace agt::rt;
using Json = nlohmann::ordered_json;

namespace {

RunReport report() {
  RunReport report;
  report.times = {3e-3, 1e-3, 2e-3};
  report.begins = {1, 2, 3};
  report.steps = {{"load inputs", 0.25, 0.5}};
  PositionReport &position = report.positions.emplace_back();
  position.device = "gpu";
  position.peakBytes = 2048;
  position.launches = {{"attention",
                        "f.agt:3:10",
                        "attend",
                        1,
                        7,
                        2e6,
                        {{0, 1e-3}, {0, 5e-4}, {0, 1e-3}}},
                       {"add",
                        "f.agt:4:3",
                        "add",
                        0,
                        2,
                        5e5,
                        {{1e-3, 2e-3}, {5e-4, 6e-4}, {1e-3, 1.2e-3}}},
                       {"attention",
                        "f.agt:5:10",
                        "attend",
                        1,
                        7,
                        5e5,
                        {{2e-3, 3e-3}, {6e-4, 7e-4}, {1.2e-3, 1.7e-3}}}};
  return report;
}

TEST(Report, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({4}), 4);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

// The keys that language.md section 9 promises, and no surprise in their kind.
TEST(Report, StatsHaveTheKeysOfTheLanguage) {
  Json json = Json::parse(statsJson(collectStats("dense", report())));
  EXPECT_EQ(json["graph"], "dense");
  EXPECT_EQ(json["device"], "gpu");
  EXPECT_EQ(json["positions"], 1);
  EXPECT_EQ(json["time_s"], 2e-3);
  EXPECT_EQ(json["times_s"], Json({3e-3, 1e-3, 2e-3}));
  EXPECT_EQ(json["flops"], 3e6);
  for (const char *key :
       {"bytes_moved", "bytes_aux", "bytes_hidden", "transfer_time_s",
        "transfer_hidden_s", "hops", "hops_skipped", "kv_bytes_read"}) {
    ASSERT_TRUE(json.contains(key)) << key;
    EXPECT_EQ(json[key], 0) << key;
  }
  EXPECT_EQ(json["peak_memory"], Json({2048}));
  ASSERT_EQ(json["phases"].size(), 2u);
  EXPECT_EQ(json["phases"][0]["name"], "attention");
  EXPECT_NEAR(json["phases"][0]["time_s"].get<double>(), 1.5e-3, 1e-12);
  EXPECT_EQ(json["phases"][0]["flops"], 2.5e6);
  EXPECT_EQ(json["phases"][0]["bytes"], 0);
  EXPECT_EQ(json["phases"][0]["launches"], 2);
  EXPECT_EQ(json["phases"][1]["name"], "add");
}

TEST(Report, StatsAsText) {
  EXPECT_EQ(
      statsText(collectStats("dense", report())),
      "dense on gpu\n"
      "  time    2.000 ms, 1.5 GFLOP/s, median of 3 (1.000 ms to 3.000 ms)\n"
      "  memory  2048 bytes (2.0 KiB)\n"
      "  moved   0 bytes (one device)\n"
      "\n"
      "  phase     launches          time   share            rate\n"
      "  attention        2      1.500 ms  88.2 %     1.7 GFLOP/s\n"
      "  add              1      200.0 us  11.8 %     2.5 GFLOP/s\n");
}

TEST(Report, TraceHasEveryLaunchOfEveryRepeat) {
  Json json = Json::parse(traceJson("dense", report()));
  size_t launches = 0, computes = 0;
  for (const Json &event : json["traceEvents"]) {
    if (event["ph"] != "X")
      continue;
    EXPECT_GE(event["dur"], 0);
    if (event["name"] == "compute")
      ++computes;
    if (event["tid"] == 2) {
      ++launches;
      EXPECT_EQ(event["args"]["place"].get<std::string>().substr(0, 6),
                "f.agt:");
    }
  }
  EXPECT_EQ(launches, 9u);
  EXPECT_EQ(computes, 3u);
  Json first = json["traceEvents"][4];
  EXPECT_EQ(first["name"], "attention");
  EXPECT_EQ(first["ts"], 1e6);
  EXPECT_NEAR(first["dur"].get<double>(), 1e3, 1e-6);
  EXPECT_EQ(first["args"]["workgroups"], 7);
}

} // namespace
