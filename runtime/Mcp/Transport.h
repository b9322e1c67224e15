// How messages travel between this program and an MCP server: over the pipes of
// a child (Stdio.cpp), or as POSTs to a URL (StreamableHttp.cpp).
//
// Several threads exchange at the same time. What a server says besides answers
// (progress, pings, logs) is dealt with inside; however much of it there is, an
// exchange ends with its time.
#ifndef AGT_RUNTIME_MCP_TRANSPORT_H
#define AGT_RUNTIME_MCP_TRANSPORT_H

#include "runtime/Agent/Execution.h"
#include "runtime/Mcp/Message.h"
#include "runtime/Tool/Process.h"

#include <chrono>
#include <memory>

namespace agt::rt {

/// The time of one request: it is over when there was neither an answer nor
/// progress for `idleNs`, and after `longestNs` whatever there was.
class McpTime {
public:
  using Clock = std::chrono::steady_clock;
  McpTime(int64_t idleNs, int64_t longestNs)
      : idle(idleNs), longest(longestNs), begin(Clock::now()) {}
  void progress() { touched = Clock::now() - begin; }
  std::chrono::nanoseconds left() const {
    std::chrono::nanoseconds spent = Clock::now() - begin;
    return std::min(touched.load() + idle, longest) - spent;
  }
  bool over() const { return left() <= left().zero(); }
  /// "1 s without progress" or "4 s".
  std::string text() const;

private:
  const std::chrono::nanoseconds idle, longest;
  const Clock::time_point begin;
  std::atomic<std::chrono::nanoseconds> touched{{}};
};

struct McpRequest {
  int64_t id = 0;
  std::string text;
  int64_t idleNs = 0, longestNs = 0;
  const CancelToken *cancel = nullptr;
};

struct McpReply {
  enum Kind {
    Answered, // `answer` is a Result or an Error
    NotSent,
    Lost, // sent, perhaps; no answer will come
    TimedOut,
    Cancelled,
    Expired, // not sent: the server no longer knows the session
    Refused  // not carried out: the server said so, below JSON-RPC
  } kind = Lost;
  McpMessage answer;
  std::string error; // of all but Answered
  int64_t retryAfterNs = 0;
};

class McpTransport {
public:
  virtual ~McpTransport();
  virtual McpReply exchange(const McpRequest &request) = 0;
  /// A notification. Who cannot be reached is not told.
  virtual void notify(const std::string &text) = 0;
  /// The version that was agreed on.
  virtual void agreed(const std::string &version) = 0;
  /// "": messages can be exchanged; else why not any more.
  virtual std::string dead() = 0;
};

/// A child process. `argv`, `environment`, `guard` and sandbox are in `spec`.
/// Throws StepFailure when it cannot be started.
std::unique_ptr<McpTransport> startStdioServer(const ProcessSpec &spec);
/// A URL, with headers for every request.
std::unique_ptr<McpTransport> reachHttpServer(
    const std::string &url,
    const std::vector<std::pair<std::string, std::string>> &headers);

} // namespace agt::rt

#endif // AGT_RUNTIME_MCP_TRANSPORT_H
