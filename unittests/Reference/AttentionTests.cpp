//===- AttentionTests.cpp - The oracle's attention ------------------------===//

#include "unittests/Reference/TestSupport.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace agt::reference;

/// One head of dim 1 with scale 1: `extra` are the clauses of the op, `types`
/// the types of their operands, which are the graph's further arguments.
static Outcome attend(llvm::StringRef clauses, int64_t queries, int64_t keys,
                      llvm::StringRef arguments = "",
                      llvm::StringRef types = "", std::vector<Tensor> more = {},
                      Tensor q = {}, Tensor k = {}, Tensor v = {}) {
  auto text = llvm::formatv(R"mlir(
    agt.graph @f(%q: tensor<1x?x1xf32>, %k: tensor<1x?x1xf32>, %v: tensor<1x?x1xf32>{0})
        -> (tensor<1x?x1xf32>, tensor<1x?xf32>) {{
      %one = arith.constant 1.0 : f64
      %o, %l = agt.attention %q, %k, %v scale(%one) {1}
          : (tensor<1x?x1xf32>, tensor<1x?x1xf32>, tensor<1x?x1xf32>, f64{2})
          -> (tensor<1x?x1xf32>, tensor<1x?xf32>)
      agt.return %o, %l : tensor<1x?x1xf32>, tensor<1x?xf32>
    })mlir",
                            arguments, clauses, types);
  std::vector<double> values(keys);
  for (int64_t j = 0; j < keys; ++j)
    values[j] = std::ldexp(1.0, j);
  // Zero queries weigh all visible keys alike; value j is 2^j, so that the
  // mean tells which keys were seen.
  std::vector<Tensor> inputs = {
      q.shape.empty() ? f32({1, queries, 1}, std::vector<double>(queries, 0))
                      : q,
      k.shape.empty() ? f32({1, keys, 1}, std::vector<double>(keys, 1)) : k,
      v.shape.empty() ? f32({1, keys, 1}, values) : v};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return runText(text.str(), inputs);
}

/// The keys each query saw, as bits: exp(lse) is their number where every
/// score is 0, and the output times it the sum of 2^j.
static std::vector<int64_t> seen(const Outcome &outcome) {
  EXPECT_EQ(outcome.error, "");
  std::vector<int64_t> keys;
  if (outcome.results.size() == 2)
    for (int64_t i = 0; i < outcome.results[0].size(); ++i)
      keys.push_back(std::lround(outcome.results[0].reals[i] *
                                 std::exp(outcome.results[1].reals[i])));
  return keys;
}

using Seen = std::vector<int64_t>;

TEST(Attention, WorkedRing) {
  // attention.md section 4.
  Outcome outcome = attend(
      "", 4, 4, "", "", {}, f32({1, 4, 1}, {0.5, 1, 1.5, 2}),
      f32({1, 4, 1}, {0.4, 0.8, 1.2, 1.6}), f32({1, 4, 1}, {10, 20, 30, 40}));
  ASSERT_EQ(outcome.error, "");
  expectNear(outcome.results[0].reals, {27.4721, 29.7864, 31.8271, 33.5401},
             5e-5);
  EXPECT_DOUBLE_EQ(outcome.info.largestScore, 3.2);
}

TEST(Attention, CausalAlignments) {
  EXPECT_EQ(seen(attend("", 2, 3)), (Seen{0b111, 0b111}));
  EXPECT_EQ(seen(attend("causal bottom_right", 2, 3)), (Seen{0b011, 0b111}));
  EXPECT_EQ(seen(attend("causal top_left", 2, 3)), (Seen{0b001, 0b011}));
  EXPECT_EQ(seen(attend("causal bottom_right", 3, 2)),
            (Seen{0b00, 0b01, 0b11}));
}

