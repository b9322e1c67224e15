// Models: the scripted mock, and endpoints as a fake server plays them.
#include "unittests/Agent/EngineFixture.h"
#include "unittests/Agent/FakeServer.h"

#include <algorithm>

using namespace agt::rt;
using namespace agt::rt::test;

namespace {

class MockTest : public EngineTest {
protected:
  // The declarations with a mock file of ours.
  void script(const std::string &json) {
    std::string file = dir.write("replies.json", json);
    program.llms[0].file = file;
  }
};

TEST_F(MockTest, AnswersAreReadAgainstTheirType) {
  script(R"([{"match": {"user": "^a", "system": "^s$"},
              "reply": {"x": 7, "y": 0.5}}])");
  EXPECT_EQ(start("asks", R"({"u": "a?"})").result, "\"7,0.5\"");
  std::vector<Event> events = log->events("r", 0);
  EXPECT_EQ(events[2].kind, EventKind::Intent);
  EXPECT_EQ(events[2].args, R"({"llm":"script","system":"s","user":"a?"})");
  EXPECT_EQ(events[3].result, R"({"x":7,"y":0.5})");
  EXPECT_EQ(events[3].tokensIn, 2);
  EXPECT_EQ(start("asks", R"({"u": "b?"})", "s").result,
            R"("o: 'script' has no entry for the prompt with system \"s\" )"
            R"(and user \"b?\"")");
}

TEST_F(MockTest, OneRepairAndNoMore) {
  script(R"([{"match": {"user": "^a"}, "reply": {"x": 7, "y": 1.5}},
             {"match": {"user": "not valid: expected a value in 0..1 in 'y'"},
              "times": 1, "reply": "{\"x\": 8, \"y\": 0.25}"},
             {"reply": "words", "times": 5}])");
  EXPECT_EQ(start("asks", R"({"u": "a"})").result, "\"8,0.25\"");
  Lines all = kinds();
  EXPECT_TRUE(std::count(all.begin(), all.end(), "result o/repair"));
  script(R"([{"reply": ""}])");
  EXPECT_EQ(start("assistant", R"({"u": "a"})", "s").message,
            "answer: 'script' gave no valid answer, nor when asked again: the "
            "answer is empty");
}

TEST_F(MockTest, TokensAreBounded) {
  script(R"([{"reply": "words that are no JSON"}])");
  EXPECT_EQ(
      start("asks", R"({"u": "a"})").result,
      "\"o: the budget of asks is exhausted: 60 tokens, after 2 steps and "
      "64 tokens\"");
}

TEST_F(MockTest, ErrorsAreRetriedAndCutAnswersNeverUsed) {
  script(R"([{"times": 1, "error": 429}, {"times": 1, "error": "cut"},
             {"times": 1, "reply": {"x": 1, "y": 0}}])");
  EXPECT_EQ(start("asks", R"({"u": "a"})").result, "\"1,0.0\"");
  EXPECT_EQ(kinds(), (Lines{"run_started", "claimed", "intent o", "failure o",
                            "intent o", "unknown o", "intent o", "result o",
                            "run_done"}));
  script(R"([{"error": 500}])");
  EXPECT_EQ(start("asks", R"({"u": "a"})", "s").result,
            "\"o: 'script' answered 500\"");
}

TEST_F(MockTest, ToolsAreSteps) {
  script(R"([
    {"match": {"user": "go"}, "times": 1, "reply": {"tool_calls": [
      {"name": "note", "arguments": {"text": "one"}},
      {"name": "other", "arguments": {}},
      {"name": "shell", "arguments": {"cod": "true"}}]}},
    {"reply": "finished"}])");
  RunOutcome outcome = start("assistant", R"({"u": "go"})");
  EXPECT_EQ(outcome.message, "");
  EXPECT_EQ(outcome.result, "\"finished\"");
  EXPECT_EQ(ledger(), (Lines{"one"}));
  Lines all = kinds();
  EXPECT_TRUE(std::count(all.begin(), all.end(), "result answer/tool#0"));
  EXPECT_TRUE(std::count(all.begin(), all.end(), "result answer/turn#1"));
  EXPECT_EQ(replay().result, outcome.result);
}

