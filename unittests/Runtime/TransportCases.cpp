// See TransportCases.h.
#include "unittests/Runtime/TransportCases.h"

#include "runtime/Plan/Plan.h"

#include <chrono>
#include <thread>

namespace agt::rt::test {

#define AGT_CHECK(CONDITION)                                                   \
  if (!(CONDITION))                                                            \
  return "line " + std::to_string(__LINE__) + ": " #CONDITION

using Words = std::vector<uint32_t>;
using Requests = std::vector<Transport::Request>;

static Words pattern(int64_t from, int64_t to, size_t number, size_t words) {
  Words result(words);
  for (size_t i = 0; i < words; ++i)
    result[i] = uint32_t(from * 1000003 + to * 10007 + int64_t(number) * 101) +
                uint32_t(i);
  return result;
}

static size_t wordsOf(size_t number) { return 1 + number * number * 7; }

// Messages of many sizes between all pairs arrive whole and in order, whichever
// side posts first.
static std::string ordered(Transport &end, int64_t self, int64_t positions) {
  constexpr size_t count = 50;
  std::vector<Words> sent, received;
  std::vector<std::pair<int64_t, size_t>> from;
  Requests sends, receives;
  for (size_t i = 0; i < count; ++i)
    for (int64_t other = 0; other < positions; ++other) {
      if (other == self)
        continue;
      auto send = [&] {
        sent.push_back(pattern(self, other, i, wordsOf(i)));
        sends.push_back(end.postSend(other, sent.back().data(),
                                     sent.back().size() * 4, {}));
      };
      auto receive = [&] {
        received.emplace_back(wordsOf(i));
        from.push_back({other, i});
        receives.push_back(end.postReceive(other, received.back().data(),
                                           received.back().size() * 4, {}));
      };
      if (self < other) {
        send();
        receive();
      } else {
        receive();
        send();
      }
    }
  for (size_t i = 0; i < receives.size(); ++i) {
    Span span = end.wait(receives[i]);
    AGT_CHECK(span.begin <= span.end);
    auto [other, number] = from[i];
    AGT_CHECK(received[i] == pattern(other, self, number, wordsOf(number)));
  }
  for (Transport::Request send : sends)
    end.wait(send);
  return "";
}

// A ring in which all send before they receive: nothing is buffered, and yet
// nobody waits for ever.
static std::string rendezvous(Transport &end, int64_t self, int64_t positions) {
  constexpr size_t words = 3 << 18;
  int64_t next = (self + 1) % positions;
  int64_t before = (self + positions - 1) % positions;
  Words held = pattern(self, 0, 0, words), arriving(words);
  for (int64_t step = 0; step < positions; ++step) {
    Transport::Request send = end.postSend(next, held.data(), words * 4, {});
    Transport::Request receive =
        end.postReceive(before, arriving.data(), words * 4, {});
    std::this_thread::sleep_for(std::chrono::milliseconds(self * 3));
    end.wait(send);
    end.wait(receive);
    held.swap(arriving);
  }
  AGT_CHECK(held == pattern(self, 0, 0, words));
  return "";
}

// A transfer begins when both are ready.
static std::string lateSender(Transport &end, int64_t self, int64_t) {
  Words data(100);
  double before = monotonicSeconds();
  if (self == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    end.wait(end.postSend(1, data.data(), 400, {}));
  } else if (self == 1) {
    Span span = end.wait(end.postReceive(0, data.data(), 400, {}));
    // Ranks may have been started at different times.
    AGT_CHECK(span.begin >= before);
    AGT_CHECK(span.end - span.begin < 0.15);
  }
  return "";
}

// Two transfers over one slow link take the sum of their times; one over
// another axis does not wait for them.
static std::string rates(Transport &end, int64_t self, int64_t) {
  constexpr double rate = 1e6;
  constexpr uint64_t bytes = 100000;
  std::vector<unsigned char> a(bytes), b(bytes), c(bytes);
  if (self == 0) {
    Requests sends = {end.postSend(1, a.data(), bytes, {0, rate}),
                      end.postSend(1, b.data(), bytes, {0, rate}),
                      end.postSend(1, c.data(), bytes, {1, 0})};
    for (Transport::Request send : sends)
      end.wait(send);
  } else if (self == 1) {
    Requests receives = {end.postReceive(0, a.data(), bytes, {0, rate}),
                         end.postReceive(0, b.data(), bytes, {0, rate}),
                         end.postReceive(0, c.data(), bytes, {1, 0})};
    Span fast = end.wait(receives[2]);
    Span first = end.wait(receives[0]), second = end.wait(receives[1]);
    AGT_CHECK(first.end - first.begin >= 0.1);
    AGT_CHECK(second.begin >= first.begin + 0.1);
    AGT_CHECK(second.end - second.begin >= 0.1);
    AGT_CHECK(fast.end < second.end);
  }
  return "";
}

// One who waits for what never comes is told when another gives up.
static std::string cancelled(Transport &end, int64_t self, int64_t positions) {
  Words data(100);
  AGT_CHECK(!end.isCancelled());
  if (self == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    end.cancel();
  }
  Transport::Request receive =
      end.postReceive((self + 1) % positions, data.data(), 400, {});
  try {
    end.wait(receive);
  } catch (const Cancelled &) {
    AGT_CHECK(end.isCancelled());
    return "";
  }
  return "nothing was cancelled";
}

const std::vector<TransportCase> &transportCases() {
  static const std::vector<TransportCase> cases = {{"ordered", ordered},
                                                   {"rendezvous", rendezvous},
                                                   {"late", lateSender},
                                                   {"rates", rates},
                                                   {"cancelled", cancelled}};
  return cases;
}

} // namespace agt::rt::test
