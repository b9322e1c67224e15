// A server behind a URL: every message is a POST of its own, and the answer to
// a request is its body, as one JSON message or as a stream of events.
//
// A stream that breaks, or that the server closes before the answer, is gone on
// with by a GET that names the last event seen. A session that the server no
// longer knows (404) is over for this object; who owns it makes another.
#include "runtime/Http/Http.h"
#include "runtime/Mcp/EventStream.h"
#include "runtime/Mcp/Transport.h"
#include "runtime/Support/Text.h"
#include "runtime/Tool/Tool.h"

#include <thread>

namespace agt::rt {

namespace {

constexpr size_t mostUnasked = 64 << 20, largestEvent = 8 << 20;
constexpr int mostGarbage = 1000;
constexpr int64_t aside = 2'000'000'000; // for what nobody waits for

class StreamableHttp : public McpTransport {
public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  StreamableHttp(std::string url, Headers headers)
      : url(std::move(url)), headers(std::move(headers)) {}

  ~StreamableHttp() override {
    if (session().empty() || !dead().empty())
      return;
    try {
      HttpRequest request = make("DELETE");
      request.timeoutNs = aside;
      httpRequest(request);
    } catch (...) {
      // The server forgets the session by itself.
    }
  }

  McpReply exchange(const McpRequest &request) override;

  void notify(const std::string &text) override {
    try {
      HttpRequest request = make("POST");
      request.body = text;
      request.hasBody = true;
      request.timeoutNs = aside;
      httpRequest(request);
    } catch (const StepFailure &) {
      // A header that is none: the next request says so.
    }
  }

  void agreed(const std::string &text) override {
    std::lock_guard<std::mutex> held(mutex);
    version = text;
  }

  std::string dead() override {
    std::lock_guard<std::mutex> held(mutex);
    return expired ? "the server's session has expired" : "";
  }

private:
  friend class HttpExchange;

  std::string session() {
    std::lock_guard<std::mutex> held(mutex);
    return sessionId;
  }

  HttpRequest make(const std::string &method) {
    HttpRequest request;
    request.method = method;
    request.url = url;
    request.headers = headers;
    std::lock_guard<std::mutex> held(mutex);
    if (method == "POST") {
      request.headers.emplace_back("Content-Type", "application/json");
      request.headers.emplace_back("Accept",
                                   "application/json, text/event-stream");
    } else if (method == "GET") {
      request.headers.emplace_back("Accept", "text/event-stream");
    }
    if (!version.empty())
      request.headers.emplace_back("MCP-Protocol-Version", version);
    if (!sessionId.empty())
      request.headers.emplace_back("Mcp-Session-Id", sessionId);
    return request;
  }

  const std::string url;
  const Headers headers;
  std::mutex mutex;
  std::string sessionId, version;
  bool expired = false;
};

// One request: the POST, and the GETs that go on with its stream.
class HttpExchange {
public:
  HttpExchange(StreamableHttp &server, const McpRequest &request)
      : server(server), request(request),
        time(request.idleNs, request.longestNs),
        stream([this](const std::string &data) { heard(data); }) {}

  McpReply run() {
    HttpRequest http = server.make("POST");
    http.body = request.text;
    http.hasBody = true;
    bool hadSession = !server.session().empty();
    HttpReply reply = perform(http);
    if (std::optional<McpReply> result = conclude(reply, hadSession))
      return *result;
    // A stream that ended without the answer.
    while (!stream.lastId.empty() && !failed && pause()) {
      HttpRequest again = server.make("GET");
      again.headers.emplace_back("Last-Event-ID", stream.lastId);
      stream.restart();
      reply = perform(again);
      bool refused = reply.kind == HttpReply::Answered &&
                     (reply.status / 100 != 2 || !streams) &&
                     reply.status < 500 && reply.status != 429;
      if (answered || refused)
        break;
    }
    if (answered)
      return answer();
    if (std::optional<McpReply> over = ended())
      return *over;
    return lost("its stream ended without the answer" +
                (!oddity.empty() ? ": it " + oddity
                 : reply.status / 100 != 2
                     ? ", and going on with it was answered " +
                           std::to_string(reply.status)
                     : ""));
  }

private:
  HttpReply perform(HttpRequest &http) {
    streams = false;
    http.timeoutNs = std::max<int64_t>(request.longestNs - spent(), 1);
    http.cancel = request.cancel;
    http.stop = [this] { return time.over(); };
    http.onHeader = [this](const std::string &name, const std::string &value) {
      if (name == "content-type")
        streams = value.rfind("text/event-stream", 0) == 0;
      else if (name == "mcp-session-id")
        givenSession = value;
    };
    http.onData = [this](std::string_view bytes) {
      if (!streams)
        return true;
      unasked += bytes.size();
      stream.feed(bytes);
      if (stream.pending() > largestEvent)
        fail("wrote an event of more than 8 MiB");
      else if (unasked > mostUnasked)
        fail("wrote more than 64 MiB without an answer");
      return !answered && !failed;
    };
    return httpRequest(http);
  }

