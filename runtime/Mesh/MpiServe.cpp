// The thread of MpiWorld that makes all calls of MPI.
#include "runtime/Mesh/Mpi.h"
#include "runtime/Plan/Plan.h"
#include "runtime/Support/Failure.h"

#include <algorithm>
#include <chrono>

namespace agt::rt {

// MPI counts in int.
static constexpr uint64_t mostBytes = uint64_t(1) << 30;

[[noreturn]] static void failMpi(const char *what) {
  fail(AGT_FAILED, std::string("MPI could not ") + what);
}

void MpiWorld::join() {
  constexpr int funneled = 1; // only the thread that initialises makes calls
  int provided = 0;
  int rank = 0, size = 1;
  if (mpi->Init_thread(nullptr, nullptr, funneled, &provided) != 0 ||
      mpi->Comm_rank(mpi->world, &rank) != 0 ||
      mpi->Comm_size(mpi->world, &size) != 0)
    failMpi("be initialised");
  self = rank;
  count = size;
  listen();
}

// Receives the next cancellation, whoever it is from.
void MpiWorld::listen() {
  if (mpi->Irecv(&cancelByte, 1, mpi->byte, mpi->anySource, cancelTag,
                 mpi->world, &cancelRequest) != 0)
    failMpi("receive");
}

void MpiWorld::start(const MessagePtr &message) {
  Message &m = *message;
  m.span.begin = monotonicSeconds();
  int peer = int(m.peer);
  auto send = [&](void *data, uint64_t bytes, int tag, void **request) {
    if (mpi->Isend(data, int(bytes), mpi->byte, peer, tag, mpi->world,
                   request) != 0)
      failMpi("send");
  };
  auto receive = [&](void *data, uint64_t bytes, int tag, void **request) {
    if (mpi->Irecv(data, int(bytes), mpi->byte, peer, tag, mpi->world,
                   request) != 0)
      failMpi("receive");
  };
  if (m.tag == dataTag && m.sends)
    send(&m.noticeByte, 1, readyTag, &m.notice);
  else if (m.tag == dataTag)
    receive(&m.noticeByte, 1, readyTag, &m.notice);
  else
    m.noticed = true;
  for (uint64_t at = 0; at < m.bytes; at += mostBytes) {
    uint64_t part = std::min(mostBytes, m.bytes - at);
    m.parts.push_back(nullptr);
    if (m.sends)
      send(m.data + at, part, m.tag, &m.parts.back());
    else
      receive(m.data + at, part, m.tag, &m.parts.back());
  }
  underWay.push_back(message);
}

// True when the request is done, which it is only once.
bool MpiWorld::test(void *&request) {
  if (!request)
    return true;
  int done = 0;
  if (mpi->Test(&request, &done, nullptr) != 0)
    failMpi("go on with a message");
  if (done)
    request = nullptr;
  return done;
}

// Whether the other side is ready. A receiver then knows when the transfer
// began and, over a link with a rate, when it may end; so it must hear of the
// messages of one sender in their order.
void MpiWorld::notice(Message &m) {
  if (m.noticed || (!m.sends && unnoticed.count(m.peer)))
    return;
  m.noticed = test(m.notice);
  if (m.sends)
    return;
  if (!m.noticed) {
    unnoticed.insert(m.peer);
    return;
  }
  double &busy = busyUntil[{m.peer, m.link.axis}];
  m.span.begin = std::max(monotonicSeconds(), busy);
  if (m.link.rate > 0)
    busy = m.span.begin + double(m.bytes) / m.link.rate;
}

// True when the message is over.
bool MpiWorld::advance(Message &m) {
  notice(m);
  double now = monotonicSeconds();
  if (!m.arrived) {
    bool all = true;
    for (void *&part : m.parts)
      all &= test(part);
    m.arrived = all;
  }
  if (!m.arrived || !m.noticed)
    return false;
  double due = m.span.begin;
  if (!m.sends && m.link.rate > 0)
    due += double(m.bytes) / m.link.rate;
  if (now < due)
    return false;
  m.span.end = std::max(now, m.span.begin);
  return true;
}

// Tells the others of a cancellation here, and hears of theirs.
void MpiWorld::checkCancelled() {
  if (test(cancelRequest)) {
    std::lock_guard<std::mutex> hold(lock);
    cancelled = cancelSent = true; // who cancelled has told all others
    changed.notify_all();
  }
  if (!cancelRequest)
    listen();
  {
    std::lock_guard<std::mutex> hold(lock);
    if (!cancelled || cancelSent)
      return;
    cancelSent = true;
  }
  for (int64_t other = 0; other < count; ++other) {
    if (other == self)
      continue;
    MessagePtr message = newMessage(true, other, nullptr, 1, cancelTag);
    message->data = reinterpret_cast<unsigned char *>(&message->noticeByte);
    start(message);
  }
}

void MpiWorld::serve() {
  using std::chrono::microseconds;
  constexpr microseconds shortPause(20), busyPause(200), longPause(500);
  microseconds pause = longPause;
  try {
    join();
    {
      std::lock_guard<std::mutex> hold(lock);
      joined = true;
      changed.notify_all();
    }
    for (;;) {
      std::deque<MessagePtr> fresh;
      bool leave = false;
      {
        std::unique_lock<std::mutex> hold(lock);
        // What is under way moves only while it is tested, the rest of the time
        // belongs to the work: large messages are looked at less often after a
        // while. Without any, cancellations are listened for.
        if (underWay.empty())
          pause = longPause;
        else
          pause = std::min(pause + pause / 2, busyPause);
        posted.wait_for(hold, pause, [&] {
          return !arriving.empty() || leaving || stopped;
        });
        if (stopped)
          return;
        fresh.swap(arriving);
        if (!fresh.empty())
          pause = shortPause;
        leave = leaving;
      }
      for (const MessagePtr &message : fresh)
        start(message);
      checkCancelled();
      std::vector<MessagePtr> over;
      unnoticed.clear();
      for (const MessagePtr &message : underWay)
        if (advance(*message))
          over.push_back(message);
      if (!over.empty()) {
        pause = shortPause;
        std::lock_guard<std::mutex> hold(lock);
        for (const MessagePtr &message : over) {
          message->done = true;
          underWay.erase(std::find(underWay.begin(), underWay.end(), message));
        }
        changed.notify_all();
      }
      if (leave && underWay.empty())
        break;
    }
    mpi->Cancel(&cancelRequest);
    mpi->Wait(&cancelRequest, nullptr);
    mpi->Finalize();
  } catch (...) {
    std::lock_guard<std::mutex> hold(lock);
    failure = std::current_exception();
    changed.notify_all();
  }
}

} // namespace agt::rt