TEST(Attention, WindowsAndPins) {
  EXPECT_EQ(seen(attend("left 1 right 0", 3, 3)), (Seen{0b001, 0b011, 0b110}));
  EXPECT_EQ(seen(attend("left 0 right 0", 3, 3)), (Seen{0b001, 0b010, 0b100}));
  EXPECT_EQ(seen(attend("right 1", 3, 3)), (Seen{0b011, 0b111, 0b111}));
  EXPECT_EQ(seen(attend("left 0 right 0 pin 1", 3, 3)),
            (Seen{0b001, 0b011, 0b101}));
  // A pin opens a window, not a causal mask.
  EXPECT_EQ(seen(attend("causal bottom_right left 0 pin 2", 3, 3)),
            (Seen{0b001, 0b011, 0b111}));
}

TEST(Attention, NothingToSee) {
  Outcome outcome = attend("causal bottom_right", 2, 1);
  ASSERT_EQ(outcome.error, "");
  expectNear(outcome.results[0].reals, {0, 1}, 0);
  expectNear(outcome.results[1].reals, {-kInfinity, 0}, 0);
  outcome = attend("", 2, 0);
  expectNear(outcome.results[0].reals, {0, 0}, 0);
  expectNear(outcome.results[1].reals, {-kInfinity, -kInfinity}, 0);
}

TEST(Attention, WhatIsHiddenMayHoldAnything) {
  Outcome outcome =
      attend("causal bottom_right", 2, 2, "", "", {}, {},
             f32({1, 2, 1}, {1, kNaN}), f32({1, 2, 1}, {5, kInfinity}));
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.results[0].reals[0], 5);
  EXPECT_TRUE(std::isnan(outcome.results[0].reals[1]));
}

TEST(Attention, MasksBroadcastAndCombine) {
  EXPECT_EQ(seen(attend("masks(%m)", 2, 3, ", %m: tensor<3xi1>",
                        ", tensor<3xi1>", {bools({3}, {1, 0, 1})})),
            (Seen{0b101, 0b101}));
  EXPECT_EQ(seen(attend("masks(%m, %n) causal bottom_right", 2, 3,
                        ", %m: tensor<3xi1>, %n: tensor<1x2x1xi1>",
                        ", tensor<3xi1>, tensor<1x2x1xi1>",
                        {bools({3}, {1, 0, 1}), bools({1, 2, 1}, {0, 1})})),
            (Seen{0b000, 0b101}));
}

TEST(Attention, PositionsAndSegments) {
  EXPECT_EQ(seen(attend("q_pos(%p) kv_pos(%r) causal bottom_right", 2, 3,
                        ", %p: tensor<2xi32>, %r: tensor<3xi32>",
                        ", tensor<2xi32>, tensor<3xi32>",
                        {i32({2}, {5, 9}), i32({3}, {6, 5, 9})})),
            (Seen{0b010, 0b111}));
  EXPECT_EQ(seen(attend("q_seg(%p) kv_seg(%r)", 2, 3,
                        ", %p: tensor<2xi32>, %r: tensor<3xi32>",
                        ", tensor<2xi32>, tensor<3xi32>",
                        {i32({2}, {5, 9}), i32({3}, {9, 5, 9})})),
            (Seen{0b010, 0b101}));
}

TEST(Attention, PackedSequencesAlignAtTheirOwnEnd) {
  // One query before two keys, two before two; the last key is in none.
  llvm::StringRef arguments = ", %p: tensor<3xi32>, %r: tensor<3xi32>";
  llvm::StringRef types = ", tensor<3xi32>, tensor<3xi32>";
  std::vector<Tensor> offsets = {i32({3}, {0, 1, 3}), i32({3}, {0, 2, 4})};
  EXPECT_EQ(seen(attend("q_cu(%p) kv_cu(%r) causal bottom_right", 3, 5,
                        arguments, types, offsets)),
            (Seen{0b00011, 0b00100, 0b01100}));
  EXPECT_EQ(seen(attend("q_cu(%p) kv_cu(%r) causal top_left", 3, 5, arguments,
                        types, offsets)),
            (Seen{0b00001, 0b00100, 0b01100}));
}

