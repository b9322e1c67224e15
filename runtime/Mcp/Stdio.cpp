// A server that is our child: one message a line on its standard streams.
//
// It stands under a supervisor as every tool does (Tool/Process.h), so that it
// and what it starts end with this program, whatever way that ends. One thread
// reads: answers go to those who wait for them by their id, everything else is
// dealt with at once. A server that writes without end (a line of more than
// 8 MiB; 64 MiB, or a thousand lines that are no messages, without an answer)
// is ended; so is one that a message could be written to in half only.
#include "runtime/Mcp/Transport.h"
#include "runtime/Support/Text.h"
#include "runtime/Tool/Protocol.h"
#include "runtime/Tool/Spawn.h"
#include "runtime/Tool/Tool.h"

#include <condition_variable>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>

namespace agt::rt {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr size_t longestLine = 8 << 20, mostUnasked = 64 << 20,
                 lastWordsKept = 4096;
constexpr int mostGarbage = 1000;
constexpr milliseconds look(20), goodbye(300), grace(400);

class Stdio : public McpTransport {
public:
  explicit Stdio(const ProcessSpec &spec) {
    if (int error = spawn(spec, child))
      throw StepFailure(std::string("could not be started: ") +
                        std::strerror(error));
    reader = std::thread([this] { read(); });
  }

  // First its input ends, as the protocol has it; then TERM, then KILL.
  ~Stdio() override {
    {
      std::lock_guard<std::mutex> writing(writeMutex);
      child.input.reset();
    }
    if (!awaitDeath(goodbye)) {
      say('t');
      if (!awaitDeath(grace))
        say('k');
    }
    reader.join();
    child.control.reset();
    int status;
    while (waitpid(child.supervisor, &status, 0) < 0 && errno == EINTR)
      ;
  }

  McpReply exchange(const McpRequest &request) override {
    McpTime time(request.idleNs, request.longestNs);
    Pending pending{&time, {}, false};
    {
      std::lock_guard<std::mutex> held(mutex);
      if (!death.empty())
        return reply(McpReply::NotSent, death);
      waiting[request.id] = &pending;
    }
    switch (write(request.text, time, request.cancel)) {
    case Sent::Nothing:
      forget(request.id);
      return reply(McpReply::NotSent, describe("took no message"));
    case Sent::Part:
      forget(request.id);
      kill("did not take a whole message");
      return reply(McpReply::Lost, describe("did not take a whole message"));
    case Sent::All:
      return await(request, pending);
    }
    return {};
  }

  void notify(const std::string &text) override {
    McpTime time(1'000'000'000, 1'000'000'000);
    if (write(text, time, nullptr) == Sent::Part)
      kill("did not take a whole message");
  }

  void agreed(const std::string &) override {}

  std::string dead() override {
    std::lock_guard<std::mutex> held(mutex);
    return death;
  }

private:
  struct Pending {
    McpTime *time;
    McpMessage answer;
    bool answered;
  };
  enum class Sent { Nothing, Part, All };

  static McpReply reply(McpReply::Kind kind, std::string error) {
    McpReply reply;
    reply.kind = kind;
    reply.error = std::move(error);
    return reply;
  }

  // ---- ours to it ----------------------------------------------------------

  Sent write(const std::string &text, const McpTime &time,
             const CancelToken *cancel) {
    std::lock_guard<std::mutex> writing(writeMutex);
    std::string line = text + "\n";
    for (size_t at = 0; at < line.size();) {
      bool gone = !child.input.open() || time.over() ||
                  (cancel && cancel->cancelled()) || !dead().empty();
      ssize_t sent = gone ? -1
                          : writePipe(child.input.get(),
                                      std::string_view(line).substr(at));
      if (sent >= 0) {
        at += size_t(sent);
        continue;
      }
      if (!gone && errno == EINTR)
        continue;
      if (gone || errno != EAGAIN)
        return at ? Sent::Part : Sent::Nothing;
      pollfd file = {child.input.get(), POLLOUT, 0};
      poll(&file, 1, int(look.count()));
    }
    return Sent::All;
  }

