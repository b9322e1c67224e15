// See WebServer.h.
#include "runtime/Web/WebServer.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Socket.h"
#include "runtime/Value/Value.h"
#include "runtime/Web/WebRequest.h"

#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace agt::rt {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t mostConnections = 64, mostTold = 32;
constexpr int lookEveryMs = 100;
constexpr auto requestTime = std::chrono::seconds(10);

const char *reasonOf(int status) {
  switch (status) {
  case 200:
    return "OK";
  case 400:
    return "Bad Request";
  case 403:
    return "Forbidden";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  case 408:
    return "Request Timeout";
  case 409:
    return "Conflict";
  case 413:
    return "Payload Too Large";
  case 415:
    return "Unsupported Media Type";
  case 431:
    return "Request Header Fields Too Large";
  case 503:
    return "Service Unavailable";
  default:
    return "Internal Server Error";
  }
}

// A reader that is gone is only seen by reading.
bool isGone(int socket) {
  char byte;
  ssize_t n = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

std::string headOf(const WebReply &reply) {
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " " +
                     reasonOf(reply.status) +
                     "\r\nContent-Type: " + reply.type +
                     "\r\nConnection: close\r\n"
                     "X-Content-Type-Options: nosniff\r\n"
                     "Referrer-Policy: no-referrer\r\n"
                     "Cross-Origin-Resource-Policy: same-origin\r\n"
                     "Cache-Control: no-store\r\n";
  for (const auto &[name, value] : reply.headers)
    head += name + ": " + value + "\r\n";
  if (!reply.stream)
    head += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
  return head + "\r\n";
}

// What was sent and not read would make the kernel drop the answer.
void closeGently(int socket) {
  shutdown(socket, SHUT_WR);
  auto end = Clock::now() + std::chrono::milliseconds(500);
  char rest[4096];
  pollfd ready{socket, POLLIN, 0};
  while (Clock::now() < end && poll(&ready, 1, lookEveryMs) > 0 &&
         recv(socket, rest, sizeof rest, MSG_DONTWAIT) > 0)
    ;
  close(socket);
}

} // namespace

std::string WebRequest::header(const std::string &name) const {
  auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::string WebRequest::parameter(const std::string &name) const {
  auto found = query.find(name);
  return found == query.end() ? "" : found->second;
}

WebReply errorReply(int status, const std::string &message) {
  WebReply reply;
  reply.status = status;
  reply.type = "application/json";
  reply.body = "{\"error\":" + jsonString(message) + "}\n";
  return reply;
}

int parsePort(const std::string &option, const std::string &text) {
  bool digits = !text.empty() && text.size() <= 5 &&
                text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoi(text) > 65535)
    fail(AGT_BAD_INPUT,
         "expected " + option + " as a port, 0 to 65535, got '" + text + "'");
  return std::stoi(text);
}

WebServer::WebServer(int port, WebHandler given) : handler(std::move(given)) {
  auto failed = [&] {
    std::string why = std::strerror(errno);
    if (listener >= 0)
      close(listener);
    fail(AGT_FAILED,
         "cannot listen on 127.0.0.1:" + std::to_string(port) + ": " + why);
  };
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0)
    failed();
  int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(uint16_t(port));
  socklen_t size = sizeof address;
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  if (bind(listener, generic, size) != 0 || listen(listener, 64) != 0 ||
      getsockname(listener, generic, &size) != 0)
    failed();
  number = ntohs(address.sin_port);
}

WebServer::~WebServer() {
  end();
  reap(true);
  close(listener);
}

void WebServer::reap(bool all) {
  for (auto at = connections.begin(); at != connections.end();) {
    if (!all && !at->done) {
      ++at;
      continue;
    }
    at->thread.join();
    at = connections.erase(at);
  }
}

void WebServer::serve(const std::function<bool()> &ending) {
  while (!over && !ending()) {
    reap(false);
    pollfd ready{listener, POLLIN, 0};
    if (poll(&ready, 1, lookEveryMs) <= 0)
      continue;
    int accepted = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted < 0) {
      // Too many files are open: some connection has to end first.
      if (errno == EMFILE || errno == ENFILE)
        std::this_thread::sleep_for(std::chrono::milliseconds(lookEveryMs));
      continue;
    }
    // Some beyond the limit are told so; an answer in front of the request
    // would be lost when the connection is closed.
    bool full = connections.size() >= mostConnections;
    if (connections.size() >= mostConnections + mostTold) {
      close(accepted);
      continue;
    }
    timeval patience{10, 0};
    setsockopt(accepted, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    connections.emplace_back();
    Connection &own = connections.back();
    try {
      own.thread = std::thread([this, &own, accepted, full] {
        work(accepted, full);
        own.done = true;
      });
    } catch (const std::system_error &) { // no more threads for now
      sendAll(accepted, headOf(errorReply(503, "too many connections")));
      closeGently(accepted);
      connections.pop_back();
    }
  }
  end();
  reap(true);
}

void WebServer::work(int socket, bool full) {
  WebRequestReader reader;
  WebRequestReader::State state = WebRequestReader::More;
  auto end = Clock::now() + requestTime;
  char bytes[16384];
  while (state == WebRequestReader::More) {
    pollfd ready{socket, POLLIN, 0};
    int polled = poll(&ready, 1, lookEveryMs);
    if (over || (polled < 0 && errno != EINTR)) {
      close(socket);
      return;
    }
    if (polled > 0) {
      ssize_t n = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
      if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        close(socket);
        return;
      }
      if (n > 0)
        state = reader.feed(bytes, size_t(n));
    }
    if (state == WebRequestReader::More && Clock::now() > end) {
      reader.status = 408;
      reader.error = "the request took too long";
      state = WebRequestReader::Refused;
    }
  }
  WebReply reply;
  if (state == WebRequestReader::Refused) {
    reply = errorReply(reader.status, reader.error);
  } else if (full) {
    reply = errorReply(503, "too many connections");
  } else {
    reader.request.isGone = [&] { return over || isGone(socket); };
    try {
      reply = handler(reader.request);
    } catch (const std::exception &error) {
      reply = errorReply(500, error.what());
    } catch (...) { // a request never ends the program
      reply = errorReply(500, "the request could not be answered");
    }
  }
  bool sent = sendAll(socket, headOf(reply));
  if (sent && reply.stream)
    try {
      reply.stream([&](std::string_view piece) {
        return !over && !isGone(socket) && sendAll(socket, piece);
      });
    } catch (...) {
      // The reader takes it up again, and is told then.
    }
  else if (sent && reader.request.method != "HEAD")
    sendAll(socket, reply.body);
  closeGently(socket);
}

} // namespace agt::rt
