// Patterns: tokenizers have one for all who ask at the same time.
#include "runtime/Support/Pattern.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace agt::rt;

namespace {

TEST(PatternTest, ManyThreadsMatchOne) {
  Pattern pattern("(a+)(b)");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (size_t blanks = 0; blanks < 4; ++blanks)
    threads.emplace_back([&, blanks] {
      std::string text = std::string(blanks, ' ') + "aab";
      for (int round = 0; round < 20000; ++round) {
        size_t begin = 0, end = 0;
        wrong += !pattern.find(text, 0, begin, end) || begin != blanks ||
                 end != blanks + 3;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