  McpReply await(const McpRequest &request, Pending &pending) {
    std::unique_lock<std::mutex> held(mutex);
    while (true) {
      if (pending.answered) {
        McpReply answered;
        answered.kind = McpReply::Answered;
        answered.answer = std::move(pending.answer);
        return answered;
      }
      bool cancelled = request.cancel && request.cancel->cancelled();
      if (!death.empty() || cancelled || pending.time->over())
        break;
      changed.wait_for(
          held, std::min<std::chrono::nanoseconds>(look, pending.time->left()));
    }
    waiting.erase(request.id);
    givenUp.insert(request.id);
    if (!death.empty())
      return reply(McpReply::Lost, death);
    bool timedOut = pending.time->over();
    std::string strange = oddity;
    held.unlock();
    notify(
        notificationText("notifications/cancelled",
                         {{"requestId", request.id},
                          {"reason", timedOut ? "time limit" : "cancelled"}}));
    if (!timedOut)
      return reply(McpReply::Cancelled, "was cancelled");
    return reply(McpReply::TimedOut,
                 "got no answer within " + pending.time->text() +
                     (strange.empty() ? "" : "; the server " + strange));
  }

  void forget(int64_t id) {
    std::lock_guard<std::mutex> held(mutex);
    waiting.erase(id);
  }

  // ---- it to us ------------------------------------------------------------

  void read() {
    bool outOpen = true, errOpen = true;
    while (true) {
      pollfd files[] = {{child.control.get(), POLLIN, 0},
                        {outOpen ? child.out.get() : -1, POLLIN, 0},
                        {errOpen ? child.err.get() : -1, POLLIN, 0}};
      if (poll(files, 3, -1) < 0 && errno != EINTR)
        break;
      if (files[2].revents)
        errOpen = takeErr() != Took::End;
      if (files[1].revents) {
        outOpen = takeOut() != Took::End;
        if (!outOpen && !isOver())
          kill("closed its output");
      }
      if (!files[0].revents)
        continue;
      Report report{'s', 0};
      bool reported = ::read(child.control.get(), &report, sizeof report) ==
                      ssize_t(sizeof report);
      // Nothing of it is alive: what is in the pipes is all there will be.
      while (outOpen && takeOut() == Took::Some)
        ;
      while (errOpen && takeErr() == Took::Some)
        ;
      end(reported ? endText(report) : "was lost with its supervisor");
      return;
    }
    end("could not be read from");
  }

  // Whether the supervisor reports, which it does soon when the server ends.
  bool isOver() const {
    pollfd file = {child.control.get(), POLLIN, 0};
    return poll(&file, 1, int(goodbye.count())) > 0;
  }

  static std::string endText(const Report &report) {
    std::string code = std::to_string(report.code);
    return report.kind == 'x'   ? "ended with exit " + code
           : report.kind == 's' ? "was killed by signal " + code
           : report.kind == 'p' ? "was killed: it had more than the " + code +
                                      " processes of its sandbox"
                                : std::string("could not be started: ") +
                                      std::strerror(report.code);
  }

  enum class Took { Some, Nothing, End };
  static Took took(ssize_t got) {
    return got > 0                                          ? Took::Some
           : got < 0 && (errno == EINTR || errno == EAGAIN) ? Took::Nothing
                                                            : Took::End;
  }

  Took takeErr() {
    char buffer[4096];
    ssize_t got = ::read(child.err.get(), buffer, sizeof buffer);
    if (got <= 0)
      return took(got);
    lastWords.append(buffer, size_t(got));
    if (lastWords.size() > 2 * lastWordsKept)
      lastWords.erase(0, lastWords.size() - lastWordsKept);
    return Took::Some;
  }