TEST_F(MockTest, ToolCallsAreBounded) {
  script(R"([{"reply": {"tool_calls": [
      {"name": "note", "arguments": {"text": "one"}}]}}])");
  EXPECT_EQ(start("assistant", R"({"u": "go"})").message,
            "answer: 'script' asked for more than 3 calls of tools");
  EXPECT_EQ(ledger().size(), 3u);
}

// ---- endpoints -------------------------------------------------------------

class EndpointTest : public EngineTest {
protected:
  void use(const FakeServer &server) {
    program.llms[0].kind = "openai";
    program.llms[0].model = TextSource(Json("m"));
    program.llms[0].endpoint = TextSource(Json(server.url() + "/v1/"));
    program.llms[0].key = TextSource(Json{{"secret", "TEST_KEY"}});
    setenv("TEST_KEY", "sk-very-secret", 1);
  }
  static std::string stream(const std::vector<std::string> &pieces,
                            const std::string &end = "data: [DONE]\n\n") {
    std::string body = ": keep alive\n\n";
    for (const std::string &piece : pieces)
      body += "data: " + piece + "\r\n\r\n";
    return FakeServer::answer("200 OK", body + end,
                              "Content-Type: text/event-stream\r\n");
  }
  static std::string piece(const std::string &text) {
    return Json{{"model", "m-1"},
                {"choices", {{{"delta", {{"content", text}}}}}}}
        .dump();
  }
  static std::string stop(const char *reason = "stop") {
    return Json{
        {"choices", {{{"delta", Json::object()}, {"finish_reason", reason}}}}}
        .dump();
  }
  const std::string usage =
      R"({"choices": [], "usage": {"prompt_tokens": 11,
          "completion_tokens": 5}})";
};

TEST_F(EndpointTest, AnswersAreStreamed) {
  std::string flat = Json::parse(usage).dump();
  FakeServer server([&](const std::string &) {
    return stream({piece("{\"x\": 4, "), piece("\"y\": 0.5}"), stop(), flat});
  });
  use(server);
  RunOutcome outcome = start("asks", R"({"u": "hello"})");
  EXPECT_EQ(outcome.result, "\"4,0.5\"");
  std::string request = server.requests()[0];
  EXPECT_NE(request.find("POST /v1/chat/completions HTTP/1.1\r\n"),
            std::string::npos);
  EXPECT_NE(request.find("Authorization: Bearer sk-very-secret\r\n"),
            std::string::npos);
  Json body = Json::parse(request.substr(request.find("\r\n\r\n") + 4));
  EXPECT_EQ(body["messages"].dump(), R"([{"content":"s","role":"system"},)"
                                     R"({"content":"hello","role":"user"}])");
  EXPECT_EQ(body["response_format"]["json_schema"]["schema"]["$defs"]["Point"]
                ["properties"]["y"]
                    .dump(),
            R"({"maximum":1.0,"minimum":0.0,"type":"number"})");
  const Event done = log->events("r", 0)[3];
  EXPECT_EQ(done.tokensIn, 11);
  EXPECT_EQ(done.tokensOut, 5);
  EXPECT_EQ(done.info, R"({"finish":"stop","model":"m-1"})");
}

TEST_F(EndpointTest, OneObjectIsUnderstoodToo) {
  FakeServer server([&](const std::string &) {
    return FakeServer::answer(
        "200 OK", R"({"choices": [{"finish_reason": "stop", "message":
                      {"content": "{\"x\": 1, \"y\": 1}"}}]})");
  });
  use(server);
  EXPECT_EQ(start("asks", R"({"u": "a"})").result, "\"1,1.0\"");
}

