// A small HTTP/1.1 server on the loopback address, for the console page and for
// metrics: one thread a connection, one request a connection. Requests are
// parsed by libhttp-parser; what is too long, too slow or no HTTP is refused.
#ifndef AGT_RUNTIME_WEB_WEBSERVER_H
#define AGT_RUNTIME_WEB_WEBSERVER_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace agt::rt {

struct WebRequest {
  std::string method;
  std::string path; // as it was sent, still percent-encoded
  std::map<std::string, std::string> query;   // decoded
  std::map<std::string, std::string> headers; // names in lower case
  std::string body;
  /// Whether nobody waits for the answer any more, or the server ends.
  std::function<bool()> isGone = [] { return false; };

  /// "" where there is none.
  std::string header(const std::string &name) const;
  std::string parameter(const std::string &name) const;
};

/// Writes a piece of an answer; false when the reader is gone, or the server
/// ends.
using WebSink = std::function<bool(std::string_view)>;

struct WebReply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  /// In place of a body: writes pieces until it returns.
  std::function<void(const WebSink &)> stream;
};

/// An answer with {"error": message}.
WebReply errorReply(int status, const std::string &message);

/// Called on any thread, for several requests at once. What it throws is
/// answered with 500.
using WebHandler = std::function<WebReply(const WebRequest &)>;

class WebServer {
public:
  /// Listens on 127.0.0.1; 0 picks a free port. Fails with AGT_FAILED when the
  /// port cannot be had.
  WebServer(int port, WebHandler handler);
  ~WebServer(); // as end()
  WebServer(const WebServer &) = delete;

  int port() const { return number; }
  /// Accepts connections until `ending` or end(); returns when the last one is
  /// over.
  void serve(const std::function<bool()> &ending);
  void end() { over = true; }

private:
  struct Connection {
    std::thread thread;
    std::atomic<bool> done{false};
  };
  void work(int socket, bool full);
  void reap(bool all);

  WebHandler handler;
  int listener = -1, number = 0;
  std::atomic<bool> over{false};
  std::list<Connection> connections;
};

/// Percent-decoding; false for what is no such text.
bool decodePercent(std::string_view text, std::string &decoded);

/// The port of a command line's option. Fails with AGT_BAD_INPUT.
int parsePort(const std::string &option, const std::string &text);

} // namespace agt::rt

#endif // AGT_RUNTIME_WEB_WEBSERVER_H
