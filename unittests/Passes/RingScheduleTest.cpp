// Schedules of rings: who meets what, what is sent, and that nobody waits for
// ever.
#include "passes/Analysis/RingSchedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

using namespace agt::analysis;

namespace {

const Tokens balances[] = {Tokens::Contiguous, Tokens::Zigzag, Tokens::Striped};

std::vector<int64_t> positions(Tokens balance, int64_t parts, int64_t part,
                               int64_t tokens) {
  std::vector<int64_t> result;
  for (const Run &run : runsOf(balance, parts, part, tokens))
    for (int64_t i = 0; i < run.count; ++i)
      result.push_back(run.first + i * run.step);
  return result;
}

TEST(RingSchedule, TheWorkedTable) {
  Ring ring;
  ring.places = 4;
  std::vector<int64_t> first, second;
  for (int64_t step = 0; step < 4; ++step) {
    first.push_back(ring.owner(0, step));
    second.push_back(ring.owner(1, step));
  }
  EXPECT_EQ(first, (std::vector<int64_t>{0, 3, 2, 1}));
  EXPECT_EQ(second, (std::vector<int64_t>{1, 0, 3, 2}));
}

TEST(RingSchedule, EveryShardOnceAndNoneTwiceInAStep) {
  for (int64_t places = 1; places <= 17; ++places) {
    Ring ring;
    ring.places = places;
    for (int64_t a = 0; a < places; ++a) {
      std::set<int64_t> ofPlace, ofStep;
      for (int64_t b = 0; b < places; ++b) {
        ofPlace.insert(ring.owner(a, b));
        ofStep.insert(ring.owner(b, a));
      }
      EXPECT_EQ(ofPlace.size(), size_t(places));
      EXPECT_EQ(ofStep.size(), size_t(places));
    }
  }
}

TEST(RingSchedule, PartsAreThePositionsOfTheWhole) {
  for (Tokens balance : balances)
    for (int64_t parts : {1, 2, 3, 4, 5, 8, 16, 17})
      for (int64_t tokens :
           {int64_t(0), int64_t(1), parts - 1, 2 * parts + 1, int64_t(2999)}) {
        std::vector<int64_t> all;
        int64_t least = tokens, most = 0;
        for (int64_t part = 0; part < parts; ++part) {
          std::vector<int64_t> own = positions(balance, parts, part, tokens);
          all.insert(all.end(), own.begin(), own.end());
          least = std::min(least, int64_t(own.size()));
          most = std::max(most, int64_t(own.size()));
          EXPECT_EQ(tokensOf(balance, parts, part, tokens),
                    int64_t(own.size()));
        }
        std::sort(all.begin(), all.end());
        ASSERT_EQ(int64_t(all.size()), tokens);
        for (int64_t i = 0; i < tokens; ++i)
          ASSERT_EQ(all[size_t(i)], i);
        EXPECT_LE(most - least, balance == Tokens::Zigzag ? 2 : 1);
      }
}

TEST(RingSchedule, NobodyWaitsForEver) {
  for (int64_t places = 1; places <= 17; ++places)
    EXPECT_EQ(waitsForEver(places, Passing::Posted), "");
  // The check finds what it looks for: sends that wait for their receivers
  // before these have posted anything.
  for (int64_t places = 2; places <= 17; ++places)
    EXPECT_NE(waitsForEver(places, Passing::Blocking), "");
  EXPECT_EQ(
      waitsForEver(2, Passing::Blocking),
      "post of receive at place 0, step 0 waits for send at place 0, step "
      "0 waits for post of receive at place 1, step 0 waits for send at "
      "place 1, step 0 waits for post of receive at place 0, step 0");
}

/// Whether query position q sees key position k.
bool visible(const Ring &ring, int64_t q, int64_t k) {
  if (ring.causal && k > q)
    return false;
  bool window = (ring.left < 0 || k >= q - ring.left) &&
                (ring.right < 0 || k <= q + ring.right);
  return window || k < ring.pin;
}

TEST(RingSchedule, WhatIsSeenIsWhatPairsSay) {
  for (Tokens balance : balances)
    for (int64_t places : {1, 2, 3, 5})
      for (auto [left, right, pin, causal] :
           {std::tuple{-1, -1, 0, false}, std::tuple{-1, -1, 0, true},
            std::tuple{4, -1, 0, true}, std::tuple{4, 2, 0, false},
            std::tuple{3, 0, 5, false}, std::tuple{2, -1, 3, true}}) {
        Ring ring;
        ring.places = places;
        ring.balance = balance;
        ring.queries = 19;
        ring.keys = 26;
        ring.offset = ring.keys - ring.queries;
        ring.left = left;
        ring.right = right;
        ring.pin = pin;
        ring.causal = causal;
        for (int64_t place = 0; place < places; ++place)
          for (int64_t owner = 0; owner < places; ++owner) {
            double pairs = 0;
            for (int64_t q : positions(balance, places, place, ring.queries))
              for (int64_t k : positions(balance, places, owner, ring.keys))
                pairs += visible(ring, q + ring.offset, k);
            EXPECT_EQ(ring.pairs(place, owner), pairs);
            if (pairs > 0)
              EXPECT_TRUE(ring.sees(place, owner));
            else if (balance != Tokens::Striped)
              EXPECT_FALSE(ring.sees(place, owner))
                  << places << " " << place << " " << owner;
          }
      }
}

TEST(RingSchedule, CausalRingsSkipWhatNobodySees) {
  Ring ring;
  ring.places = 4;
  ring.queries = ring.keys = 8192;
  ring.causal = true;
  // Place r sees shards 0 to r.
  EXPECT_EQ(ring.hopsSkipped(), 6);
  EXPECT_EQ(ring.tokensReceived(0), 0);
  EXPECT_EQ(ring.tokensReceived(1), 2048);
  EXPECT_EQ(ring.tokensReceived(3), 3 * 2048);
  EXPECT_NEAR(ring.imbalance(), 1.75, 0.01);
  ring.balance = Tokens::Zigzag;
  EXPECT_EQ(ring.hopsSkipped(), 0);
  EXPECT_LT(ring.imbalance(), 1.05);
  ring.balance = Tokens::Striped;
  EXPECT_LT(ring.imbalance(), 1.05);
}

} // namespace