  Took takeOut() {
    char buffer[65536];
    ssize_t got = ::read(child.out.get(), buffer, sizeof buffer);
    if (got <= 0)
      return took(got);
    unasked += size_t(got);
    if (killed)
      return Took::Some; // drained, so that it can end
    for (const char *at = buffer, *stop = buffer + got; at < stop && !killed;) {
      auto *line =
          static_cast<const char *>(std::memchr(at, '\n', size_t(stop - at)));
      partial.append(at, line ? line : stop);
      if (!line)
        break;
      at = line + 1;
      std::string whole;
      whole.swap(partial);
      heard(whole);
    }
    if (partial.size() > longestLine)
      kill("wrote a line of more than 8 MiB");
    else if (unasked > mostUnasked)
      kill("wrote more than 64 MiB without an answer");
    return Took::Some;
  }

  void heard(const std::string &line) {
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      return;
    McpMessage message = readMessage(line);
    if (message.kind == McpMessage::Request) {
      notify(replyText(message));
      return;
    }
    std::unique_lock<std::mutex> held(mutex);
    if (std::optional<int64_t> id = message.progressOf()) {
      auto found = waiting.find(*id);
      if (found != waiting.end())
        found->second->time->progress();
      return;
    }
    if (message.kind == McpMessage::Notification)
      return;
    if (message.kind == McpMessage::Garbage) {
      oddity = "wrote what is no message: " + excerpt(line.substr(0, 100)) +
               " (" + message.method + ")";
      if (++garbage > mostGarbage) {
        held.unlock();
        kill(oddity);
      }
      return;
    }
    for (auto &[id, pending] : waiting)
      if (message.answers(id)) {
        pending->answer = std::move(message);
        pending->answered = true;
        waiting.erase(id);
        unasked = 0;
        garbage = 0;
        changed.notify_all();
        return;
      }
    if (message.id.is_number_integer() &&
        givenUp.erase(message.id.get<int64_t>()))
      return; // late
    oddity = "answered a request that nobody waits for, with the id " +
             message.id.dump().substr(0, 40);
  }

  // ---- its end -------------------------------------------------------------

  void say(char command) {
    send(child.control.get(), &command, 1, MSG_NOSIGNAL);
  }

  void kill(const std::string &why) {
    {
      std::lock_guard<std::mutex> held(mutex);
      if (killReason.empty())
        killReason = "was ended: it " + why;
    }
    killed = true;
    say('k');
  }

  std::string describe(const std::string &otherwise) {
    std::lock_guard<std::mutex> held(mutex);
    return !death.empty()        ? death
           : !killReason.empty() ? "the server " + killReason
                                 : "the server " + otherwise;
  }

  void end(const std::string &how) {
    std::string words = excerpt(lastWords.substr(
        lastWords.size() - std::min(lastWords.size(), size_t(300))));
    std::lock_guard<std::mutex> held(mutex);
    death = "the server " + (killReason.empty() ? how : killReason) +
            (words.empty() ? "" : ": " + words);
    changed.notify_all();
  }

  bool awaitDeath(milliseconds time) {
    std::unique_lock<std::mutex> held(mutex);
    return changed.wait_for(held, time, [&] { return !death.empty(); });
  }

  Spawned child;
  std::mutex writeMutex;
  // The reader's own.
  std::string partial, lastWords;
  size_t unasked = 0;
  int garbage = 0;
  std::atomic<bool> killed{false};
  // Everybody's, under the mutex.
  std::mutex mutex;
  std::condition_variable changed;
  std::map<int64_t, Pending *> waiting;
  std::set<int64_t> givenUp;
  std::string death, killReason, oddity;
  std::thread reader;
};

} // namespace

std::unique_ptr<McpTransport> startStdioServer(const ProcessSpec &spec) {
  return std::make_unique<Stdio>(spec);
}

} // namespace agt::rt
