// The scheduler over a model that is played: the token behind a text is a
// function of all its tokens, as far as the launch lets a row see them, so that
// every text shows what its rows have seen.
#include "runtime/Generate/Scheduler.h"
#include "runtime/Support/Failure.h"
#include "unittests/Runtime/Seed.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>

using namespace agt::rt;

namespace {

constexpr int32_t vocab = 97;
using Tokens = std::vector<int32_t>;

int32_t behind(const Tokens &text) {
  uint32_t hash = 2166136261;
  for (int32_t token : text)
    hash = (hash ^ uint32_t(token)) * 16777619;
  return int32_t(hash % vocab);
}

Tokens alone(Tokens text, int64_t limit, size_t context) {
  Tokens written;
  for (; limit < 0 || int64_t(written.size()) < limit;) {
    written.push_back(behind(text));
    if (text.size() == context)
      break;
    text.push_back(written.back());
  }
  return written;
}

class SchedulerTest : public ::testing::Test {
protected:
  void open(int64_t pages, int64_t pageTokens, int64_t context,
            std::chrono::nanoseconds wait = {}) {
    pool = std::make_unique<PagePool>(pages, pageTokens);
    contents.assign(size_t(pool->capacity()), -1);
    scheduler = std::make_unique<Scheduler>(
        *pool, context,
        [this](const std::vector<Row> &rows,
               const std::vector<size_t> &wanted) {
          return launch(rows, wanted);
        },
        wait);
  }
  void TearDown() override {
    // What is kept alone is still there.
    if (scheduler)
      scheduler.reset();
    if (pool) {
      EXPECT_EQ(pool->freePages() * pool->pageTokens(), pool->capacity());
    }
  }

  std::vector<std::vector<float>> launch(const std::vector<Row> &rows,
                                         const std::vector<size_t> &wanted) {
    if (failing)
      fail(AGT_FAILED, "the device is gone");
    read += int64_t(rows.size());
    if (took)
      std::this_thread::sleep_for(took(rows));
    if (watch)
      watch(rows);
    for (const Row &row : rows)
      contents[size_t(row.place)] = row.token;
    std::vector<std::vector<float>> result;
    for (size_t number : wanted) {
      const Row &row = rows[number];
      std::map<int32_t, int32_t> text;
      row.sequence->forEachRun([&](int32_t first, int64_t count) {
        for (int32_t place = first; place < first + count; ++place)
          if (int32_t at = pool->positionOf()[size_t(place)];
              at <= row.position)
            EXPECT_TRUE(text.emplace(at, contents[size_t(place)]).second);
      });
      Tokens tokens;
      for (auto [position, token] : text)
        tokens.push_back(token);
      EXPECT_EQ(int64_t(tokens.size()), row.position + 1);
      result.emplace_back(vocab, 0.0f)[size_t(behind(tokens))] = 1;
    }
    return result;
  }

  Tokens write(const Tokens &context, const Tokens &prompt, int64_t limit) {
    return write(context, prompt, limit, result);
  }
  Tokens write(const Tokens &context, const Tokens &prompt, int64_t limit,
               GenerationResult &result) {
    Tokens written;
    GenerationRequest request;
    request.context = context;
    request.prompt = prompt;
    request.limit = limit;
    request.emit = [&](int32_t, int32_t token) {
      written.push_back(token);
      return true;
    };
    result = scheduler->generate(request);
    return written;
  }

