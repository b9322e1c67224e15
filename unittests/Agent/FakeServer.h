// An HTTP server on the loopback that answers as a test says, byte for byte.
#ifndef AGT_UNITTESTS_AGENT_FAKESERVER_H
#define AGT_UNITTESTS_AGENT_FAKESERVER_H

#include <arpa/inet.h>
#include <atomic>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace agt::rt::test {

class FakeServer {
public:
  /// Gets the whole request (head and body), gives all bytes of the answer;
  /// "" closes the connection without one, "hang" keeps it open for a while.
  using Handler = std::function<std::string(const std::string &request)>;

  explicit FakeServer(Handler handler) : handler(std::move(handler)) {
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof address);
    socklen_t length = sizeof address;
    getsockname(listener, reinterpret_cast<sockaddr *>(&address), &length);
    port = ntohs(address.sin_port);
    listen(listener, 16);
    thread = std::thread([this] { serve(); });
  }
  ~FakeServer() {
    ending = true;
    shutdown(listener, SHUT_RDWR);
    thread.join();
    close(listener);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port); }
  std::vector<std::string> requests() {
    std::lock_guard<std::mutex> held(mutex);
    return seen;
  }

  static std::string answer(const std::string &status, const std::string &body,
                            const std::string &headers = "") {
    return "HTTP/1.1 " + status +
           "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nConnection: close\r\n" + headers + "\r\n" + body;
  }

private:
  void serve() {
    while (true) {
      int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0)
        return;
      std::string request = readRequest(client);
      if (request.empty()) { // who came had nothing to say
        close(client);
        continue;
      }
      {
        std::lock_guard<std::mutex> held(mutex);
        seen.push_back(request);
      }
      std::string reply = handler(request);
      if (reply == "hang")
        for (int i = 0; i < 300 && !ending; ++i)
          usleep(10000);
      else if (!reply.empty() &&
               send(client, reply.data(), reply.size(), MSG_NOSIGNAL) < 0)
        return;
      close(client);
    }
  }

  static std::string readRequest(int client) {
    std::string all;
    char buffer[4096];
    while (true) {
      size_t end = all.find("\r\n\r\n");
      if (end != std::string::npos) {
        size_t at = all.find("Content-Length: ");
        size_t body =
            at == std::string::npos ? 0 : std::stoul(all.substr(at + 16));
        if (all.size() >= end + 4 + body)
          return all;
      }
      ssize_t n = read(client, buffer, sizeof buffer);
      if (n <= 0)
        return all;
      all.append(buffer, size_t(n));
    }
  }

  Handler handler;
  int listener;
  uint16_t port;
  std::atomic<bool> ending{false};
  std::mutex mutex;
  std::vector<std::string> seen;
  std::thread thread;
};

} // namespace agt::rt::test

#endif // AGT_UNITTESTS_AGENT_FAKESERVER_H