TEST(Attention, LengthsMoveTheCausalEnd) {
  EXPECT_EQ(
      seen(attend("kv_len(%n) causal bottom_right", 2, 4, ", %n: tensor<1xi32>",
                  ", tensor<1xi32>", {i32({1}, {3})})),
      (Seen{0b0011, 0b0111}));
}

TEST(Attention, SinkBiasAlibiSoftcap) {
  // A sink of 0 is one more key of weight 1 and value 0.
  Outcome outcome = attend("sink(%s)", 1, 1, ", %s: tensor<1xf32>",
                           ", tensor<1xf32>", {f32({1}, {0})});
  expectNear(outcome.results[0].reals, {0.5}, 1e-15);
  expectNear(outcome.results[1].reals, {std::log(2)}, 1e-15);
  // With nothing to see it is all there is.
  outcome = attend("sink(%s)", 1, 0, ", %s: tensor<1xf32>", ", tensor<1xf32>",
                   {f32({1}, {3})});
  expectNear(outcome.results[0].reals, {0}, 0);
  expectNear(outcome.results[1].reals, {3}, 1e-15);

  outcome = attend("bias(%b)", 1, 2, ", %b: tensor<2xf32>", ", tensor<2xf32>",
                   {f32({2}, {0, std::log(3)})});
  expectNear(outcome.results[0].reals, {1.75}, 1e-12);

  outcome = attend("alibi(%s)", 1, 2, ", %s: tensor<1xf32>", ", tensor<1xf32>",
                   {f32({1}, {std::log(3)})});
  expectNear(outcome.results[1].reals, {std::log(1 + 1.0 / 3)}, 1e-12);

  outcome = attend("softcap 2.0", 1, 1, "", "", {}, f32({1, 1, 1}, {100}));
  expectNear(outcome.results[1].reals, {2 * std::tanh(50)}, 1e-12);
}

/// A grouped, batched case in one layout: 2 batch entries, 4 heads on 2,
/// 5 queries, 6 keys, dims 3 and 2.
static Outcome grouped(llvm::StringRef layout, Tensor q, Tensor k, Tensor v) {
  bool hsd = layout == "hsd";
  auto type = [&](int heads, int tokens, int dim) {
    return llvm::formatv("tensor<2x{0}x{1}x{2}xf32>", hsd ? heads : tokens,
                         hsd ? tokens : heads, dim)
        .str();
  };
  auto lse = llvm::formatv("tensor<2x{0}xf32>", hsd ? "4x5" : "5x4").str();
  auto text = llvm::formatv(R"mlir(
    agt.graph @f(%q: {0}, %k: {1}, %v: {2}, %n: tensor<2xi32>, %m: tensor<4x1x6xi1>) -> ({3}, {4}) {{
      %o, %l = agt.attention %q, %k, %v masks(%m) kv_len(%n) causal bottom_right layout {5}
          : ({0}, {1}, {2}, tensor<4x1x6xi1>, tensor<2xi32>) -> ({3}, {4})
      agt.return %o, %l : {3}, {4}
    })mlir",
                            type(4, 5, 3), type(2, 6, 3), type(2, 6, 2),
                            type(4, 5, 2), lse, layout);
  std::vector<int64_t> mask(24, 1);
  mask[3] = mask[7] = 0;
  return runText(text.str(),
                 {q, k, v, i32({2}, {6, 5}), bools({4, 1, 6}, mask)});
}

/// [b, x, y, d] to [b, y, x, d]
static Tensor swapMiddle(const Tensor &tensor) {
  auto shape = tensor.shape;
  std::swap(shape[1], shape[2]);
  Tensor result(tensor.element, shape);
  int64_t i = 0;
  forEachIndex(shape, [&](llvm::ArrayRef<int64_t> at) {
    int64_t from[] = {at[0], at[2], at[1], at[3]};
    result.reals[i++] = tensor.reals[offsetOf(from, stridesOf(tensor.shape))];
  });
  return result;
}