  std::unique_ptr<PagePool> pool;
  Tokens contents; // token by place
  std::unique_ptr<Scheduler> scheduler;
  std::atomic<int64_t> read{0};
  std::atomic<bool> failing{false};
  // How long a launch takes, and who looks at it.
  std::function<std::chrono::microseconds(const std::vector<Row> &)> took;
  std::function<void(const std::vector<Row> &)> watch;
  GenerationResult result;
};

TEST_F(SchedulerTest, OneTextIsWhatTheModelWrites) {
  open(8, 4, 20);
  EXPECT_EQ(write({}, {1, 2, 3}, 5), alone({1, 2, 3}, 5, 20));
  EXPECT_EQ(result.stop, Stop::Tokens);
  EXPECT_EQ(result.newTokens, 5);
  EXPECT_EQ(read, 7);
  EXPECT_EQ(write({}, {1, 2, 3}, -1), alone({1, 2, 3}, -1, 20));
  EXPECT_EQ(result.stop, Stop::Context);
  EXPECT_EQ(write({}, {1, 2, 3}, 0), Tokens{});
}

TEST_F(SchedulerTest, TokensAreWeighedAsTheModelHasThem) {
  open(8, 4, 20);
  GenerationRequest request;
  request.prompt = {1, 2, 3};
  request.limit = 3;
  // What is chosen is another token than the model's.
  request.restrain = [](std::vector<float> &logits) {
    logits.assign(vocab, 0);
    logits[5] = 1;
  };
  Tokens told;
  std::vector<std::pair<int32_t, int32_t>> weighed;
  request.weigh = [&](const std::vector<float> &logits, int32_t previous,
                      int32_t token) {
    Tokens text = {1, 2, 3};
    text.insert(text.end(), told.begin(), told.end());
    EXPECT_EQ(logits[size_t(behind(text))], 1);
    EXPECT_EQ(logits[size_t(behind(text)) == 0 ? 1 : 0], 0);
    weighed.emplace_back(previous, token);
  };
  request.emit = [&](int32_t, int32_t token) {
    told.push_back(token);
    return true;
  };
  scheduler->generate(request);
  EXPECT_EQ(weighed,
            (std::vector<std::pair<int32_t, int32_t>>{{3, 5}, {5, 5}, {5, 5}}));
}

TEST_F(SchedulerTest, AContextIsReadOnce) {
  open(32, 4, 40);
  Tokens context(20, 7);
  write(context, {}, 0);
  EXPECT_EQ(read, 20);
  Tokens text = context;
  text.push_back(1);
  EXPECT_EQ(write(context, {1}, 3), alone(text, 3, 40));
  EXPECT_EQ(result.readTokens, 1);
  EXPECT_EQ(read, 23);
  // A text that begins as it does goes on from there as well.
  text = context;
  text[15] = 8;
  EXPECT_EQ(write({}, text, 1), alone(text, 1, 40));
  EXPECT_EQ(read, 28);
}

TEST_F(SchedulerTest, ATextTooLongIsRefused) {
  open(8, 4, 10);
  try {
    write({1, 2, 3}, Tokens(8, 1), 1);
    FAIL();
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code, AGT_BAD_INPUT);
    EXPECT_EQ(failure.message,
              "the prompt has 11 tokens, there is room for 10");
  }
}

TEST_F(SchedulerTest, AFailedLaunchFailsThoseWhoAreInIt) {
  open(8, 4, 20);
  failing = true;
  EXPECT_THROW(write({1, 2}, {3}, 2), Failure);
  failing = false;
  EXPECT_EQ(write({1, 2}, {3}, 2), alone({1, 2, 3}, 2, 20));
}

TEST_F(SchedulerTest, WhoeverIsCancelledLeaves) {
  open(8, 4, 20);
  GenerationRequest request;
  request.prompt = {1};
  int asked = 0;
  request.cancelled = [&] { return ++asked > 3; };
  EXPECT_EQ(scheduler->generate(request).stop, Stop::Asked);
  EXPECT_EQ(read, 3);
}

TEST_F(SchedulerTest, WhoeverIsCancelledWhileItsContextIsReadLeavesIt) {
  open(300, 4, 600);
  Tokens context(500, 3);
  {
    GenerationRequest request;
    request.context = context;
    request.prompt = {1};
    int asked = 0;
    request.cancelled = [&] { return ++asked > 1; };
    EXPECT_EQ(scheduler->generate(request).stop, Stop::Asked);
  }
  Tokens text = context;
  text.push_back(2);
  EXPECT_EQ(write(context, {2}, 2), alone(text, 2, 600));
  EXPECT_EQ(read, 502);
}

// Rows are compared with all places of their launch: where that is most of what
// a launch costs, texts that share nothing are launched one by one, and write
// what they write together.
TEST_F(SchedulerTest, TextsThatShareNothingGoApartOnceThatIsKnownToBeCheaper) {
  open(16, 128, 100); // a text has a block of its own
  took = [this](const std::vector<Row> &rows) {
    VisitedPlaces visited(pool->capacity());
    for (const Row &row : rows)
      visited.add(*row.sequence);
    return std::chrono::microseconds(200 + 10 * int64_t(rows.size()) *
                                               visited.count());
  };
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int32_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      Tokens text(20, i);
      GenerationResult mine;
      wrong += write({}, text, 40, mine) != alone(text, 40, 100);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  FanoutTotals totals = scheduler->totals();
  EXPECT_GT(totals.plans[size_t(Way::Together)], 0);
  EXPECT_GT(totals.plans[size_t(Way::ByBeginning)] +
                totals.plans[size_t(Way::Alone)],
            0);
  // The notes say so, with what was thought of each way.
  bool apart = false;
  for (const LaunchNote &note : scheduler->notes())
    if (note.way != Way::Together && !note.trial) {
      apart = true;
      EXPECT_LT(note.seconds[size_t(note.way)],
                note.seconds[size_t(Way::Together)]);
      EXPECT_GT(note.estimated, 0);
    }
  EXPECT_TRUE(apart);
}

