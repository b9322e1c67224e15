// --stats and --trace from a report made by hand.
#include "runtime/Cli/Report.h"
#include "runtime/Support/Text.h"

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
                        3000,
                        4096,
                        {{0, 1e-3}, {0, 5e-4}, {0, 1e-3}}},
                       {"add",
                        "f.agt:4:3",
                        "add",
                        0,
                        2,
                        5e5,
                        0,
                        100,
                        {{1e-3, 2e-3}, {5e-4, 6e-4}, {1e-3, 1.2e-3}}},
                       {"attention",
                        "f.agt:5:10",
                        "attend",
                        1,
                        7,
                        5e5,
                        500,
                        1024,
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
        "transfer_hidden_s", "hops", "hops_skipped"}) {
    ASSERT_TRUE(json.contains(key)) << key;
    EXPECT_EQ(json[key], 0) << key;
  }
  EXPECT_EQ(json["kv_bytes_read"], 3500);
  EXPECT_EQ(json["peak_memory"], Json({2048}));
  ASSERT_EQ(json["phases"].size(), 2u);
  EXPECT_EQ(json["phases"][0]["name"], "attention");
  EXPECT_NEAR(json["phases"][0]["time_s"].get<double>(), 1.5e-3, 1e-12);
  EXPECT_EQ(json["phases"][0]["flops"], 2.5e6);
  EXPECT_EQ(json["phases"][0]["bytes"], 5120);
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
      "  read    3500 bytes (3.4 KiB) of keys and values\n"
      "\n"
      "  phase     launches          time   share            rate\n"
      "  attention        2      1.500 ms  88.2 %     1.7 GFLOP/s\n"
      "  add              1      200.0 us  11.8 %     2.5 GFLOP/s\n");
}

// Two positions; the second receives while it computes, and after.
RunReport meshReport() {
  RunReport report;
  report.times = {4e-3};
  report.begins = {1};
  for (int i = 0; i < 2; ++i) {
    PositionReport &position = report.positions.emplace_back();
    position.device = "gpu";
    position.peakBytes = 1000 + uint64_t(i);
    position.kvPeakBytes = 500;
    position.launches = {
        {"attention", "", "attend", 0, 1, 1e6, 0, 0, {{0, 2e-3 + i * 1e-3}}}};
    position.hops = {{"attention", 0, i, true, {}},
                     {"attention", 1, 1 - i, i == 1, {}}};
  }
  report.positions[1].transfers = {
      {"shift", "", "cp", 0, 0, 4000, {{1e-3, 2e-3}}},
      {"shift", "", "cp", 0, 0, 4000, {{2e-3, 4e-3}}},
      {"segments", "", "cp", 0, 3, 100, {{3e-3, 4e-3}}}};
  return report;
}

TEST(Report, CountsTransfersAndWhatIsHidden) {
  Json json = Json::parse(statsJson(collectStats("ring", meshReport())));
  EXPECT_EQ(json["device"], "2 x gpu");
  EXPECT_EQ(json["positions"], 2);
  EXPECT_EQ(json["bytes_moved"], 8000);
  EXPECT_EQ(json["bytes_aux"], 100);
  EXPECT_EQ(json["bytes_hidden"], 6000);
  EXPECT_NEAR(json["transfer_time_s"].get<double>(), 4e-3, 1e-12);
  EXPECT_NEAR(json["transfer_hidden_s"].get<double>(), 2e-3, 1e-12);
  EXPECT_EQ(json["hops"], 3);
  EXPECT_EQ(json["hops_skipped"], 1);
  EXPECT_EQ(json["peak_memory"], Json({1000, 1001}));
  EXPECT_EQ(json["kv_peak_memory"], Json({500, 500}));
  // Of the position that takes longest.
  EXPECT_NEAR(json["phases"][0]["time_s"].get<double>(), 3e-3, 1e-12);
  EXPECT_EQ(json["phases"][0]["flops"], 2e6);
  EXPECT_EQ(statsText(collectStats("ring", meshReport())),
            "ring on 2 x gpu\n"
            "  time    4.000 ms, 500.0 MFLOP/s\n"
            "  memory  1001 bytes at the fullest position\n"
            "  moved   8000 bytes (7.8 KiB) between 2 positions, and 100 bytes "
            "beside them, 50.0 % of 4.000 ms under compute\n"
            "  hops    3, 1 skipped\n"
            "\n"
            "  phase     launches          time   share            rate\n"
            "  attention        2      3.000 ms  100.0 %   666.7 MFLOP/s\n");
}

// What was taken, and by which numbers where there was a choice.
TEST(Report, SaysWhichWayRingsWent) {
  RunReport taken = meshReport();
  EXPECT_FALSE(
      Json::parse(statsJson(collectStats("ring", taken))).contains("policy"));
  taken.policy = Policy::PassKV;
  Stats forced = collectStats("ring", taken);
  EXPECT_EQ(Json::parse(statsJson(forced))["policy"], "pass-kv");
  EXPECT_FALSE(Json::parse(statsJson(forced)).contains("policy_bytes"));
  EXPECT_NE(statsText(forced).find("  policy  pass-kv\n"), std::string::npos);
  taken.policy = Policy::PassQ;
  taken.policyBytes = {{Policy::PassKV, 9000}, {Policy::PassQ, 8100}};
  Stats chosen = collectStats("ring", taken);
  Json json = Json::parse(statsJson(chosen));
  EXPECT_EQ(json["policy"], "pass-q");
  EXPECT_EQ(json["policy_bytes"], Json({{"pass-kv", 9000}, {"pass-q", 8100}}));
  EXPECT_NE(statsText(chosen).find(
                "  policy  pass-q: 8100 bytes (7.9 KiB), pass-kv would move "
                "9000 bytes (8.8 KiB)\n"),
            std::string::npos)
      << statsText(chosen);
  Json trace = Json::parse(traceJson("ring", taken));
  size_t labels = 0;
  for (const Json &event : trace["traceEvents"])
    if (event["name"] == "process_labels") {
      ++labels;
      EXPECT_EQ(event["args"]["labels"],
                "pass-q: 8100 bytes (7.9 KiB), pass-kv would move 9000 bytes "
                "(8.8 KiB)");
    }
  EXPECT_EQ(labels, 1u);
}

TEST(Report, CoveredTimeCountsOverlapsOnce) {
  EXPECT_EQ(coveredTime({1, 5}, {}), 0);
  EXPECT_EQ(coveredTime({1, 5}, {{3, 9}, {0, 2}, {1, 2}, {6, 7}}), 3);
  EXPECT_EQ(coveredTime({1, 5}, {{0, 9}}), 4);
}

TEST(Text, RatesAreReadAsInTheLanguage) {
  EXPECT_EQ(parseRate("50MB/s"), 50e6);
  EXPECT_EQ(parseRate("1.5GiB/s"), 1.5 * 1024 * 1024 * 1024);
  EXPECT_EQ(parseRate("7B/s"), 7);
  EXPECT_EQ(parseRate("2e3KB/s"), 2e6);
  EXPECT_EQ(parseRate("1PiB/s"), 0x1p50);
  for (const char *text :
       {"", "50", "50MB", "MB/s", "0MB/s", "-1MB/s", "1e999MB/s", "0x10MB/s",
        " 1MB/s", "1 MB/s", "1mb/s", "1MB/s ", "nanMB/s", "1e-400B/s"})
    EXPECT_EQ(parseRate(text), std::nullopt) << text;
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
