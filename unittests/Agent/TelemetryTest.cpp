// Traces: names, the encoding, the environment's words, and how the events of a
// run become spans that are handed over once, whoever works on it.
#include "runtime/Telemetry/Exporter.h"
#include "runtime/Telemetry/Ids.h"
#include "runtime/Telemetry/Otlp.h"
#include "runtime/Telemetry/RunTrace.h"
#include "unittests/Agent/FakeServer.h"
#include "unittests/Agent/TestAgents.h"

#include <deque>
#include <gtest/gtest.h>
#include <set>

using namespace agt::rt;
using agt::rt::test::FakeServer;

namespace {

TEST(TraceIds, AreThoseOfTheDocument) {
  // sha256 over each field's length (8 bytes, little end first) and bytes.
  std::string trace = traceIdOf("r", 1700000000000);
  EXPECT_EQ(trace, "86aab35d010c30d5d49524fe996e5c89");
  EXPECT_EQ(spanIdOf(trace, "attempt", "found[a]/f", 2, 3), "aa93e233017e19b2");
}

TEST(TraceIds, DifferByEverything) {
  std::string trace = traceIdOf("r", 1);
  std::set<std::string> traces = {trace, traceIdOf("r", 2), traceIdOf("q", 1)};
  EXPECT_EQ(traces.size(), 3u);
  std::set<std::string> spans = {
      spanIdOf(trace, "attempt", "a", 1, 1),
      spanIdOf(trace, "wait", "a", 1, 1),
      spanIdOf(trace, "attempt", "b", 1, 1),
      spanIdOf(trace, "attempt", "a", 2, 1),
      spanIdOf(trace, "attempt", "a", 1, 2),
      spanIdOf(traceIdOf("q", 1), "attempt", "a", 1, 1)};
  EXPECT_EQ(spans.size(), 6u);
}

TEST(Otlp, IsProtobufsJson) {
  TraceSpan span;
  span.trace = "0123456789abcdef0123456789abcdef";
  span.id = "0123456789abcdef";
  span.parent = "fedcba9876543210";
  span.name = "chat \"m\"";
  span.kind = SpanKind::Client;
  span.beginNs = 1700000000000000001;
  span.endNs = 1700000000000000002;
  span.set("text", std::string("a\xff"
                               "b"));
  span.set("number", int64_t(1) << 60);
  span.set("real", 0.5);
  span.set("truth", true);
  span.set("texts", std::vector<std::string>{"x", "y"});
  span.events.push_back({"agt.retry", 5, {{"n", int64_t(1)}}});
  span.droppedEvents = 2;
  span.failed = true;
  span.message = "no";
  EXPECT_EQ(
      otlpJson({{"service.name", std::string("s")}}, {span}),
      R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name",)"
      R"("value":{"stringValue":"s"}}]},"scopeSpans":[{"scope":{"name":"agt"},)"
      R"("spans":[{"attributes":[{"key":"text","value":{"stringValue":")"
      "a\xef\xbf\xbd"
      R"(b"}},{"key":"number","value":{"intValue":"1152921504606846976"}},)"
      R"({"key":"real","value":{"doubleValue":0.5}},{"key":"truth","value":)"
      R"({"boolValue":true}},{"key":"texts","value":{"arrayValue":{"values":)"
      R"([{"stringValue":"x"},{"stringValue":"y"}]}}}],"droppedEventsCount":2,)"
      R"("endTimeUnixNano":"1700000000000000002","events":[{"attributes":)"
      R"([{"key":"n","value":{"intValue":"1"}}],"name":"agt.retry",)"
      R"("timeUnixNano":"5"}],"kind":3,"name":"chat \"m\"","parentSpanId":)"
      R"("fedcba9876543210","spanId":"0123456789abcdef","startTimeUnixNano":)"
      R"("1700000000000000001","status":{"code":2,"message":"no"},"traceId":)"
      R"("0123456789abcdef0123456789abcdef"}]}]}]})");
}

TEST(Otlp, LeavesOutWhatIsNotThere) {
  TraceSpan span;
  span.name = "n";
  std::string text = otlpJson({}, {span});
  for (const char *absent :
       {"parentSpanId", "events", "droppedEventsCount", "status"})
    EXPECT_EQ(text.find(absent), std::string::npos) << text;
}