TEST(Attention, LayoutsAgree) {
  Tensor q = noise({2, 4, 5, 3}, 1), k = noise({2, 2, 6, 3}, 2),
         v = noise({2, 2, 6, 2}, 3);
  Outcome hsd = grouped("hsd", q, k, v);
  Outcome shd = grouped("shd", swapMiddle(q), swapMiddle(k), swapMiddle(v));
  ASSERT_EQ(hsd.error, "");
  ASSERT_EQ(shd.error, "");
  EXPECT_EQ(hsd.results[0].reals, swapMiddle(shd.results[0]).reals);
  Tensor sums = shd.results[1];
  sums.shape.push_back(1);
  EXPECT_EQ(hsd.results[1].reals, swapMiddle(sums).reals);
}

TEST(Attention, MatchesAFormula) {
  // Head 3 of entry 1 (kv head 1), query 4, by hand: kv_len 5, causal at the
  // last key, no mask on that head.
  Tensor q = noise({2, 4, 5, 3}, 1), k = noise({2, 2, 6, 3}, 2),
         v = noise({2, 2, 6, 2}, 3);
  Outcome outcome = grouped("hsd", q, k, v);
  ASSERT_EQ(outcome.error, "");
  double l = 0, o = 0;
  for (int j = 0; j < 5; ++j) {
    double x = 0;
    for (int d = 0; d < 3; ++d)
      x += q.reals[((1 * 4 + 3) * 5 + 4) * 3 + d] *
           k.reals[((1 * 2 + 1) * 6 + j) * 3 + d];
    double p = std::exp(x / std::sqrt(3));
    l += p;
    o += p * v.reals[((1 * 2 + 1) * 6 + j) * 2 + 1];
  }
  int64_t row = (1 * 4 + 3) * 5 + 4;
  EXPECT_NEAR(outcome.results[0].reals[row * 2 + 1], o / l, 1e-14);
  EXPECT_NEAR(outcome.results[1].reals[row], std::log(l), 1e-14);
}

TEST(Attention, QuantizedKeysAndValues) {
  Outcome outcome = runText(R"mlir(
    agt.graph @f(%q: tensor<1x4x2xf32>, %k: tensor<1x5x2xf32>) -> (tensor<1x4x2xf32>, tensor<1x4x2xf32>) {
      %v, %s = agt.quantize %k block 2 : tensor<1x5x2xf32> -> (tensor<1x5x2xi8>, tensor<1x3xf32>)
      %d = agt.dequantize %v, %s block 2 : (tensor<1x5x2xi8>, tensor<1x3xf32>) -> tensor<1x5x2xf32>
      %a = agt.attention %q, %v, %v k_scale(%s) v_scale(%s) k_block 2 v_block 2
          : (tensor<1x4x2xf32>, tensor<1x5x2xi8>, tensor<1x5x2xi8>, tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x4x2xf32>
      %b = agt.attention %q, %d, %d : (tensor<1x4x2xf32>, tensor<1x5x2xf32>, tensor<1x5x2xf32>) -> tensor<1x4x2xf32>
      agt.return %a, %b : tensor<1x4x2xf32>, tensor<1x4x2xf32>
    })mlir",
                            {noise({1, 4, 2}, 1), noise({1, 5, 2}, 2)});
  ASSERT_EQ(outcome.error, "");
  expectNear(outcome.results[0].reals, outcome.results[1].reals, 1e-15);
}

TEST(Attention, ToleranceFollowsTheLargestScore) {
  Outcome outcome = attend("", 1, 1, "", "", {}, f32({1, 1, 1}, {32}),
                           f32({1, 1, 1}, {-0.5}), f32({1, 1, 1}, {1}));
  ASSERT_EQ(outcome.error, "");
  EXPECT_DOUBLE_EQ(outcome.info.largestScore, 16);
  EXPECT_DOUBLE_EQ(outcome.results[0].bound(0), 2e-6 * 2);
  EXPECT_DOUBLE_EQ(outcome.results[1].bound(0), 2e-6 * 5 * 16);
}