// Who asks an idle model behind a context waits for others as long as declared:
// all branches are in the first launch.
TEST_F(SchedulerTest, BranchesWaitForOthersAsLongAsDeclared) {
  open(64, 16, 200, std::chrono::milliseconds(300));
  Tokens context(50, 4);
  write(context, {}, 0);
  std::vector<std::thread> threads;
  for (int32_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10 * i));
      GenerationResult mine;
      write(context, {i}, 3, mine);
    });
  for (std::thread &thread : threads)
    thread.join();
  std::vector<LaunchNote> notes = scheduler->notes();
  ASSERT_EQ(notes.size(), 4u); // the context, then three tokens of all
  for (size_t i = 1; i < notes.size(); ++i) {
    EXPECT_EQ(notes[i].texts, 4);
    EXPECT_EQ(notes[i].rows, 4);
  }
}

// ... and no longer; once launches are under way nobody is held for others, and
// a context never is.
TEST_F(SchedulerTest, NobodyIsHeldLongerThanDeclared) {
  constexpr std::chrono::milliseconds wait(600);
  open(64, 16, 200, wait);
  Tokens context(50, 4);
  using Clock = std::chrono::steady_clock;
  Clock::time_point before = Clock::now();
  write(context, {}, 0);
  Clock::time_point asked = Clock::now(), launched;
  EXPECT_LT(asked - before, wait);
  std::thread other;
  int64_t launches = 0, until = 0;
  took = [](const std::vector<Row> &) { return std::chrono::milliseconds(50); };
  watch = [&](const std::vector<Row> &rows) {
    ++launches;
    if (launches == 1)
      launched = Clock::now();
    if (launches == 2)
      other = std::thread([&] {
        GenerationResult its;
        write(context, {2}, 1, its);
      });
    if (until == 0 && rows.front().sequence != rows.back().sequence)
      until = launches;
  };
  GenerationResult mine;
  write(context, {1}, 40, mine);
  other.join();
  EXPECT_GE(launched - asked, wait);
  // Held, it would have come twelve launches later.
  EXPECT_GE(until, 3);
  EXPECT_LT(until, 14);
}

// 300 texts are more than a launch has room for: none is left out twice.
TEST_F(SchedulerTest, WhoeverIsLeftOutOfAFullLaunchIsInTheNext) {
  open(700, 4, 40, std::chrono::milliseconds(500));
  Tokens context = {1, 2, 3};
  write(context, {}, 0);
  struct Seen {
    int64_t launch;
    int32_t position;
  };
  std::map<const Sequence *, Seen> lastSeen;
  int64_t launches = 0, most = 0;
  // One launch costs less than several, so that there is one in each round.
  took = [](const std::vector<Row> &) { return std::chrono::milliseconds(2); };
  watch = [&](const std::vector<Row> &rows) {
    ++launches;
    for (const Row &row : rows) {
      Seen now = {launches, row.position};
      auto [entry, isNew] = lastSeen.try_emplace(row.sequence, now);
      // Another text may have come to where one has been.
      if (!isNew && row.position > entry->second.position)
        most = std::max(most, launches - entry->second.launch);
      entry->second = now;
    }
  };
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int32_t i = 0; i < 300; ++i)
    threads.emplace_back([&, i] {
      Tokens text = context;
      text.push_back(i % vocab);
      GenerationResult mine;
      wrong += write(context, {i % vocab}, 4, mine) != alone(text, 4, 40);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(most, 0);
  EXPECT_LE(most, 2);
}

// Threads ask with contexts that overlap, in a pool that has room for few.
TEST_F(SchedulerTest, TogetherTheyWriteWhatEachWritesAlone) {
  std::mt19937 random(test::drawnSeed());
  for (int round = 0; round < 20; ++round) {
    int64_t pageTokens = 1 + int64_t(random() % 8), context = 60;
    int64_t least = (context + pageTokens - 1) / pageTokens;
    open(least + int64_t(random() % 60), pageTokens, context);
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&, mine = random()]() mutable {
        std::mt19937 random(mine);
        for (int each = 0; each < 10; ++each) {
          Tokens shared;
          if (random() % 4)
            shared.assign(1 + random() % 30, int32_t(random() % 2));
          Tokens prompt(random() % 20 + (shared.empty() ? 1 : 0));
          for (int32_t &token : prompt)
            token = int32_t(random() % 2);
          int64_t limit = int64_t(random() % 12) - 1;
          Tokens text = shared;
          text.insert(text.end(), prompt.begin(), prompt.end());
          GenerationResult mine;
          wrong += write(shared, prompt, limit, mine) !=
                   alone(text, limit, size_t(context));
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    ASSERT_EQ(wrong, 0) << "in round " << round;
    ASSERT_GT(scheduler->totals().launches, 0);
    scheduler.reset();
    ASSERT_EQ(pool->freePages() * pageTokens, pool->capacity());
  }
}

} // namespace
