// What moves in either direction, by hand and at the point where they cross.
#include "passes/Analysis/RingTraffic.h"
#include "passes/Analysis/Figures.h"

#include <gtest/gtest.h>

using namespace agt::analysis;

namespace {

// Two kv heads and eight query heads of 16 elements in 16 bits.
TokenBytes heads() {
  TokenBytes bytes;
  bytes.keys = 2 * 2 * 16 * 2;
  bytes.query = bytes.result = 8 * 16 * 2;
  bytes.partial = 8 * (16 + 2) * 4;
  return bytes;
}

Ring ring(int64_t places, int64_t queries, int64_t keys) {
  Ring r;
  r.places = places;
  r.queries = queries;
  r.keys = keys;
  return r;
}

TEST(RingTraffic, KeysGoToAllButTheirOwn) {
  // 3 of 4 shards arrive at each of 4 places.
  EXPECT_EQ(passKvBytes(ring(4, 64, 64), heads(), Queries::Cut), 3 * 64 * 128);
  // Of a causal contiguous ring, place r needs what is before it.
  Ring causal = ring(4, 64, 64);
  causal.causal = true;
  EXPECT_EQ(passKvBytes(causal, heads(), Queries::Cut), (1 + 2 + 3) * 16 * 128);
  EXPECT_EQ(passKvBytes(ring(1, 64, 64), heads(), Queries::Cut), 0);
}

TEST(RingTraffic, QueriesGoThereAndPartialsBack) {
  EXPECT_EQ(passQBytes(ring(4, 5, 64), heads(), Queries::Cut),
            3 * 5 * (256 + 576));
  // Whole queries are there; every place wants all results.
  EXPECT_EQ(passQBytes(ring(4, 5, 64), heads(), Queries::Whole),
            4 * 3 * 5 * 576);
  EXPECT_EQ(passQBytes(ring(1, 5, 64), heads(), Queries::Whole), 0);
}

// Partial results come from the places whose keys are seen; queries go to all.
TEST(RingTraffic, QueriesThatSeeNothingGetNothingBack) {
  Ring causal = ring(4, 64, 64);
  causal.causal = true;
  for (int64_t place = 0; place < 4; ++place)
    EXPECT_EQ(passQBytesOf(causal, heads(), Queries::Cut, place),
              48 * 256 + double(place) * 16 * 576)
        << place;
  EXPECT_EQ(passQBytes(causal, heads(), Queries::Cut),
            4 * 48 * 256 + (1 + 2 + 3) * 16 * 576);
  // Two queries at two places; all of them reach the other two.
  Ring few = ring(4, 2, 64);
  EXPECT_EQ(passQBytesOf(few, heads(), Queries::Cut, 0), 256 + 3 * 576);
  EXPECT_EQ(passQBytesOf(few, heads(), Queries::Cut, 3), 2 * 256);
  EXPECT_EQ(passQBytesOf(few, heads(), Queries::Whole, 3), 3 * 2 * 576);
}

TEST(RingTraffic, WhatGoesWithTheKeysCounts) {
  TokenBytes bytes = heads();
  bytes.aux = bytes.keys;
  EXPECT_EQ(crossover(4, bytes, Queries::Cut),
            2 * crossover(4, heads(), Queries::Cut));
}

TEST(RingTraffic, DirectionsCrossWhereTheyMoveTheSame) {
  for (Queries queries : {Queries::Cut, Queries::Whole})
    for (int64_t places : {2, 4, 8}) {
      double least = crossover(places, heads(), queries);
      ASSERT_GT(least, 0);
      int64_t keys = 1 << 20;
      for (double side : {0.99, 1.01}) {
        Ring r = ring(places, int64_t(side * least * double(keys)), keys);
        EXPECT_EQ(passQBytes(r, heads(), queries) <
                      passKvBytes(r, heads(), queries),
                  side < 1)
            << places << " places";
      }
    }
}

TEST(RingTraffic, WideResultsAlwaysGo) {
  TokenBytes bytes = heads();
  bytes.result = 10 * bytes.partial;
  EXPECT_LT(crossover(2, bytes, Queries::Whole), 0);
}

TEST(Figures, AreReadable) {
  EXPECT_EQ(plainText(3), "3");
  EXPECT_EQ(plainText(0.1), "0.1");
  EXPECT_EQ(plainText(2.346), "2.35");
  EXPECT_EQ(bytesText(0), "0 B");
  EXPECT_EQ(bytesText(999), "999 B");
  EXPECT_EQ(bytesText(1500), "1.5 KB");
  EXPECT_EQ(bytesText(327.68e9), "327.68 GB");
  EXPECT_EQ(secondsText(1.2e-3), "1.2 ms");
  EXPECT_EQ(secondsText(7200), "7200 s");
  EXPECT_EQ(countText(999), "999");
  EXPECT_EQ(countText(1000), "1,000");
  EXPECT_EQ(countText(1234567), "1,234,567");
}

} // namespace
