// Which rows are launched together, what they visit, and what launches are
// thought to cost.
#include "runtime/Generate/Fanout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <list>

using namespace agt::rt;

namespace {

TEST(LaunchCost, FindsWhatLaunchesAreMadeOf) {
  auto seconds = [](double rows, double places) {
    return 2e-3 + 1e-5 * rows + 1e-7 * places + 3e-8 * rows * places;
  };
  LaunchCost cost;
  EXPECT_EQ(cost.estimate(1, 128), 0);
  int64_t rows[] = {1, 2, 4, 8, 64, 256}, places[] = {128, 1024, 8192};
  for (int round = 0; round < 5; ++round)
    for (int64_t r : rows)
      for (int64_t p : places)
        cost.learn(r, p, seconds(double(r), double(p)));
  ASSERT_TRUE(cost.isKnown());
  for (int64_t r : rows)
    for (int64_t p : places)
      EXPECT_NEAR(cost.estimate(r, p) / seconds(double(r), double(p)), 1, 0.02)
          << r << " rows, " << p << " places";
}

// Launches of one kind say nothing of others: these are taken to cost as much,
// so that one launch is thought better than two.
TEST(LaunchCost, OneKindOfLaunchIsAllFixed) {
  LaunchCost cost;
  for (int i = 0; i < 20; ++i)
    cost.learn(8, 4096, 5e-3);
  EXPECT_NEAR(cost.estimate(8, 4096), 5e-3, 1e-4);
  EXPECT_GT(2 * cost.estimate(4, 2048), cost.estimate(8, 4096));
}

TEST(LaunchCost, NothingIsBelowZero) {
  LaunchCost cost;
  // The more rows, the less time: what no model of this kind can say.
  for (int64_t rows : {1, 2, 4, 8, 16, 32, 64, 128, 256})
    cost.learn(rows, 1024, 1e-3 / double(rows));
  for (int64_t rows : {1, 16, 1000})
    for (int64_t places : {0, 128, 1 << 20})
      EXPECT_GE(cost.estimate(rows, places), 0);
}

class FanoutTest : public ::testing::Test {
protected:
  PagePool pool{256, 16}; // 4096 places, 32 blocks
  std::list<Sequence> texts;

