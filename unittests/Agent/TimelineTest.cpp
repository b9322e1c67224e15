// How events become a timeline: attempts, estimated times, outcomes.
#include "runtime/Ui/RunJson.h"

#include <deque>
#include <gtest/gtest.h>

using namespace agt::rt;

namespace {

class TimelineTest : public testing::Test {
protected:
  Event &add(int64_t ms, EventKind kind, const std::string &path,
             int64_t attempt = 0) {
    Event event;
    event.seq = ++seq;
    event.timeMs = ms;
    event.kind = kind;
    event.path = path;
    event.attempt = attempt;
    events.push_back(event);
    return events.back();
  }
  Timeline fold() {
    Timeline timeline;
    for (const Event &event : events)
      timeline.apply(event);
    return timeline;
  }
  // "path kind state begin-end: number begin-end outcome, ..."
  std::string text(const TimelineStep &step) {
    auto span = [](int64_t begin, int64_t end) {
      return std::to_string(begin) + ".." + std::to_string(end);
    };
    std::string out = step.path + " " + step.kind + " " + step.state + " " +
                      span(step.beginMs, step.endMs) +
                      (step.beginEstimated ? "~:" : ":");
    for (const StepAttempt &attempt : step.attempts)
      out += " " + std::to_string(attempt.number) + " " +
             span(attempt.beginMs, attempt.endMs) + " " + attempt.outcome + ";";
    return out;
  }