TEST_F(EndpointTest, WhatIsNotFinishedIsNotUsed) {
  std::vector<std::string> replies = {
      stream({piece("{\"x\": 1, \"y\": 1}"), stop()}, ""), // no end
      stream({piece("{\"x\": 1, \"y\": 1}")}),             // no reason
      stream({piece("{\"x\": 1"), stop("length")})};

  size_t n = 0;
  FakeServer server(
      [&](const std::string &) { return replies[n++ % replies.size()]; });
  use(server);
  EXPECT_EQ(start("asks", R"({"u": "a"})").result,
            "\"o: 'script' was cut off at its limit of tokens\"");
  std::vector<std::string> errors;
  for (const Event &event : log->events("r", 0))
    if (event.kind == EventKind::Unknown)
      errors.push_back(event.error);
  EXPECT_EQ(errors,
            (Lines{"'script' was cut off in the middle of its answer: the "
                   "stream ended before its end was said",
                   "'script' ended without a finish reason",
                   "'script' was cut off at its limit of tokens"}));
}

TEST_F(EndpointTest, ToolCallsComeInPieces) {
  size_t n = 0;
  FakeServer server([&](const std::string &) {
    if (n++)
      return stream({piece("done"), stop()});
    return stream(
        {R"({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c1",)"
         R"( "function": {"name": "note", "arguments": "{\"te"}}]}}]})",
         R"({"choices": [{"delta": {"tool_calls": [{"index": 0,)"
         R"( "function": {"arguments": "xt\": \"hi\"}"}}]}}]})",
         stop("tool_calls")});
  });
  use(server);
  EXPECT_EQ(start("assistant", R"({"u": "go"})").result, "\"done\"");
  EXPECT_EQ(ledger(), (Lines{"hi"}));
  std::string second = server.requests()[1];
  Json body = Json::parse(second.substr(second.find("\r\n\r\n") + 4));
  EXPECT_EQ(body["messages"][2].dump(),
            R"({"content":"noted hi","role":"tool","tool_call_id":"c1"})");
}

// A call whose arguments were cut is never made.
TEST_F(EndpointTest, ACutToolCallIsNotExecuted) {
  FakeServer server([&](const std::string &) {
    return stream(
        {R"({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c1",)"
         R"( "function": {"name": "note", "arguments": "{\"text\": \"a\"}"}}]}}]})"},
        "");
  });
  use(server);
  EXPECT_EQ(start("assistant", R"({"u": "go"})").code, AGT_FAILED);
  EXPECT_TRUE(ledger().empty());
  EXPECT_EQ(server.requests().size(), 3u); // retry: 2
}

// Definite failures: as many attempts as `retry` says, and the key is in no
// text.
TEST_F(EndpointTest, RefusalsAndErrorsAreDefinite) {
  std::string reply = stream(
      {R"({"choices": [{"delta": {"refusal": "I will not."}}]})", stop()});
  FakeServer server([&](const std::string &) { return reply; });
  use(server);
  EXPECT_EQ(start("asks", R"({"u": "a"})").result,
            "\"o: 'script' refused to answer: I will not.\"");
  EXPECT_EQ(server.requests().size(), 3u);
  reply =
      FakeServer::answer("401 Unauthorized",
                         R"({"error": {"message": "bad key sk-very-secret"}})");
  EXPECT_EQ(start("asks", R"({"u": "a"})", "s").result,
            "\"o: 'script' answered 401: bad key ***\"");
  EXPECT_EQ(server.requests().size(), 6u);
  for (const Event &event : log->events("s", 0))
    EXPECT_EQ((event.error + event.info + event.args).find("sk-very"),
              std::string::npos);
}

TEST_F(EndpointTest, TooManyRequestsWaitAsLongAsIsAsked) {
  size_t n = 0;
  FakeServer server([&](const std::string &) {
    if (n++ == 0)
      return FakeServer::answer("429 Too Many Requests", "slow down",
                                "Retry-After: 1\r\n");
    return stream({piece("{\"x\": 1, \"y\": 1}"), stop()});
  });
  use(server);
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(start("asks", R"({"u": "a"})").result, "\"1,1.0\"");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

TEST_F(EndpointTest, NobodyListens) {
  std::string url;
  {
    FakeServer server([](const std::string &) { return ""; });
    use(server);
  }
  std::string result = start("asks", R"({"u": "a"})").result;
  EXPECT_EQ(result.rfind("\"o: 'script' could not be reached: ", 0), 0u)
      << result;
}

} // namespace
