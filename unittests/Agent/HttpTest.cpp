// HTTP tools against a fake server: the outcome table, and an answer that is
// lost after the effect.
#include "runtime/Http/Http.h"
#include "unittests/Agent/EngineFixture.h"
#include "unittests/Agent/FakeServer.h"

#include <algorithm>

using namespace agt::rt;
using namespace agt::rt::test;

namespace {

// A tracker: files what is posted, finds it by the token in it.
class Tracker {
public:
  Tracker()
      : server([this](const std::string &request) { return handle(request); }) {
    setenv("API", server.url().c_str(), 1);
  }

  std::vector<std::string> lost;   // answers in place of those to posts
  int hidden = 0;                  // searches that find nothing yet
  std::vector<std::string> issues; // bodies
  bool files = true;               // a post that has a lost answer files
  FakeServer server;

private:
  std::string handle(const std::string &request) {
    if (request.rfind("POST /issues ", 0) == 0) {
      bool answerLost = !lost.empty();
      if (!answerLost || files)
        issues.push_back(request.substr(request.find("\r\n\r\n") + 4));
      if (!answerLost)
        return FakeServer::answer("201 Created", number(issues.size()));
      std::string reply = lost.front();
      lost.erase(lost.begin());
      return reply;
    }
    size_t begin = request.find("token=") + 6;
    std::string token = request.substr(begin, request.find(' ', begin) - begin);
    for (size_t i = 0; i < issues.size() && hidden-- <= 0; ++i)
      if (issues[i].find(token) != std::string::npos)
        return FakeServer::answer("200 OK", number(i + 1));
    return FakeServer::answer("200 OK", "");
  }
  static std::string number(size_t n) { return "#" + std::to_string(n); }
};

using HttpTest = EngineTest;

TEST_F(HttpTest, AnAnswerIsAnAnswer) {
  Tracker tracker;
  EXPECT_EQ(start("files", R"({"text": "broken"})").result, "\"#1\"");
  std::string token = log->events("r", 0)[2].token;
  EXPECT_EQ(tracker.issues, (Lines{"broken\n" + token}));
  EXPECT_NE(tracker.server.requests()[0].find("Idempotency-Key: " + token),
            std::string::npos);
}

// The connection stands, but the call was announced too long ago.
TEST_F(HttpTest, WhatIsLateIsNotSent) {
  Tracker tracker;
  HttpRequest request;
  request.method = "POST";
  request.url = tracker.server.url() + "/issues";
  request.timeoutNs = 5'000'000'000;
  request.mayBegin = [] { return false; };
  HttpReply reply = httpRequest(request);
  EXPECT_EQ(reply.kind, HttpReply::NotConnected);
  EXPECT_EQ(reply.error, "it was announced too long ago");
  EXPECT_EQ(tracker.server.requests().size(), 0u);
  request.mayBegin = [] { return true; };
  EXPECT_EQ(httpRequest(request).kind, HttpReply::Answered);
  EXPECT_EQ(tracker.issues.size(), 1u);
}

// The tracker answers 504 but has filed it: it is found and not filed twice.
TEST_F(HttpTest, AGatewayLosesTheAnswer) {
  Tracker tracker;
  tracker.lost = {FakeServer::answer("504 Gateway Timeout", "")};
  EXPECT_EQ(start("files", R"({"text": "broken"})").result, "\"#1\"");
  EXPECT_EQ(tracker.issues.size(), 1u);
  Lines all = kinds();
  EXPECT_EQ(all, (Lines{"run_started", "claimed", "intent issue",
                        "unknown issue", "reconciled issue", "run_done"}));
  EXPECT_EQ(replay().result, "\"#1\"");
}

TEST_F(HttpTest, TheConnectionDropsBeforeTheAnswer) {
  Tracker tracker;
  tracker.lost = {""};
  EXPECT_EQ(start("files", R"({"text": "broken"})").result, "\"#1\"");
  EXPECT_EQ(tracker.issues.size(), 1u);
}

TEST_F(HttpTest, TheAnswerIsTooLate) {
  Tracker tracker;
  tracker.lost = {"hang"};
  EXPECT_EQ(start("files", R"({"text": "broken"})").result, "\"#1\"");
  EXPECT_EQ(tracker.issues.size(), 1u);
}

// An index that lags: "not found" counts only when asked again.
TEST_F(HttpTest, TheSearchSettlesFirst) {
  Tracker tracker;
  tracker.lost = {FakeServer::answer("502 Bad Gateway", "")};
  tracker.hidden = 1;
  EXPECT_EQ(start("files", R"({"text": "broken"})").result, "\"#1\"");
  EXPECT_EQ(tracker.issues.size(), 1u);
}

TEST_F(HttpTest, WhatWasNotFiledIsFiledAgain) {
  Tracker tracker;
  tracker.files = false;
  tracker.lost = {FakeServer::answer("503 Service Unavailable", "")};
  EXPECT_EQ(start("files", R"({"text": "broken"})").result, "\"#1\"");
  EXPECT_EQ(tracker.issues.size(), 1u);
  // The same token both times.
  std::set<std::string> tokens;
  for (const Event &event : log->events("r", 0))
    if (event.kind == EventKind::Intent)
      tokens.insert(event.token);
  EXPECT_EQ(tokens.size(), 1u);
}

// Many times the same error: as many attempts as declared.
TEST_F(HttpTest, AttemptsAreThoseDeclared) {
  Tracker tracker;
  tracker.files = false;
  tracker.lost = Lines(10, FakeServer::answer("500 Oops", "it broke"));
  EXPECT_EQ(start("files", R"({"text": "broken"})").message,
            "issue: 'file' was answered 500: it broke");
  EXPECT_EQ(tracker.lost.size(), 8u);
}

TEST_F(HttpTest, OtherErrorsAreDefinite) {
  Tracker tracker;
  tracker.files = false;
  tracker.lost = Lines(2, FakeServer::answer("422 No", "no title"));
  EXPECT_EQ(start("files", R"({"text": "broken"})").message,
            "issue: 'file' was answered 422: no title");
  EXPECT_EQ(tracker.lost.size(), 0u); // one retry, as declared
  tracker.lost = {FakeServer::answer("200 OK", "\xff")};
  std::string said = start("files", R"({"text": "b"})", "s").result;
  EXPECT_EQ(said, "\"#1\""); // not valid, then retried
}

TEST_F(HttpTest, NoConnectionNoEffect) {
  setenv("API", "http://127.0.0.1:1", 1);
  std::string message = start("files", R"({"text": "b"})").message;
  EXPECT_EQ(message.rfind("issue: 'file' made no connection: ", 0), 0u)
      << message;
  setenv("API", "ftp://x", 1);
  EXPECT_EQ(start("files", R"({"text": "b"})", "s").message,
            "issue: expected a URL that begins with http:// or https://, got "
            "\"ftp://x/issues\"");
}

} // namespace