  Sequence &text(int64_t tokens) {
    Sequence &made = texts.emplace_back(pool);
    made.append(tokens);
    return made;
  }
  Sequence &branch(const Sequence &of, int64_t behind, int64_t tokens) {
    Sequence &made = texts.emplace_back(of.fork(behind));
    made.append(tokens);
    return made;
  }
  static void addRows(std::vector<Row> &rows, const Sequence &of,
                      int64_t count = 1) {
    for (; count > 0; --count)
      rows.push_back({0, int32_t(of.length() - count), 0, &of});
  }
  int64_t visited(const std::vector<const Sequence *> &all) {
    VisitedPlaces places(pool.capacity());
    for (const Sequence *each : all)
      places.add(*each);
    return places.count();
  }
};

// Eight branches visit what one does, and the blocks that their own pages are
// in; one by one they would visit the prefix eight times.
TEST_F(FanoutTest, WhatBranchesShareIsVisitedOnce) {
  Sequence &prefix = text(2048);
  std::vector<Row> rows;
  std::vector<const Sequence *> all;
  for (int i = 0; i < 8; ++i) {
    Sequence &own = branch(prefix, 2048, 3);
    addRows(rows, own);
    all.push_back(&own);
  }
  EXPECT_EQ(visited({all[0]}), 2048 + 128);
  // Eight pages of 16 places are one block.
  EXPECT_EQ(visited(all), 2048 + 128);
  LaunchPlan plan = planLaunches(rows, pool.capacity(), LaunchCost());
  EXPECT_EQ(plan.way, Way::Together);
  ASSERT_EQ(plan.parts.size(), 1u);
  EXPECT_EQ(plan.texts, 8);
  EXPECT_EQ(plan.beginnings, 1);
  EXPECT_EQ(plan.places, 2048 + 128);
  EXPECT_EQ(plan.placesAlone, 8 * (2048 + 128));
}

TEST_F(FanoutTest, AForkInAPageAndForksOfForksBeginAtOnePlace) {
  Sequence &prefix = text(100);
  Sequence &one = branch(prefix, 90, 40), &two = branch(one, 95, 5),
           &none = branch(prefix, 0, 7), &other = text(100);
  EXPECT_EQ(one.firstPlace(), prefix.firstPlace());
  EXPECT_EQ(two.firstPlace(), prefix.firstPlace());
  EXPECT_NE(none.firstPlace(), prefix.firstPlace());
  EXPECT_NE(other.firstPlace(), prefix.firstPlace());
  EXPECT_EQ(Sequence(pool).firstPlace(), -1);
}

TEST_F(FanoutTest, TheLastBlockOfAPoolMayBeShort) {
  PagePool odd(10, 16); // 160 places
  Sequence all(odd);
  all.append(160);
  VisitedPlaces places(odd.capacity());
  places.add(all);
  places.add(all);
  EXPECT_EQ(places.count(), 160);
}

// Texts that share nothing are each compared with the places of all where they
// are launched together.
TEST_F(FanoutTest, TextsThatShareNothingGoApartWherePlacesCostMost) {
  std::vector<Row> rows;
  Sequence &first = text(1024), &second = text(1024);
  addRows(rows, branch(first, 1024, 1));
  addRows(rows, branch(second, 1024, 1));
  addRows(rows, branch(first, 1024, 1));
  addRows(rows, branch(second, 1024, 1));
  LaunchCost places, fixed;
  for (int round = 0; round < 4; ++round)
    for (int64_t r : {1, 2, 4, 8})
      for (int64_t p : {128, 1024, 4096}) {
        places.learn(r, p, 1e-3 + 1e-5 * double(p));
        fixed.learn(r, p, 1e-2 + 1e-8 * double(r * p));
      }
  LaunchPlan apart = planLaunches(rows, pool.capacity(), places);
  EXPECT_EQ(apart.way, Way::Together) << "as many places either way";
  LaunchCost pairs;
  for (int round = 0; round < 4; ++round)
    for (int64_t r : {1, 2, 4, 8})
      for (int64_t p : {128, 1024, 4096})
        pairs.learn(r, p, 1e-3 + 1e-5 * double(r * p));
  apart = planLaunches(rows, pool.capacity(), pairs);
  EXPECT_EQ(apart.way, Way::ByBeginning);
  ASSERT_EQ(apart.parts.size(), 2u);
  for (const LaunchPart &part : apart.parts) {
    EXPECT_EQ(part.texts, 2);
    ASSERT_EQ(part.rows.size(), 2u);
    EXPECT_EQ(rows[part.rows[0]].sequence->firstPlace(),
              rows[part.rows[1]].sequence->firstPlace());
    EXPECT_NEAR(pairs.estimate(2, part.places), 1e-3 + 2e-5 * part.places,
                2e-3);
  }
  EXPECT_LT(apart.seconds[size_t(Way::ByBeginning)],
            apart.seconds[size_t(Way::Together)]);
  EXPECT_EQ(planLaunches(rows, pool.capacity(), fixed).way, Way::Together);
}

// Whatever the way, each row is in one part, in the order of its text.
TEST_F(FanoutTest, EveryRowIsLaunchedOnce) {
  std::vector<Row> rows;
  Sequence &first = text(300), &second = text(20);
  addRows(rows, first, 5);
  addRows(rows, second, 3);
  addRows(rows, branch(first, 200, 9), 9);
  for (double pair : {0.0, 1e-5, 1.0}) {
    LaunchCost cost;
    for (int round = 0; round < 4; ++round)
      for (int64_t r : {1, 4, 16})
        for (int64_t p : {128, 512, 2048})
          cost.learn(r, p, 1e-3 + pair * double(r * p));
    LaunchPlan plan = planLaunches(rows, pool.capacity(), cost);
    std::vector<size_t> all;
    for (const LaunchPart &part : plan.parts) {
      EXPECT_TRUE(std::is_sorted(part.rows.begin(), part.rows.end()));
      all.insert(all.end(), part.rows.begin(), part.rows.end());
    }
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), rows.size());
    for (size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(all[i], i);
  }
}

} // namespace
