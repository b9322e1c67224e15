// See Together.h.
#include "runtime/Mesh/Together.h"

#include "runtime/Mesh/Transport.h"
#include "runtime/Plan/Plan.h"
#include "runtime/Support/Failure.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace agt::rt {
namespace {

// Opens when all who were expected wait at it, or not at all.
class Gate {
public:
  /// The moment of opening; nothing when it stays closed.
  std::optional<double> pass() {
    std::unique_lock<std::mutex> hold(lock);
    ++waiting;
    changed.notify_all();
    changed.wait(hold, [&] { return decided; });
    return moment;
  }
  void openFor(size_t count) {
    std::unique_lock<std::mutex> hold(lock);
    changed.wait(hold, [&] { return waiting == count; });
    moment = monotonicSeconds();
    decided = true;
    changed.notify_all();
  }
  void close() {
    std::lock_guard<std::mutex> hold(lock);
    decided = true;
    changed.notify_all();
  }

private:
  std::mutex lock;
  std::condition_variable changed;
  size_t waiting = 0;
  bool decided = false;
  std::optional<double> moment;
};

// The failure of the first position that has one.
class FirstFailure {
public:
  /// Call in a catch block.
  void note(size_t from, const std::string &prefix) {
    agt_status status = statusOfCurrentException();
    std::lock_guard<std::mutex> hold(lock);
    if (!failure || from < position) {
      position = from;
      failure.emplace(agt_code(agt_status_code(status)),
                      prefix + agt_status_message(status),
                      agt_status_place(status));
    }
    agt_status_release(status);
  }
  void rethrow() const {
    if (failure)
      throw *failure;
  }

private:
  std::mutex lock;
  std::optional<Failure> failure;
  size_t position = 0; // whose it is
};

} // namespace

void runTogether(size_t count, const std::function<void(size_t, double)> &body,
                 const std::function<void(size_t)> &failed) {
  FirstFailure failure;
  Gate gate;
  auto work = [&](size_t i) {
    try {
      if (std::optional<double> start = gate.pass())
        body(i, *start);
    } catch (const Cancelled &) {
      // Who failed has noted why.
    } catch (...) {
      failure.note(i, count > 1 ? "position " + std::to_string(i) + ": " : "");
      failed(i);
    }
  };
  std::vector<std::thread> threads;
  try {
    threads.reserve(count);
    for (size_t i = 0; i < count; ++i)
      threads.emplace_back(work, i);
    gate.openFor(count);
  } catch (...) {
    failure.note(0, "");
    gate.close();
  }
  for (std::thread &thread : threads)
    thread.join();
  failure.rethrow();
}

} // namespace agt::rt