  int64_t spent() const {
    return std::chrono::nanoseconds(McpTime::Clock::now() - begin).count();
  }

  // No value: the stream may be gone on with.
  std::optional<McpReply> conclude(const HttpReply &reply, bool hadSession) {
    if (answered)
      return answer();
    if (reply.kind == HttpReply::NotConnected)
      return make(McpReply::NotSent, "made no connection: " + reply.error);
    if (std::optional<McpReply> over = ended())
      return over;
    if (reply.kind == HttpReply::TimedOut)
      return timedOut();
    if (reply.kind != HttpReply::Answered) {
      if (streams)
        return std::nullopt;
      return lost("got no whole answer: " + reply.error);
    }
    std::string said = excerpt(reply.body);
    std::string how = "was answered " + std::to_string(reply.status) +
                      (said.empty() ? "" : ": " + said);
    if (reply.status == 404 && hadSession) {
      std::lock_guard<std::mutex> held(server.mutex);
      server.expired = true;
      return make(McpReply::Expired, how);
    }
    if (reply.status == 429) {
      McpReply result = make(McpReply::NotSent, how);
      result.retryAfterNs = reply.retryAfterNs;
      return result;
    }
    if (reply.status >= 500 || reply.status == 408) {
      McpReply result = lost(how);
      result.retryAfterNs = reply.retryAfterNs;
      return result;
    }
    if (reply.status / 100 != 2)
      return make(McpReply::Refused, how);
    if (streams)
      return std::nullopt;
    if (reply.bodyBytes > reply.body.size())
      return lost("was answered with " + bytesText(reply.bodyBytes) +
                  ", more than the 8 MiB that are kept");
    heard(reply.body);
    if (answered)
      return answer();
    return lost(how + (oddity.empty() ? "" : "; the server " + oddity));
  }

  // The time is over, or the run cancelled: the server is told.
  std::optional<McpReply> ended() {
    bool cancelled = request.cancel && request.cancel->cancelled();
    if (!cancelled && !time.over())
      return std::nullopt;
    if (!cancelled)
      return timedOut();
    tell("cancelled");
    return make(McpReply::Cancelled, "was cancelled");
  }
  McpReply timedOut() {
    tell("time limit");
    return make(McpReply::TimedOut,
                "got no answer within " + time.text() +
                    (oddity.empty() ? "" : "; the server " + oddity));
  }
  void tell(const char *reason) {
    server.notify(
        notificationText("notifications/cancelled",
                         {{"requestId", request.id}, {"reason", reason}}));
  }

  void heard(const std::string &data) {
    McpMessage message = readMessage(data);
    if (std::optional<int64_t> id = message.progressOf()) {
      if (*id == request.id)
        time.progress();
    } else if (message.kind == McpMessage::Request) {
      server.notify(replyText(message));
    } else if (message.kind == McpMessage::Garbage) {
      oddity = "wrote what is no message: " + excerpt(data.substr(0, 100)) +
               " (" + message.method + ")";
      if (++garbage > mostGarbage)
        failed = true;
    } else if (message.answers(request.id)) {
      if (!answered)
        found = std::move(message);
      answered = true;
    } else if (message.kind != McpMessage::Notification) {
      oddity = "answered a request that nobody waits for, with the id " +
               message.id.dump().substr(0, 40);
    }
  }

  McpReply answer() {
    if (!givenSession.empty()) {
      std::lock_guard<std::mutex> held(server.mutex);
      if (server.sessionId.empty())
        server.sessionId = givenSession;
    }
    McpReply reply;
    reply.kind = McpReply::Answered;
    reply.answer = std::move(found);
    return reply;
  }

  void fail(const char *why) {
    oddity = why;
    failed = true;
  }

  // Before another connection; false when the exchange is over.
  bool pause() {
    auto end =
        McpTime::Clock::now() + std::chrono::milliseconds(stream.retryMs);
    while (McpTime::Clock::now() < end) {
      if (time.over() || (request.cancel && request.cancel->cancelled()))
        return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }

  static McpReply make(McpReply::Kind kind, std::string error) {
    McpReply reply;
    reply.kind = kind;
    reply.error = std::move(error);
    return reply;
  }
  static McpReply lost(std::string error) {
    return make(McpReply::Lost, std::move(error));
  }

  StreamableHttp &server;
  const McpRequest &request;
  const McpTime::Clock::time_point begin = McpTime::Clock::now();
  McpTime time;
  EventStream stream;
  McpMessage found;
  std::string givenSession, oddity;
  bool streams = false, answered = false, failed = false;
  size_t unasked = 0;
  int garbage = 0;
};

McpReply StreamableHttp::exchange(const McpRequest &request) {
  return HttpExchange(*this, request).run();
}

} // namespace

std::unique_ptr<McpTransport> reachHttpServer(
    const std::string &url,
    const std::vector<std::pair<std::string, std::string>> &headers) {
  return std::make_unique<StreamableHttp>(url, headers);
}

} // namespace agt::rt
