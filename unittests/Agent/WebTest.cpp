// Requests as they come in, and which are answered at all.
#include "runtime/Ui/Page.h"
#include "runtime/Ui/ProcessMetrics.h"
#include "runtime/Web/Guard.h"
#include "runtime/Web/WebRequest.h"

#include <gtest/gtest.h>

using namespace agt::rt;

namespace {

TEST(WebRequest, ComesInPieces) {
  std::string whole =
      "POST /api/x?a=1&b=%20%26&c HTTP/1.1\r\nHost: localhost\r\n"
      "X-Two:  a b\r\nContent-Length: 3\r\n\r\nabc";
  for (size_t piece = 1; piece <= whole.size(); ++piece) {
    WebRequestReader reader;
    WebRequestReader::State state = WebRequestReader::More;
    for (size_t at = 0; at < whole.size(); at += piece) {
      ASSERT_EQ(state, WebRequestReader::More) << piece << " " << at;
      state =
          reader.feed(whole.data() + at, std::min(piece, whole.size() - at));
    }
    ASSERT_EQ(state, WebRequestReader::Whole) << piece << reader.error;
    EXPECT_EQ(reader.request.method, "POST");
    EXPECT_EQ(reader.request.path, "/api/x");
    EXPECT_EQ(reader.request.parameter("b"), " &");
    EXPECT_EQ(reader.request.query.count("c"), 1u);
    EXPECT_EQ(reader.request.header("x-two"), "a b");
    EXPECT_EQ(reader.request.body, "abc");
  }
}

TEST(WebRequest, IsRefusedWithAReason) {
  auto refused = [](const std::string &text) {
    WebRequestReader reader;
    EXPECT_EQ(reader.feed(text.data(), text.size()), WebRequestReader::Refused)
        << text;
    return std::to_string(reader.status) + " " + reader.error;
  };
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n"),
            "400 a header that counts is there twice");
  EXPECT_EQ(refused("GET /?a=%4 HTTP/1.1\r\n\r\n"),
            "400 the request's target is no path");
  EXPECT_EQ(
      refused("GET / HTTP/1.1\r\nX: " + std::string(20000, 'x')).substr(0, 3),
      "431");
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n" +
                    std::string(1100000, 'x')),
            "413 the request's body is above 1 MiB");
}

TEST(Guard, KnowsItsOwnNamesAlone) {
  auto status = [](const std::string &host) {
    WebRequest request;
    request.method = "GET";
    request.headers["host"] = host;
    std::optional<WebReply> reply = refusal(request, "t");
    return reply ? reply->status : 200;
  };
  for (const char *host :
       {"127.0.0.1", "127.0.0.1:80", "LocalHost:9", "[::1]", "[::1]:443"})
    EXPECT_EQ(status(host), 200) << host;
  for (const char *host :
       {"", ":80", "127.0.0.1:", "127.0.0.1:x", "127.0.0.2", "localhost.evil",
        "evil:127.0.0.1", "::1", "[::1", "localhost localhost", "0.0.0.0"})
    EXPECT_EQ(status(host), 403) << host;
}

TEST(Guard, TokensAreUnlikeEachOther) {
  std::string one = newToken();
  EXPECT_EQ(one.size(), 64u);
  EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(one, newToken());
}

TEST(Page, IsBuiltIn) {
  const PageFile *page = findPageFile("console.html");
  ASSERT_TRUE(page);
  EXPECT_STREQ(page->type, "text/html; charset=utf-8");
  EXPECT_EQ(page->content.substr(0, 15), "<!doctype html>");
  EXPECT_EQ(page->content.substr(page->content.size() - 8), "</html>\n");
  EXPECT_FALSE(findPageFile("../console.html"));
}

TEST(MetricFamily, EscapesLabels) {
  std::string text;
  MetricFamily(text, "x_total", "counter", "Things.")
      .add(0.25, {{"a", "q\"b\\n\n"}, {"b", ""}});
  EXPECT_EQ(text, "# HELP x_total Things.\n# TYPE x_total counter\n"
                  "x_total{a=\"q\\\"b\\\\n\\n\",b=\"\"} 0.25\n");
}

TEST(MetricFamily, WritesHistograms) {
  std::string text;
  MetricFamily(text, "x_seconds", "histogram", "Times.")
      .addHistogram({0.005, 604800}, {1, 3}, 4, 2.5, {{"a", "b"}});
  EXPECT_EQ(text, "# HELP x_seconds Times.\n# TYPE x_seconds histogram\n"
                  "x_seconds_bucket{a=\"b\",le=\"0.005\"} 1\n"
                  "x_seconds_bucket{a=\"b\",le=\"604800\"} 3\n"
                  "x_seconds_bucket{a=\"b\",le=\"+Inf\"} 4\n"
                  "x_seconds_sum{a=\"b\"} 2.5\n"
                  "x_seconds_count{a=\"b\"} 4\n");
}

} // namespace
