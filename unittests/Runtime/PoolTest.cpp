// The CPU devices' common pool: every group of every launch runs once, however
// many launch at the same time.
#include "runtime/Cpu/Pool.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace agt::rt;

namespace {

// Adds one to the group's counter, and works in its scratch.
void count(const int32_t *scalars, void *const *buffers, int64_t group,
           void *scratch) {
  auto *own = static_cast<int32_t *>(scratch);
  own[0] = int32_t(group);
  volatile int spent = 0;
  for (int i = 0; i < scalars[1]; ++i)
    spent = spent + 1;
  static_cast<int32_t *>(buffers[0])[own[0]] += 1;
}

void launchMany(Pool &pool, int launches, int work, bool &right) {
  Scratch own;
  own.reserve(4096);
  for (int i = 0; i < launches; ++i) {
    std::vector<int32_t> counters(size_t(1 + i * 37 % 200), 0);
    void *buffers[] = {counters.data()};
    int32_t scalars[] = {int32_t(counters.size()), work};
    pool.run({count, scalars, buffers, int64_t(counters.size())}, i % 5 == 0,
             own.get());
    right &= std::accumulate(counters.begin(), counters.end(), 0) ==
                 int(counters.size()) &&
             counters.back() == 1;
  }
}

TEST(Pool, RunsEveryGroupOnce) {
  for (const char *threads : {"1", "2", "5"}) {
    setenv("AGT_CPU_THREADS", threads, 1);
    Pool pool;
    unsetenv("AGT_CPU_THREADS");
    pool.reserveScratch(4096);
    // More callers than there are places for.
    for (size_t callers : {1, 3, 70}) {
      std::vector<std::thread> others;
      std::unique_ptr<bool[]> right(new bool[callers]);
      for (size_t i = 0; i < callers; ++i) {
        right[i] = true;
        others.emplace_back([&, i] {
          launchMany(pool, callers > 3 ? 20 : 200, int(i % 7) * 300, right[i]);
        });
      }
      for (std::thread &other : others)
        other.join();
      for (size_t i = 0; i < callers; ++i)
        EXPECT_TRUE(right[i]) << threads << " threads, caller " << i;
    }
  }
}

TEST(Pool, IsSharedWhileInUse) {
  std::shared_ptr<Pool> first = Pool::shared();
  EXPECT_EQ(Pool::shared(), first);
  std::weak_ptr<Pool> gone = first;
  first.reset();
  EXPECT_TRUE(gone.expired());
}

} // namespace
