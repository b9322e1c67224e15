// What events add up to: each attempt once, whatever became of it.
#include "runtime/Ui/EventTally.h"

#include <gtest/gtest.h>

using namespace agt::rt;

namespace {

class TallyTest : public testing::Test {
protected:
  EventBrief &add(int64_t ms, EventKind kind, const std::string &path,
                  int64_t attempt = 0, const std::string &info = "") {
    last = EventBrief();
    last.timeMs = ms;
    last.run = "r";
    last.agent = "a";
    last.path = path;
    last.kind = kind;
    last.attempt = attempt;
    last.call = attempt != 0;
    last.about = "{\"text\":";
    last.info = info;
    return last;
  }
  void take(int64_t ms, EventKind kind, const std::string &path,
            int64_t attempt = 0, const std::string &info = "") {
    tally.add(add(ms, kind, path, attempt, info));
  }
  // The samples of a family whose value is not 0, without its name.
  std::string said(const std::string &family) {
    std::string text, found;
    tally.write(text);
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find('\n', at);
      std::string line = text.substr(at, end - at);
      if (line.rfind(family, 0) == 0)
        found += line.substr(family.size()) + "\n";
      at = end + 1;
    }
    return found;
  }

  EventTally tally;
  EventBrief last;
};

TEST_F(TallyTest, AnUnknownAttemptThatFailsIsOne) {
  take(0, EventKind::Intent, "x", 1);
  take(10, EventKind::Unknown, "x", 1);
  take(11, EventKind::Failure, "x", 1, R"({"final":true})");
  EXPECT_EQ(said("agt_step_attempts_total"),
            "{agent=\"a\",kind=\"tool\",outcome=\"unknown\"} 1\n");
  EXPECT_EQ(said("agt_steps_total"),
            "{agent=\"a\",kind=\"tool\",outcome=\"failed\"} 1\n");
  EXPECT_EQ(said("agt_step_attempt_duration_seconds_sum"),
            "{agent=\"a\",kind=\"tool\"} 0.01\n");
}

TEST_F(TallyTest, WhatWasLostWithAProcessHasNoTime) {
  take(0, EventKind::Claimed, "");
  take(0, EventKind::Intent, "x", 1);
  take(90'000'000, EventKind::Claimed, "");
  take(90'000'000, EventKind::Unknown, "x", 1, R"({"crash":true})");
  take(90'000'010, EventKind::Intent, "x", 2);
  take(90'000'030, EventKind::Result, "x", 2);
  EXPECT_EQ(said("agt_step_attempt_duration_seconds_sum"),
            "{agent=\"a\",kind=\"tool\"} 0.02\n");
  EXPECT_EQ(said("agt_claims_lost_total"), "{agent=\"a\"} 1\n");
  EXPECT_EQ(said("agt_step_attempts_total"),
            "{agent=\"a\",kind=\"tool\",outcome=\"done\"} 1\n"
            "{agent=\"a\",kind=\"tool\",outcome=\"unknown\"} 1\n");
}

TEST_F(TallyTest, PureCallsSayHowLongTheyTook) {
  take(1000, EventKind::Failure, "x", 1, R"({"took":30000000})");
  take(2000, EventKind::Result, "x", 2, R"({"took":40000000})");
  EXPECT_EQ(said("agt_step_attempt_duration_seconds_count"),
            "{agent=\"a\",kind=\"tool\"} 2\n");
  EXPECT_EQ(said("agt_step_attempt_duration_seconds_sum"),
            "{agent=\"a\",kind=\"tool\"} 0.07\n");
  EXPECT_EQ(said("agt_steps_total"),
            "{agent=\"a\",kind=\"tool\",outcome=\"done\"} 1\n");
}

TEST_F(TallyTest, WaitsAreNoAttempts) {
  take(0, EventKind::Intent, "w", 0, R"({"wait":"receive"})");
  take(5000, EventKind::Result, "w");
  take(5000, EventKind::Parked, "p", 1);
  take(9000, EventKind::Decision, "p", 0, R"({"resolve":"retry"})");
  EXPECT_EQ(said("agt_step_attempts_total"), "");
  EXPECT_EQ(said("agt_wait_duration_seconds_sum"),
            "{agent=\"a\",kind=\"parked\"} 4\n"
            "{agent=\"a\",kind=\"receive\"} 5\n");
  EXPECT_EQ(said("agt_steps_total"),
            "{agent=\"a\",kind=\"receive\",outcome=\"done\"} 1\n");
}

TEST_F(TallyTest, TokensOfTurnsAndChildrenAreCountedOnce) {
  auto tokens = [&](const std::string &path, int64_t attempt, int64_t in,
                    const std::string &info) {
    add(1, EventKind::Result, path, attempt, info).tokensIn = in;
    tally.add(last);
  };
  tokens("a/turn#0", 1, 4, R"({"part":true,"model":"m"})");
  tokens("a", 1, 4, R"({"model":"m"})");
  tokens("child", 0, 4, "");
  EXPECT_EQ(said("agt_tokens_total"),
            "{agent=\"a\",model=\"m\",direction=\"in\"} 4\n"
            "{agent=\"a\",model=\"m\",direction=\"out\"} 0\n");
}

TEST_F(TallyTest, NumbersNeverFall) {
  EventTally shown;
  take(1000, EventKind::RunStarted, "");
  take(1700, EventKind::RunDone, "");
  shown.raise(tally);
  shown.raise(EventTally()); // as if the log had lost it
  std::string before, after;
  tally.write(before);
  shown.write(after);
  EXPECT_EQ(before, after);
  EXPECT_NE(after.find("agt_run_duration_seconds_bucket{agent=\"a\",outcome="
                       "\"done\",le=\"0.5\"} 0\n"),
            std::string::npos);
  EXPECT_NE(after.find("agt_run_duration_seconds_bucket{agent=\"a\",outcome="
                       "\"done\",le=\"1\"} 1\n"),
            std::string::npos);
}

} // namespace
