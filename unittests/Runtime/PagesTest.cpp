// Pages of a pool: what a sequence sees is what was appended to it and to those
// it was forked from, and nothing is held longer than it is needed.
#include "runtime/Cache/Pages.h"
#include "runtime/Support/Failure.h"
#include "unittests/Runtime/Seed.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace agt::rt;

namespace {

/// The tokens that a sequence sees, by position.
std::map<int32_t, int32_t> seen(const PagePool &pool, const Sequence &sequence,
                                const std::vector<int32_t> &contents) {
  std::map<int32_t, int32_t> tokens;
  sequence.forEachRun([&](int32_t first, int64_t count) {
    for (int32_t place = first; place < first + count; ++place) {
      bool isNew = tokens
                       .emplace(pool.positionOf()[size_t(place)],
                                contents[size_t(place)])
                       .second;
      EXPECT_TRUE(isNew) << "a position has two places";
    }
  });
  return tokens;
}

TEST(PagesTest, AForkTakesNoPageAndCopiesNothing) {
  PagePool pool(4, 16);
  Sequence text(pool);
  text.append(20);
  EXPECT_EQ(pool.freePages(), 2);
  Sequence branch = text.fork(10);
  EXPECT_EQ(pool.freePages(), 2);
  EXPECT_EQ(branch.length(), 10);
  EXPECT_EQ(branch.pagesFor(1), 1);
  EXPECT_EQ(text.pagesFor(12), 0);
  EXPECT_EQ(branch.append(1), (std::vector<int32_t>{32}));
  EXPECT_EQ(text.append(1), (std::vector<int32_t>{20}));
}

TEST(PagesTest, APageIsFreeWhenTheLastLetsGo) {
  PagePool pool(4, 4);
  auto text = std::make_unique<Sequence>(pool);
  text->append(8);
  Sequence branch = text->fork(5);
  text.reset();
  EXPECT_EQ(pool.freePages(), 2);
  branch = Sequence(pool);
  EXPECT_EQ(pool.freePages(), 4);
}

TEST(PagesTest, TooFewPagesAreSaidAndNoneTaken) {
  PagePool pool(2, 4);
  Sequence text(pool);
  text.append(3);
  try {
    text.append(6);
    FAIL();
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code, AGT_FAILED);
    EXPECT_EQ(failure.message, "the cache has 1 free pages, 2 are needed");
  }
  EXPECT_EQ(text.length(), 3);
  EXPECT_EQ(pool.freePages(), 1);
}

TEST(PagesTest, RandomForksSeeTheirOwnTextAlone) {
  std::mt19937 random(test::drawnSeed());
  for (int round = 0; round < 50; ++round) {
    PagePool pool(64, 1 + int64_t(random() % 7));
    std::vector<int32_t> contents(size_t(pool.capacity()));
    struct Live {
      Sequence sequence;
      std::vector<int32_t> tokens;
    };
    std::vector<Live> live = {{Sequence(pool), {}}};
    int32_t next = 0;
    for (int step = 0; step < 200; ++step) {
      size_t at = random() % live.size();
      switch (random() % 3) {
      case 0: {
        int64_t count = int64_t(random() % 9);
        if (live[at].sequence.pagesFor(count) > pool.freePages())
          break;
        for (int32_t place : live[at].sequence.append(count)) {
          contents[size_t(place)] = next;
          live[at].tokens.push_back(next++);
        }
        break;
      }
      case 1: {
        size_t length = random() % (live[at].tokens.size() + 1);
        std::vector<int32_t> tokens(live[at].tokens.begin(),
                                    live[at].tokens.begin() + long(length));
        live.push_back({live[at].sequence.fork(int64_t(length)), tokens});
        break;
      }
      case 2:
        if (live.size() > 1)
          live.erase(live.begin() + long(at));
      }
      for (const Live &each : live) {
        std::map<int32_t, int32_t> expected;
        for (size_t i = 0; i < each.tokens.size(); ++i)
          expected[int32_t(i)] = each.tokens[i];
        ASSERT_EQ(each.sequence.length(), int64_t(each.tokens.size()));
        ASSERT_EQ(seen(pool, each.sequence, contents), expected);
      }
    }
    live.clear();
    ASSERT_EQ(pool.freePages(), 64) << "a page leaks";
  }
}

} // namespace