  std::deque<Event> events;
  int64_t seq = 0;
};

TEST_F(TimelineTest, AnnouncedStepsBeginThere) {
  add(5, EventKind::Claimed, "");
  Event &intent = add(10, EventKind::Intent, "a", 1);
  intent.token = "t";
  intent.args = R"({"llm":"m","user":"?"})";
  EXPECT_EQ(text(fold().steps[0]), "a ask in_flight 10..-1: 1 10..-1 ;");
  Event &result = add(30, EventKind::Result, "a", 1);
  result.result = "7";
  result.tokensIn = 4;
  result.info = R"({"cost":0.5,"model":"m"})";
  Timeline done = fold();
  EXPECT_EQ(text(done.steps[0]), "a ask done 10..30: 1 10..30 done;");
  EXPECT_EQ(done.steps[0].usd, 0.5);
  EXPECT_EQ(done.steps[0].tokensIn, 4);
  EXPECT_EQ(done.steps[0].tokensOut, -1);
}

TEST_F(TimelineTest, PureStepsBeginBehindTheOneBefore) {
  add(5, EventKind::Claimed, "");
  add(20, EventKind::Result, "a", 1);
  add(40, EventKind::Result, "f[x]/b", 1);
  add(45, EventKind::Result, "f[y]/b", 1);
  add(70, EventKind::Result, "f[x]/c", 1);
  Timeline timeline = fold();
  EXPECT_EQ(text(timeline.steps[0]), "a step done 5..20~: 1 5..20 done;");
  EXPECT_EQ(text(timeline.steps[1]),
            "f[x]/b step done 20..40~: 1 20..40 done;");
  EXPECT_EQ(text(timeline.steps[2]),
            "f[y]/b step done 20..45~: 1 20..45 done;");
  EXPECT_EQ(text(timeline.steps[3]),
            "f[x]/c step done 40..70~: 1 40..70 done;");
}

TEST_F(TimelineTest, PureCallsSayHowLongTheyTook) {
  add(5, EventKind::Claimed, "");
  add(20, EventKind::Failure, "a", 1).info = R"({"took":3000000})";
  add(40, EventKind::Result, "a", 2).info = R"({"took":8999999,"model":"m"})";
  EXPECT_EQ(text(fold().steps[0]),
            "a step done 17..40: 1 17..20 failed; 2 32..40 done;");
}

TEST_F(TimelineTest, AttemptsThatFailAreKept) {
  add(10, EventKind::Intent, "a", 1).token = "t";
  add(20, EventKind::Failure, "a", 1).error = "no";
  add(30, EventKind::Intent, "a", 2).token = "t";
  add(40, EventKind::Unknown, "a", 2).error = "lost";
  EXPECT_EQ(text(fold().steps[0]),
            "a step unknown 10..40: 1 10..20 failed; 2 30..40 unknown;");
  // The attempt that nobody knew of was the last one: no third.
  Event &last = add(41, EventKind::Failure, "a", 2);
  last.error = "lost";
  last.info = R"({"final":true})";
  EXPECT_EQ(text(fold().steps[0]),
            "a step failed 10..40: 1 10..20 failed; 2 30..40 failed;");
}

TEST_F(TimelineTest, TokensOfAChildAreCountedOnce) {
  add(10, EventKind::Intent, "c").info = R"({"active":1,"agent":"other"})";
  Event &ask = add(20, EventKind::Intent, "c/other/a", 1);
  ask.token = "t";
  ask.args = R"({"llm":"m","user":"?"})";
  Event &turn = add(25, EventKind::Result, "c/other/a/turn#0", 1);
  turn.token = "u";
  turn.args = R"({"messages":1})";
  turn.info = R"({"part":true})";
  turn.tokensIn = 4;
  Event &answer = add(30, EventKind::Result, "c/other/a", 1);
  answer.tokensIn = 4;
  answer.tokensOut = 1;
  add(40, EventKind::Result, "c").tokensIn = 5;
  Timeline timeline = fold();
  EXPECT_EQ(text(timeline.steps[0]), "c agent done 10..40: 0 10..40 done;");
  EXPECT_EQ(timeline.steps[1].kind, "ask");
  EXPECT_EQ(timeline.steps[2].kind, "turn");
  std::string json = timelineJson(
      RunRow(), std::vector<Event>(events.begin(), events.end()), 0);
  EXPECT_EQ(json.find(R"("steps":3,"tokens_in":4,"tokens_out":1)") !=
                std::string::npos,
            true)
      << json;
}

TEST_F(TimelineTest, WhatIsFoundWasDoneByTheLostAttempt) {
  add(10, EventKind::Intent, "a", 1).token = "t";
  add(20, EventKind::Unknown, "a", 1).error = "lost";
  add(25, EventKind::Reconciled, "a", 1).info = R"({"found":false})";
  Event &found = add(30, EventKind::Reconciled, "a", 1);
  found.info = R"({"found":true})";
  found.result = "7";
  Timeline timeline = fold();
  EXPECT_EQ(text(timeline.steps[0]), "a step done 10..30: 1 10..30 done;");
  EXPECT_EQ(timeline.steps[0].result, "7");
  EXPECT_EQ(timeline.steps[0].error, "");
}

TEST_F(TimelineTest, WaitsParkingAndRetries) {
  Event &asked = add(10, EventKind::ApprovalAsked, "go");
  asked.args = R"({"by":"boss","text":"really?"})";
  asked.info = R"({"shown":"d1g","until":"90000 0 x"})";
  std::string json = stepJson(fold().steps[0]);
  EXPECT_NE(json.find(R"("question":"really?","role":"boss","shown":"d1g")"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("until":"1970-01-01T00:01:30.000Z")"),
            std::string::npos);
  add(20, EventKind::Approval, "go").result = "true";
  add(30, EventKind::Intent, "w").info = R"({"wait":"receive"})";
  add(40, EventKind::Intent, "p", 1).token = "t";
  add(50, EventKind::Unknown, "p", 1);
  add(51, EventKind::Parked, "p", 1).error = "nobody knows";
  Timeline timeline = fold();
  EXPECT_EQ(text(timeline.steps[0]), "go approval done 10..20: 0 10..20 done;");
  EXPECT_EQ(text(timeline.steps[1]), "w receive waiting 30..-1: 0 30..-1 ;");
  EXPECT_EQ(text(timeline.steps[2]), "p step parked 40..-1: 1 40..50 unknown;");
  add(60, EventKind::Decision, "p").info = R"({"resolve":"retry"})";
  EXPECT_EQ(fold().steps[2].state, "retry");
  add(70, EventKind::Cancelled, "w");
  EXPECT_EQ(text(fold().steps[1]),
            "w receive cancelled 30..70: 0 30..70 cancelled;");
}

TEST_F(TimelineTest, LongValuesAreHandles) {
  Event &result = add(10, EventKind::Result, "a", 1);
  result.result = "\"" + std::string(5000, 'x') + "\"";
  std::string json = stepJson(fold().steps[0]);
  EXPECT_NE(json.find(R"("result":{"handle":"1.result","bytes":5002})"),
            std::string::npos)
      << json;
}

} // namespace
