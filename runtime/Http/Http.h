// One HTTP request, as tools and models make them.
#ifndef AGT_RUNTIME_HTTP_HTTP_H
#define AGT_RUNTIME_HTTP_HTTP_H

#include "runtime/Agent/Execution.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agt::rt {

struct HttpRequest {
  std::string method, url, body;
  bool hasBody = false;
  std::vector<std::pair<std::string, std::string>> headers;
  int64_t timeoutNs = 0; // absolute, whatever the server says
  const CancelToken *cancel = nullptr;
  /// Asked when the connection stands, right before the request is sent; false:
  /// it is not, and that is NotConnected. None: whenever.
  std::function<bool()> mayBegin;
  size_t keep = 8 << 20; // bytes of the answer
  /// Pieces of a 2xx answer as they come; false ends the transfer.
  std::function<bool(std::string_view)> onData;
  /// Headers of the answer; names in lower case.
  std::function<void(const std::string &name, const std::string &value)>
      onHeader;
  /// Looked at when something moves, and once a second: true cancels.
  std::function<bool()> stop;
};

struct HttpReply {
  enum Kind {
    Answered,     // all of it
    NotConnected, // nothing was sent
    Lost,         // sent, perhaps; no whole answer
    TimedOut,
    Cancelled
  } kind = Lost;
  long status = 0;
  std::string body;
  uint64_t bodyBytes = 0;
  std::string error;
  int64_t retryAfterNs = 0;
};

/// Throws StepFailure for a request that is none (a URL of no known form).
HttpReply httpRequest(const HttpRequest &request);

} // namespace agt::rt

#endif // AGT_RUNTIME_HTTP_HTTP_H
