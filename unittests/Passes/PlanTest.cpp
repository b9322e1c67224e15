// The arithmetic of attention.md section 4, and what moves when.
#include "passes/Analysis/Plan.h"

#include <gtest/gtest.h>

using namespace agt::analysis;

namespace {

ModelSizes llama70(double bytesOfCache) {
  ModelSizes model;
  model.layers = 80;
  model.heads = 64;
  model.kvHeads = 8;
  model.headDim = 128;
  model.hidden = 8192;
  model.params = 70e9;
  model.bytesOfWeight = 2;
  model.bytesOfCache = bytesOfCache;
  return model;
}

Machine machine(std::vector<MachineAxis> axes) {
  Machine m;
  m.axes = std::move(axes);
  m.memory = 80e9;
  m.rate = 989e12;
  m.bandwidth = 3350e9;
  return m;
}

const ModelLayout *find(const std::vector<ModelLayout> &layouts,
                        std::vector<bool> heads, bool everywhere) {
  for (const ModelLayout &layout : layouts)
    if (layout.heads == heads && layout.weightsEverywhere == everywhere)
      return &layout;
  return nullptr;
}

TEST(Plan, CacheOfMillionsOfTokens) {
  EXPECT_EQ(llama70(2).cacheBytes(1), 327680);
  EXPECT_EQ(llama70(2).cacheBytes(1e6), 327.68e9);
  EXPECT_EQ(llama70(1).cacheBytes(1e6), 163.84e9);
  EXPECT_EQ(llama70(2).cacheBytes(2e6), 655.36e9);
  EXPECT_EQ(llama70(2).weightBytes(), 140e9);
  EXPECT_EQ(devicesNeeded(llama70(2), machine({}), 2'000'000), 10);
}

TEST(Plan, TensorParallelAloneIsTooMuch) {
  Machine m = machine({{"tp", 8, 450e9}});
  auto layouts = layoutsOf(llama70(2), m, 2'000'000);
  const ModelLayout *heads = find(layouts, {true}, false);
  ASSERT_TRUE(heads);
  EXPECT_EQ(heads->weights, 17.5e9);
  EXPECT_EQ(heads->cache, 81.92e9);
  EXPECT_EQ(heads->total(), 99.42e9);
  EXPECT_EQ(heads->activation, 32.768e9);
  EXPECT_EQ(breaks(*heads, m), "cache");
  for (const ModelLayout &layout : layouts)
    EXPECT_TRUE(breaks(layout, m));
}

TEST(Plan, WhatFits) {
  Machine eight = machine({{"cp", 8, 450e9}});
  auto layouts = layoutsOf(llama70(1), eight, 2'000'000);
  const ModelLayout *both = find(layouts, {false}, true);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->total(), 58.46e9);
  EXPECT_FALSE(breaks(*both, eight));
  EXPECT_EQ(breaks(*find(layouts, {false}, false), eight), "weights");

  Machine sixteen = machine({{"cp", 2, 50e9}, {"tp", 8, 450e9}});
  layouts = layoutsOf(llama70(2), sixteen, 2'000'000);
  const ModelLayout *mixed = find(layouts, {false, true}, false);
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->total(), 58.46e9);
  EXPECT_FALSE(breaks(*mixed, sixteen));
  // 16 positions cannot share 8 kv heads.
  EXPECT_FALSE(find(layouts, {true, true}, false));
}