TEST(Otlp, NumbersThatJsonHasNot) {
  TraceSpan span;
  span.set("a", 0.0 / 0.0);
  span.set("b", -1.0 / 0.0);
  std::string text = otlpJson({}, {span});
  EXPECT_NE(text.find(R"({"doubleValue":"NaN"})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"doubleValue":"-Infinity"})"), std::string::npos);
}

TEST(Otlp, RejectedSpans) {
  EXPECT_EQ(rejectedSpans(R"({"partialSuccess":{"rejectedSpans":"3"}})"), 3);
  EXPECT_EQ(rejectedSpans(R"({"partialSuccess":{"rejectedSpans":3}})"), 3);
  for (const char *none : {"", "{}", "[]", "no JSON", R"({"partialSuccess":1})",
                           R"({"partialSuccess":{"errorMessage":"x"}})",
                           R"({"partialSuccess":{"rejectedSpans":true}})"})
    EXPECT_EQ(rejectedSpans(none), 0) << none;
}

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

struct Read {
  std::optional<TraceSettings> settings;
  std::vector<std::string> warnings;
};

Read readSettings(std::map<std::string, std::string> variables) {
  Read read;
  read.settings = traceSettings(
      [&](const char *name) -> const char * {
        auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      "prog", "h", read.warnings);
  return read;
}

std::string resourceText(const TraceSettings &settings, const char *key) {
  for (const auto &[name, value] : settings.resource)
    if (name == key)
      return std::get<std::string>(value);
  return "(none)";
}

TEST(TraceSettings, EndpointsAndTheirPaths) {
  const char *common = "OTEL_EXPORTER_OTLP_ENDPOINT",
             *own = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  auto url = [](std::map<std::string, std::string> variables) {
    Read read = readSettings(std::move(variables));
    return read.settings ? read.settings->url : "(off)";
  };
  EXPECT_EQ(url({}), "(off)");
  EXPECT_EQ(url({{common, ""}}), "(off)");
  EXPECT_EQ(url({{common, "http://c:4318"}}), "http://c:4318/v1/traces");
  EXPECT_EQ(url({{common, "HTTPS://c/base//"}}), "HTTPS://c/base/v1/traces");
  EXPECT_EQ(url({{own, "http://c/x/"}}), "http://c/x/");
  EXPECT_EQ(url({{common, "http://a"}, {own, "http://b"}}), "http://b");
  EXPECT_EQ(url({{common, "http://a"}, {own, ""}}), "http://a/v1/traces");
  EXPECT_EQ(url({{common, "http://a"}, {"OTEL_SDK_DISABLED", "True"}}),
            "(off)");
  EXPECT_EQ(url({{common, "http://a"}, {"OTEL_SDK_DISABLED", "1"}}),
            "http://a/v1/traces");
  EXPECT_EQ(url({{common, "http://a"}, {"OTEL_TRACES_EXPORTER", "none"}}),
            "(off)");
  EXPECT_EQ(
      url({{common, "http://a"}, {"OTEL_TRACES_EXPORTER", "console,otlp"}}),
      "http://a/v1/traces");
  Read bad = readSettings({{common, "user:password@c"}});
  EXPECT_FALSE(bad.settings);
  EXPECT_EQ(
      bad.warnings,
      std::vector<std::string>{
          "expected OTEL_EXPORTER_OTLP_ENDPOINT as a URL that begins with "
          "http:// or https://; it is ignored"});
}

TEST(TraceSettings, HeadersAndResources) {
  Read read = readSettings(
      {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"},
       {"OTEL_EXPORTER_OTLP_HEADERS", " api-key = a%20b , other=c=d,"},
       {"OTEL_RESOURCE_ATTRIBUTES", "service.name=x,team=%C3%A9"}});
  ASSERT_TRUE(read.settings);
  EXPECT_EQ(read.warnings.size(), 0u);
  using Headers = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(read.settings->headers,
            (Headers{{"api-key", "a b"}, {"other", "c=d"}}));
  EXPECT_EQ(resourceText(*read.settings, "service.name"), "x");
  EXPECT_EQ(resourceText(*read.settings, "team"), "\xc3\xa9");
  EXPECT_EQ(resourceText(*read.settings, "service.version"), "h");
  read = readSettings({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"},
                       {"OTEL_RESOURCE_ATTRIBUTES", "service.name=x"},
                       {"OTEL_SERVICE_NAME", "y"}});
  EXPECT_EQ(resourceText(*read.settings, "service.name"), "y");
  read = readSettings({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"},
                       {"OTEL_EXPORTER_OTLP_HEADERS", "key=%zz,secretvalue"}});
  EXPECT_EQ(read.warnings.size(), 2u);
  EXPECT_EQ(read.warnings[0],
            "expected OTEL_EXPORTER_OTLP_HEADERS as KEY=VALUE,KEY=VALUE with "
            "values in percent-encoding; an entry is ignored");
  EXPECT_EQ(resourceText(*read.settings, "service.name"), "prog");
}

TEST(TraceSettings, NumbersAndContent) {
  std::map<std::string, std::string> variables = {
      {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"},
      {"OTEL_EXPORTER_OTLP_TIMEOUT", "250"},
      {"OTEL_BSP_MAX_QUEUE_SIZE", "7"},
      {"OTEL_BSP_SCHEDULE_DELAY", "-1"}};
  Read read = readSettings(variables);
  EXPECT_EQ(read.settings->timeoutNs, 250'000'000);
  EXPECT_EQ(read.settings->queue, 7u);
  EXPECT_EQ(read.settings->batch, 7u);
  EXPECT_EQ(read.settings->delayNs, 5'000'000'000);
  EXPECT_FALSE(read.settings->content);
  EXPECT_EQ(read.warnings,
            std::vector<std::string>{
                "expected OTEL_BSP_SCHEDULE_DELAY as a number from 0 to "
                "2147483647, got '-1', which is ignored"});
  variables["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"] = "0";
  EXPECT_GT(readSettings(variables).settings->timeoutNs, INT64_C(1) << 50);
  const char *capture = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
  for (const char *on : {"true", "True", "SPAN_ONLY", "span_and_event"}) {
    variables[capture] = on;
    EXPECT_TRUE(readSettings(variables).settings->content) << on;
  }
  for (const char *off : {"", "false", "no_content", "yes", "event_only"}) {
    variables[capture] = off;
    EXPECT_FALSE(readSettings(variables).settings->content) << off;
  }
}

TEST(RunTrace, OwnWordsEndWhereOthersBegin) {
  EXPECT_EQ(ownWords("'t' ended with exit 3: no such file"),
            "'t' ended with exit 3");
  EXPECT_EQ(ownWords("expected an int, got \"what it said\""),
            "expected an int, got");
  EXPECT_EQ(ownWords("the program stopped while the call was on its way"),
            "the program stopped while the call was on its way");
  EXPECT_EQ(ownWords("nobody knows whether the tool 'x' has acted: 'x' was"),
            "nobody knows whether the tool 'x' has acted");
  EXPECT_EQ(ownWords("line\nline"), "line");
  EXPECT_EQ(ownWords(""), "");
}

//===----------------------------------------------------------------------===//
// Events to spans
//===----------------------------------------------------------------------===//

class Sink : public SpanSink {
public:
  void take(TraceSpan span) override { spans.push_back(std::move(span)); }
  bool wantsContent() const override { return content; }
  std::vector<TraceSpan> spans;
  bool content = false;
};

class RunTraceTest : public testing::Test {
protected:
  // As a process that claims the run: what is in the log is past to it.
  void claim() {
    ++epoch;
    run.epoch = epoch;
    run.createdMs = 1700000000000;
    log(EventKind::Claimed, "", 0);
    sink.spans.clear();
    trace = std::make_unique<RunTrace>(sink, program, run);
    for (const Event &event : events)
      trace->past(event);
  }
  // Something that the process which has the run writes.
  Event &log(EventKind kind, const std::string &path, int64_t attempt) {
    Event event;
    event.kind = kind;
    event.path = path;
    event.attempt = attempt;
    event.epoch = epoch;
    nowMs += 10;
    event.timeMs = nowMs;
    event.notedNs = nowMs * 1'000'000;
    events.push_back(event);
    return events.back();
  }
  void write(const Event &event) { trace->durable({event}); }
  void write(EventKind kind, const std::string &path, int64_t attempt = 0,
             const std::string &info = "") {
    Event &event = log(kind, path, attempt);
    event.info = info;
    write(event);
  }
  // "name [path] outcome, error type: message, events; parent"
  std::vector<std::string> said() {
    std::vector<std::string> all;
    for (const TraceSpan &span : sink.spans) {
      std::string text = span.name + " [" + get(span, "agt.step.path") + "] " +
                         get(span, "agt.outcome");
      if (span.failed)
        text += ", " + get(span, "error.type") + ": " + span.message;
      for (const SpanEvent &event : span.events)
        text += ", " + event.name;
      all.push_back(text);
    }
    return all;
  }
  static std::string get(const TraceSpan &span, const char *key) {
    for (const auto &[name, value] : span.attributes)
      if (name == key)
        return std::get<std::string>(value);
    return "";
  }
  using Lines = std::vector<std::string>;

  Sink sink;
  AgentProgram program{&test::testAgentProgram, test::testAgents};
  RunRow run = [] {
    RunRow row;
    row.id = "r";
    row.agent = "chain";
    return row;
  }();
  int64_t epoch = 0, nowMs = 1700000000000;
  std::deque<Event> events;
  std::unique_ptr<RunTrace> trace;
};

TEST_F(RunTraceTest, AChain) {
  claim();
  write(EventKind::Intent, "a", 1);
  write(EventKind::Result, "a", 1);
  write(EventKind::Result, "b", 1); // pure
  write(EventKind::RunDone, "");
  EXPECT_EQ(said(), (Lines{"a [a] done", "b [b] done",
                           "invoke_agent chain [] done, agt.claimed"}));
  const TraceSpan &root = sink.spans[2], &first = sink.spans[0];
  EXPECT_EQ(root.parent, "");
  EXPECT_EQ(first.parent, root.id);
  EXPECT_EQ(first.endNs - first.beginNs, 10'000'000);
  EXPECT_EQ(first.id, spanIdOf(root.trace, "attempt", "a", 1, 1));
}

TEST_F(RunTraceTest, AnAttemptThatWasLostIsSaidByWhoFindsOut) {
  claim();
  write(EventKind::Intent, "a", 1);
  EXPECT_EQ(said(), Lines());
  claim(); // the first process is gone
  EXPECT_EQ(said(), Lines());
  write(EventKind::Unknown, "a", 1, R"({"crash":true})");
  EXPECT_EQ(said(), Lines()); // it may yet be found
  write(EventKind::Reconciled, "a", 1, R"({"found":false})");
  write(EventKind::Intent, "a", 2);
  EXPECT_EQ(said(), (Lines{"a [a] unknown, crash: , agt.unknown, "
                           "agt.reconcile"}));
  EXPECT_EQ(sink.spans[0].id,
            spanIdOf(sink.spans[0].trace, "attempt", "a", 1, 1));
  write(EventKind::Result, "a", 2);
  claim(); // what has been said is not said again
  write(EventKind::RunDone, "");
  EXPECT_EQ(said(), (Lines{"invoke_agent chain [] done, agt.claimed, "
                           "agt.claimed, agt.claimed"}));
}

TEST_F(RunTraceTest, WhatIsFoundWasDone) {
  claim();
  write(EventKind::Intent, "a", 1);
  write(EventKind::Unknown, "a", 1);
  write(EventKind::Reconciled, "a", 1, R"({"found":true})");
  EXPECT_EQ(said(), (Lines{"a [a] done, agt.unknown, agt.reconcile"}));
  EXPECT_EQ(get(sink.spans[0], "error.type"), "");
}

TEST_F(RunTraceTest, RetriesAreAttempts) {
  claim();
  Event &failure = log(EventKind::Failure, "p", 1);
  failure.error = "'p' said: my secret prompt";
  failure.beganNs = failure.notedNs - 3;
  write(failure);
  write(EventKind::Unknown, "p", 2);
  Event &last = log(EventKind::Failure, "p", 3);
  last.info = R"({"final":true})";
  write(last);
  EXPECT_EQ(said(), (Lines{"p [p] failed, failed: 'p' said, agt.retry",
                           "p [p] unknown, unknown: , agt.unknown",
                           "p [p] failed, failed: "}));
  EXPECT_EQ(sink.spans[0].endNs - sink.spans[0].beginNs, 3);
}

TEST_F(RunTraceTest, AnswersFromOutsideAreSaidByTheNextClaim) {
  claim();
  write(EventKind::ApprovalAsked, "ok");
  write(EventKind::Intent, "o", 1);
  write(EventKind::Unknown, "o", 1);
  write(EventKind::Parked, "o", 1);
  write(EventKind::Released, "");
  EXPECT_EQ(said(), (Lines{"o [o] unknown, unknown: , agt.unknown"}));
  log(EventKind::Approval, "ok", 0).result = "true";
  log(EventKind::Decision, "o", 0).info = R"({"resolve":"retry"})";
  claim();
  EXPECT_EQ(said(), (Lines{"approval [ok] done", "parked [o] retry"}));
  claim();
  EXPECT_EQ(said(), Lines());
}

TEST_F(RunTraceTest, ForksBranchesAndWhatIsInThem) {
  claim();
  write(EventKind::Intent, "f[x]/i#0/a", 1);
  write(EventKind::Result, "f[x]/i#0/a", 1);
  claim(); // the second branch, by another process
  write(EventKind::Intent, "f[y%20z]/a", 1);
  Event &lost = log(EventKind::Cancelled, "f[y%20z]/a", 1);
  write(lost);
  Event &decision = log(EventKind::Decision, "f", 0);
  decision.args = R"(["x","y z"])";
  decision.result = R"({"parts":["ok","open"]})";
  write(decision);
  EXPECT_EQ(said(),
            (Lines{"a [f[y%20z]/a] cancelled", "branch f [f[x]] done",
                   "branch f [f[y%20z]] cancelled", "fork f [f] done"}));
  const TraceSpan &a = sink.spans[0], &x = sink.spans[1], &y = sink.spans[2],
                  &fork = sink.spans[3];
  EXPECT_EQ(a.parent, y.id);
  EXPECT_EQ(y.parent, fork.id);
  EXPECT_EQ(x.parent, fork.id);
  // As the first process has called it, when the first thing in it began.
  EXPECT_EQ(fork.id, spanIdOf(fork.trace, "fork", "f", 0, 1));
  EXPECT_EQ(x.id, spanIdOf(fork.trace, "branch", "f[x]", 0, 1));
  EXPECT_EQ(x.endNs - x.beginNs, 10'000'000);
}

TEST_F(RunTraceTest, JoinsAreOverWithWhatTheyAreIn) {
  claim();
  Event &dropped = log(EventKind::Decision, "j", 0);
  dropped.args = R"({"dropped":["a"],"of":3})";
  write(dropped);
  write(EventKind::Intent, "j/reduce#0", 1);
  write(EventKind::Result, "j/reduce#0", 1);
  write(EventKind::Intent, "c", 0, R"({"agent":"other"})");
  write(EventKind::Intent, "c/other/k/reduce#0", 1);
  write(EventKind::Result, "c/other/k/reduce#0", 1);
  write(EventKind::Result, "c");
  write(EventKind::RunDone, "");
  EXPECT_EQ(
      said(),
      (Lines{"reduce [j/reduce#0] done", "reduce [c/other/k/reduce#0] done",
             "join k [c/other/k] done", "invoke_agent other [c] done",
             "join j [j] done", "invoke_agent chain [] done, agt.claimed"}));
  EXPECT_EQ(sink.spans[0].parent, sink.spans[4].id);
  EXPECT_EQ(sink.spans[1].parent, sink.spans[2].id);
  EXPECT_EQ(sink.spans[2].parent, sink.spans[3].id);
}

TEST_F(RunTraceTest, WhatIsOpenEndsWithTheRun) {
  claim();
  write(EventKind::Intent, "c", 0, R"({"agent":"other"})");
  write(EventKind::Sleep, "c/other/s");
  write(EventKind::Intent, "f[x]/a", 1);
  write(EventKind::Unknown, "f[x]/a", 1);
  write(EventKind::Cancelled, "");
  std::set<std::string> ids;
  for (const TraceSpan &span : sink.spans)
    ids.insert(span.id);
  EXPECT_EQ(ids.size(), 6u);
  for (const TraceSpan &span : sink.spans)
    EXPECT_TRUE(span.parent.empty() || ids.count(span.parent)) << span.name;
  EXPECT_EQ(said().back(), "invoke_agent chain [] cancelled, agt.claimed");
}

TEST_F(RunTraceTest, ADoneAnewStepIsAnotherSpan) {
  claim();
  write(EventKind::Intent, "a", 1);
  write(EventKind::Result, "a", 1);
  std::string first = sink.spans[0].id;
  claim(); // by a changed program that says `on_change: rerun`
  write(EventKind::Intent, "a", 1);
  write(EventKind::Result, "a", 1);
  EXPECT_EQ(said(), Lines{"a [a] done"});
  EXPECT_NE(sink.spans[0].id, first);
}

TEST_F(RunTraceTest, TokensOfTurnsAreCountedOnce) {
  claim();
  write(EventKind::Intent, "q", 1);
  write(EventKind::Intent, "q/turn#0", 1);
  Event &turn = log(EventKind::Result, "q/turn#0", 1);
  turn.info = R"({"part":true,"model":"m","finish":"stop"})";
  turn.tokensIn = 10;
  turn.tokensOut = 2;
  write(turn);
  Event &whole = log(EventKind::Result, "q", 1);
  whole.tokensIn = 10;
  whole.tokensOut = 2;
  write(whole);
  int64_t in = 0;
  for (const TraceSpan &span : sink.spans)
    for (const auto &[key, value] : span.attributes)
      if (key == "gen_ai.usage.input_tokens")
        in += std::get<int64_t>(value);
  EXPECT_EQ(in, 10);
}

TEST_F(RunTraceTest, FailuresOfAgentsAreNotQuoted) {
  claim();
  Event &end = log(EventKind::RunFailed, "", 0);
  end.error = "declined what a model said";
  end.info = R"({"place":"a.agt:3:4"})";
  write(end);
  EXPECT_EQ(said(),
            (Lines{"invoke_agent chain [] failed, failed: the run failed "
                   "at a.agt:3:4, agt.claimed"}));
}

//===----------------------------------------------------------------------===//
// Sending
//===----------------------------------------------------------------------===//

TEST(Exporter, CountsWhatIsRejectedAndSendsTheRest) {
  int64_t exported = exportTotals().exported, dropped = exportTotals().dropped;
  FakeServer server([](const std::string &) {
    return FakeServer::answer("200 OK",
                              R"({"partialSuccess":{"rejectedSpans":"1"}})");
  });
  TraceSettings settings;
  settings.url = server.url() + "/v1/traces";
  settings.batch = 2;
  settings.headers = {{"x-key", "v"}};
  {
    Exporter exporter(settings);
    for (int i = 0; i < 3; ++i)
      exporter.take(TraceSpan());
  }
  EXPECT_EQ(server.requests().size(), 2u);
  EXPECT_NE(server.requests()[0].find("x-key: v"), std::string::npos);
  EXPECT_EQ(exportTotals().exported - exported, 1);
  EXPECT_EQ(exportTotals().dropped - dropped, 2);
  EXPECT_EQ(exportTotals().waiting, 0);
}

TEST(Exporter, NeverWaitsForWhoHangs) {
  int64_t dropped = exportTotals().dropped;
  FakeServer server([](const std::string &) { return "hang"; });
  TraceSettings settings;
  settings.url = server.url();
  settings.queue = settings.batch = 4;
  settings.timeoutNs = 100'000'000;
  auto begin = std::chrono::steady_clock::now();
  {
    Exporter exporter(settings);
    for (int i = 0; i < 10'000; ++i)
      exporter.take(TraceSpan());
    EXPECT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::milliseconds(500));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
  EXPECT_EQ(exportTotals().dropped - dropped, 10'000);
}

} // namespace