TEST(Plan, HopsHideFromSomeLengthOn) {
  Machine m = machine({{"cp", 8, 450e9}});
  ModelLayout layout;
  layout.heads = {false};
  auto plan = [&](int64_t tokens) {
    return *ringOf(llama70(2), m, layout, tokens);
  };
  double least = plan(1'000'000).leastHidden;
  EXPECT_EQ(least, plan(1000).leastHidden);
  for (double part : {0.5 * least, 2.0 * least}) {
    RingPlan at = plan(int64_t(8 * part));
    EXPECT_EQ(at.hopCompute >= at.hopTransfer, part >= least);
  }
  RingPlan hidden = plan(int64_t(8 * 40 * least));
  EXPECT_GT(hidden.hiddenTime, 0.99 * hidden.transferTime);
  RingPlan bare = plan(int64_t(8 * least / 8));
  EXPECT_LT(bare.hiddenTime, 0.5 * bare.transferTime);
  // All shards but its own.
  EXPECT_NEAR(plan(80'000).bytesReceived, 70'000 * llama70(2).tokenBytes(), 1);
}

TEST(Plan, QueriesGoWhileTheyAreFew) {
  Machine m = machine({{"cp", 8, 450e9}});
  ModelLayout layout;
  layout.heads = {false};
  int64_t rows = *crossoverOf(llama70(2), m, layout, 1'000'000);
  EXPECT_GT(rows, 1);
  auto costs = [&](int64_t rows) {
    return *placementsOf(llama70(2), m, layout, rows, 1'000'000);
  };
  EXPECT_TRUE(costs(1).keysStay());
  EXPECT_TRUE(costs(rows).keysStay());
  EXPECT_FALSE(costs(rows + 1).keysStay());
  EXPECT_FALSE(costs(100 * rows).keysStay());
}

// attention.md section 3, term by term.
TEST(Plan, TermsOfPlacements) {
  Machine m = machine({{"cp", 2, 50e9}, {"pe", 8, 450e9}, {"tp", 2, 1}});
  ModelLayout layout;
  layout.heads = {false, false, true};
  constexpr int64_t rows = 160, tokens = 1'000'000;
  PlacementCosts costs = *placementsOf(llama70(2), m, layout, rows, tokens);
  // Of half the heads, on 16 positions; the links of heads say nothing.
  double queries = 160.0 * 32 * 128 * 2, partials = 160.0 * 32 * 130 * 4;
  double keys = 1e6 * 2 * 4 * 128 * 2, work = 4 * 160.0 * 1e6 * 32 * 128 / 16;
  EXPECT_DOUBLE_EQ(costs.stationary.send, queries / 50e9 + queries / 450e9);
  EXPECT_DOUBLE_EQ(costs.stationary.merge,
                   partials / 50e9 + 3 * partials / 450e9);
  EXPECT_DOUBLE_EQ(costs.stationary.product,
                   std::max(work / 989e12, keys / 16 / 3350e9));
  EXPECT_DOUBLE_EQ(costs.distributed.split, queries / 16 / 50e9);
  EXPECT_DOUBLE_EQ(costs.distributed.move, 15.0 / 16 * keys / 50e9);
  EXPECT_DOUBLE_EQ(costs.distributed.product,
                   std::max(work / 989e12, keys / 3350e9));
  EXPECT_DOUBLE_EQ(costs.distributed.restore, 15.0 / 16 * queries / 50e9);
  // Keys move under the product, whichever is longer.
  EXPECT_DOUBLE_EQ(costs.distributed.total(), costs.distributed.split +
                                                  costs.distributed.move +
                                                  costs.distributed.restore);
  // The operations are the same: many rows cost the same products.
  PlacementCosts many = *placementsOf(llama70(2), m, layout, 1 << 20, tokens);
  EXPECT_DOUBLE_EQ(many.stationary.product, many.distributed.product);
}

TEST(Plan, NoPlacementsWithoutRates) {
  Machine m = machine({{"cp", 8, 0}});
  ModelLayout layout;
  layout.heads = {false};
  EXPECT_FALSE(placementsOf(llama70(2), m, layout, 1, 1000));
  EXPECT_FALSE(crossoverOf(llama70(2), m, layout, 1000));
  m.axes[0].link = 1e9;
  EXPECT_TRUE(placementsOf(llama70(2), m, layout, 1, 1000));
  m.bandwidth = 0;
  EXPECT_FALSE(placementsOf(llama70(2), m, layout, 1, 1000));
  m.bandwidth = m.rate;
  layout.heads = {true};
  EXPECT_FALSE(placementsOf(llama70(2), m, layout, 1, 1000));
}

TEST(Plan, NothingOfRingsWithoutRates) {
  Machine m = machine({{"cp", 8, 0}});
  ModelLayout layout;
  layout.heads = {false};
  EXPECT_FALSE(ringOf(llama70(2), m, layout, 1000));
  m.axes[0].link = 1e9;
  m.rate = 0;
  EXPECT_FALSE(ringOf(llama70(2), m, layout, 1000));
  m.rate = 1;
  m.axes[0].size = 1;
  EXPECT_FALSE(ringOf(llama70(2), m, layout, 1000));
}

} // namespace
