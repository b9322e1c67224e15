//===- InterpreterTests.cpp - Values, bounds and errors of the oracle -----===//

#include "unittests/Reference/TestSupport.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace agt::reference;

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

TEST(Elementwise, Broadcasts) {
  auto got = valuesOf(R"mlir(
    agt.graph @f(%a: tensor<2x1xf32>, %b: tensor<?xf32>) -> tensor<2x?xf32> {
      %r = agt.sub %a, %b : (tensor<2x1xf32>, tensor<?xf32>) -> tensor<2x?xf32>
      agt.return %r : tensor<2x?xf32>
    })mlir",
                      {f32({2, 1}, {10, 20}), f32({3}, {1, 2, 3})});
  expectNear(got, {9, 8, 7, 19, 18, 17}, 0);
}

static std::vector<double> integers(llvm::StringRef op, std::vector<int64_t> a,
                                    std::vector<int64_t> b) {
  auto text = llvm::formatv(R"mlir(
    agt.graph @f(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {{
      %r = agt.{0} %a, %b : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
      agt.return %r : tensor<?xi32>
    })mlir",
                            op);
  int64_t n = a.size();
  return valuesOf(text.str(), {i32({n}, std::move(a)), i32({n}, std::move(b))});
}

TEST(Elementwise, Integers) {
  expectNear(integers("div", {7, -7, 5, INT32_MIN}, {2, 2, 0, -1}),
             {3, -3, 0, double(INT32_MIN)}, 0);
  expectNear(integers("rem", {7, -7, 5}, {4, 4, 0}), {3, -3, 0}, 0);
  expectNear(integers("add", {INT32_MAX}, {1}), {double(INT32_MIN)}, 0);
  expectNear(integers("max", {1, -5}, {2, -6}), {2, -5}, 0);
}

static std::vector<double> unary(llvm::StringRef op, std::vector<double> x) {
  auto text = llvm::formatv(R"mlir(
    agt.graph @f(%a: tensor<?xf32>) -> tensor<?xf32> {{
      %r = agt.{0} %a : tensor<?xf32>
      agt.return %r : tensor<?xf32>
    })mlir",
                            op);
  int64_t n = x.size();
  return valuesOf(text.str(), {f32({n}, std::move(x))});
}

TEST(Elementwise, Floats) {
  expectNear(unary("silu", {0, 1, -kInfinity}), {0, 0.7310585786300049, 0},
             1e-15);
  expectNear(unary("gelu", {1, -1}), {0.8413447460685429, -0.15865525393145707},
             1e-15);
  expectNear(unary("gelu_tanh", {1}), {0.8411919906082768}, 1e-15);
  // Where 1 + erf would have no digits.
  expectNear(unary("gelu", {-9}), {-1.01572956535846e-18}, 1e-31);
  expectNear(unary("gelu_tanh", {-9}), {-1.336459594734881e-28}, 1e-40);
  expectNear(unary("rsqrt", {4, 0}), {0.5, kInfinity}, 0);
  expectNear(unary("relu", {-1, 2, kNaN}), {0, 2, kNaN}, 0);
  expectNear(unary("log", {0, -1}), {-kInfinity, kNaN}, 0);
}

TEST(Elementwise, CompareSelectCast) {
  auto got = valuesOf(R"mlir(
    agt.graph @f(%a: tensor<4xf32>) -> tensor<4xi8> {
      %c = arith.constant 0.0 : f64
      %z = agt.scalar %c : f64 -> tensor<f32>
      %p = agt.compare ge %a, %z : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
      %n = agt.neg %a : tensor<4xf32>
      %r = agt.select %p, %a, %n : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %i = agt.cast %r : tensor<4xf32> -> tensor<4xi8>
      agt.return %i : tensor<4xi8>
    })mlir",
                      {f32({4}, {-3.7, 2.2, -1000, kNaN})});
  expectNear(got, {3, 2, 127, 0}, 0);
}

TEST(Elementwise, RoundsOnceToTheResult) {
  // 1 + 2^-12 is 1 in f16; two of them are not lost in f32.
  Tensor half = Tensor::floats(Element::F16, {1}, {0x1p-12});
  Tensor one = Tensor::floats(Element::F16, {1}, {1});
  auto got = valuesOf(R"mlir(
    agt.graph @f(%a: tensor<1xf16>, %b: tensor<1xf16>) -> tensor<1xf16> {
      %s = agt.add %a, %b : (tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
      %r = agt.add %s, %b : (tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
      agt.return %r : tensor<1xf16>
    })mlir",
                      {one, half});
  expectNear(got, {1}, 0);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST(Shapes, MoveElements) {
  Outcome outcome = runText(R"mlir(
    agt.graph @f(%a: tensor<2x3xf32>) -> (tensor<?x4xf32>, tensor<3x2xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %t = agt.transpose %a [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
      %s = agt.slice %a [%c1 to %c3] axis 1 : tensor<2x3xf32> -> tensor<2x2xf32>
      %j = agt.concat %t, %s axis 0 : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<5x2xf32>
      %k = agt.slice %j [%c1 to %c3] axis 0 : tensor<5x2xf32> -> tensor<2x2xf32>
      %r = agt.reshape %k [%c1] : tensor<2x2xf32> -> tensor<?x4xf32>
      agt.return %r, %t : tensor<?x4xf32>, tensor<3x2xf32>
    })mlir",
                            {f32({2, 3}, {1, 2, 3, 4, 5, 6})});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.results[0].shape, (std::vector<int64_t>{1, 4}));
  expectNear(outcome.results[0].reals, {2, 5, 3, 6}, 0);
  expectNear(outcome.results[1].reals, {1, 4, 2, 5, 3, 6}, 0);
}

TEST(Shapes, ConcatOfSingleRows) {
  auto got = valuesOf(R"mlir(
    agt.graph @f(%a: tensor<1x2xf32>) -> tensor<3x2xf32> {
      %j = agt.concat %a, %a, %a axis 0 : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
      agt.return %j : tensor<3x2xf32>
    })mlir",
                      {f32({1, 2}, {1, 2})});
  expectNear(got, {1, 2, 1, 2, 1, 2}, 0);
}

TEST(Shapes, EmbedOutsideTheTable) {
  auto got = valuesOf(R"mlir(
    agt.graph @f(%t: tensor<2x2xf32>, %i: tensor<?xi32>) -> tensor<?x2xf32> {
      %r = agt.embed %t, %i : (tensor<2x2xf32>, tensor<?xi32>) -> tensor<?x2xf32>
      agt.return %r : tensor<?x2xf32>
    })mlir",
                      {f32({2, 2}, {1, 2, 3, 4}), i32({4}, {1, 0, -1, 2})});
  expectNear(got, {3, 4, 1, 2, kNaN, kNaN, kNaN, kNaN}, 0);
}

TEST(Shapes, FullAndIota) {
  Outcome outcome = runText(R"mlir(
    agt.graph @f(%a: tensor<?xf32>) -> (tensor<?x2xi32>, tensor<?xi32>) {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %a, %c0 : tensor<?xf32>
      %f = agt.full %n [%n] : index -> tensor<?x2xi32>
      %i = agt.iota %n : tensor<?xi32>
      agt.return %f, %i : tensor<?x2xi32>, tensor<?xi32>
    })mlir",
                            {f32({3}, {0, 0, 0})});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.results[0].ints, (std::vector<int64_t>(6, 3)));
  EXPECT_EQ(outcome.results[1].ints, (std::vector<int64_t>{0, 1, 2}));
}

//===----------------------------------------------------------------------===//
// Products, reductions, norms
//===----------------------------------------------------------------------===//

TEST(Products, MatmulBroadcastsBatches) {
  auto got =
      valuesOf(R"mlir(
    agt.graph @f(%a: tensor<2x1x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x1x2xf32> {
      %r = agt.matmul %a, %b : (tensor<2x1x2xf32>, tensor<2x2xf32>) -> tensor<2x1x2xf32>
      agt.return %r : tensor<2x1x2xf32>
    })mlir",
               {f32({2, 1, 2}, {1, 2, 3, 4}), f32({2, 2}, {5, 6, 7, 8})});
  expectNear(got, {19, 22, 43, 50}, 0);
}

TEST(Products, LinearIsTransposed) {
  auto got = valuesOf(R"mlir(
    agt.graph @f(%x: tensor<1x2xf32>, %w: tensor<3x2xf32>, %b: tensor<3xf32>) -> tensor<1x3xf32> {
      %r = agt.linear %x, %w bias %b : (tensor<1x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<1x3xf32>
      agt.return %r : tensor<1x3xf32>
    })mlir",
                      {f32({1, 2}, {1, 2}), f32({3, 2}, {1, 2, 3, 4, 5, 6}),
                       f32({3}, {100, 200, 300})});
  expectNear(got, {105, 211, 317}, 0);
}

static std::vector<double> reduced(llvm::StringRef kind, Tensor input) {
  auto text = llvm::formatv(R"mlir(
    agt.graph @f(%a: tensor<2x?xf32>) -> tensor<2xf32> {{
      %r = agt.reduce {0} %a axis 1 : tensor<2x?xf32> -> tensor<2xf32>
      agt.return %r : tensor<2xf32>
    })mlir",
                            kind);
  return valuesOf(text.str(), {std::move(input)});
}

TEST(Reductions, OfFloats) {
  Tensor input = f32({2, 2}, {1, 2, kNaN, 4});
  expectNear(reduced("sum", input), {3, kNaN}, 0);
  expectNear(reduced("mean", input), {1.5, kNaN}, 0);
  expectNear(reduced("max", input), {2, kNaN}, 0);
  expectNear(reduced("min", input), {1, kNaN}, 0);
}

TEST(Reductions, OfNothing) {
  Tensor input = f32({2, 0}, {});
  expectNear(reduced("sum", input), {0, 0}, 0);
  expectNear(reduced("mean", input), {kNaN, kNaN}, 0);
  expectNear(reduced("max", input), {-kInfinity, -kInfinity}, 0);
  expectNear(reduced("min", input), {kInfinity, kInfinity}, 0);
}

TEST(Reductions, LowerIndexFirstAmongEquals) {
  Outcome outcome = runText(R"mlir(
    agt.graph @f(%a: tensor<5xf32>) -> (tensor<3xf32>, tensor<3xi32>, tensor<i32>) {
      %v, %i = agt.topk %a k 3 : tensor<5xf32> -> (tensor<3xf32>, tensor<3xi32>)
      %m = agt.argmax %a axis 0 : tensor<5xf32> -> tensor<i32>
      agt.return %v, %i, %m : tensor<3xf32>, tensor<3xi32>, tensor<i32>
    })mlir",
                            {f32({5}, {1, 7, 3, 7, 3})});
  ASSERT_EQ(outcome.error, "");
  expectNear(outcome.results[0].reals, {7, 7, 3}, 0);
  EXPECT_EQ(outcome.results[1].ints, (std::vector<int64_t>{1, 3, 2}));
  EXPECT_EQ(outcome.results[2].ints, (std::vector<int64_t>{1}));
}

TEST(Reductions, SoftmaxOfLargeNumbers) {
  auto got = valuesOf(R"mlir(
    agt.graph @f(%a: tensor<3xf32>) -> tensor<3xf32> {
      %r = agt.softmax %a axis 0 : tensor<3xf32>
      agt.return %r : tensor<3xf32>
    })mlir",
                      {f32({3}, {10000, 10000 + std::log(3), -10000})});
  expectNear(got, {0.25, 0.75, 0}, 1e-12);
}

TEST(Norms, RmsAndLayer) {
  Outcome outcome =
      runText(R"mlir(
    agt.graph @f(%x: tensor<1x2xf32>, %w: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
      %r = agt.rms_norm %x, %w eps 0.0 : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
      %l = agt.layer_norm %x, %w bias %b eps 0.0 : (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
      agt.return %r, %l : tensor<1x2xf32>, tensor<1x2xf32>
    })mlir",
              {f32({1, 2}, {1, 7}), f32({2}, {1, 2}), f32({2}, {10, 20})});
  ASSERT_EQ(outcome.error, "");
  expectNear(outcome.results[0].reals, {0.2, 2.8}, 1e-15);
  expectNear(outcome.results[1].reals, {9, 22}, 1e-15);
}

TEST(Norms, SmallRowsLoseNothingWhereEpsIsSmaller) {
  auto text = [](llvm::StringRef eps) {
    return (R"mlir(
    agt.graph @f(%x: tensor<1x2xf32>, %w: tensor<2xf32>) -> tensor<1x2xf32> {
      %r = agt.rms_norm %x, %w eps )mlir" +
            eps + R"mlir( : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
      agt.return %r : tensor<1x2xf32>
    })mlir")
        .str();
  };
  Tensor x = f32({1, 2}, {1e-40, 7e-40}), w = f32({2}, {1, 1});
  Outcome scaled = runText(text("1.0e-30"), {x, w});
  expectNear(scaled.results[0].reals, {1e-25, 7e-25}, 1e-30);
  EXPECT_LT(scaled.results[0].bound(0), 1e-30);
  // 1e-10 is enough to hide the squares; the elements may be taken for 0.
  Outcome flushed = runText(text("1.0e-10"), {x, w});
  EXPECT_GT(flushed.results[0].bound(0), 1e-35);
  EXPECT_LT(flushed.results[0].bound(0), 2e-35);
}

TEST(Subnormals, MayBeTakenForZeroInArithmeticOnly) {
  Outcome outcome = runText(R"mlir(
    agt.graph @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>) {
      %m = agt.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %n = agt.neg %a : tensor<2xf32>
      %d = agt.div %b, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %c = agt.compare lt %a, %n : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
      agt.return %m, %n, %d, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>
    })mlir",
                            {f32({2}, {1e-40, 1}), f32({2}, {1e30, 1e30})});
  ASSERT_EQ(outcome.error, "");
  EXPECT_NEAR(outcome.results[0].bound(0), 1e-10, 1e-14);
  EXPECT_LT(outcome.results[0].bound(1), 1e24);
  EXPECT_TRUE(outcome.results[1].isExact());
  EXPECT_EQ(outcome.results[2].bound(0), kInfinity);
  EXPECT_EQ(outcome.results[3].bound(0), kInfinity); // 1e-40 < -1e-40
  EXPECT_EQ(outcome.results[3].bound(1), 0);
}

TEST(Subnormals, VanishInSumsOfProducts) {
  Outcome outcome = runText(
      R"mlir(
    agt.graph @f(%a: tensor<1x3xf32>, %b: tensor<3x1xf32>) -> tensor<1x1xf32> {
      %m = agt.matmul %a, %b : (tensor<1x3xf32>, tensor<3x1xf32>) -> tensor<1x1xf32>
      agt.return %m : tensor<1x1xf32>
    })mlir",
      {f32({1, 3}, {1e-20, 1e-20, 1e-20}), f32({3, 1}, {1e-20, 1e-20, 1e-20})});
  ASSERT_EQ(outcome.error, "");
  EXPECT_NEAR(outcome.results[0].bound(0), 3 * 0x1p-126, 1e-45);
}

TEST(Rotation, TableGivesWhatRopeGives) {
  Outcome outcome = runText(R"mlir(
    agt.graph @f(%x: tensor<3x8xf32>, %p: tensor<3xi32>) -> (tensor<3x8xf32>, tensor<3x8xf32>) {
      %c6 = arith.constant 6 : index
      %r = agt.rope %x, %p base 10000.0 scale 0.5 pairs halves dims 6 : (tensor<3x8xf32>, tensor<3xi32>) -> tensor<3x8xf32>
      %t = agt.rope_table %c6 base 10000.0 scale 0.5 : tensor<3x2xi32>
      %s = agt.rotate %x, %p, %t pairs halves : (tensor<3x8xf32>, tensor<3xi32>, tensor<3x2xi32>) -> tensor<3x8xf32>
      agt.return %r, %s : tensor<3x8xf32>, tensor<3x8xf32>
    })mlir",
                            {noise({3, 8}, 1), i32({3}, {0, -5, 1000000})});
  ASSERT_EQ(outcome.error, "");
  expectNear(outcome.results[0].reals, outcome.results[1].reals, 1e-9);
  // Position 0 turns nothing; the last two elements never turn.
  Tensor x = noise({3, 8}, 1);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(outcome.results[0].reals[i], x.reals[i]);
  EXPECT_EQ(outcome.results[0].reals[23], x.reals[23]);
}

TEST(Rotation, Interleaved) {
  auto got = valuesOf(R"mlir(
    agt.graph @f(%x: tensor<1x2xf32>, %p: tensor<1xi32>) -> tensor<1x2xf32> {
      %r = agt.rope %x, %p base 10000.0 scale 1.0 pairs interleaved : (tensor<1x2xf32>, tensor<1xi32>) -> tensor<1x2xf32>
      agt.return %r : tensor<1x2xf32>
    })mlir",
                      {f32({1, 2}, {1, 0}), i32({1}, {1})});
  expectNear(got, {std::cos(1), std::sin(1)}, 1e-15);
}

TEST(Quantization, ScalesByBlock) {
  Outcome outcome = runText(R"mlir(
    agt.graph @f(%x: tensor<1x3x1xf32>) -> (tensor<1x3x1xi8>, tensor<1x2xf32>, tensor<1x3x1xf32>) {
      %v, %s = agt.quantize %x block 2 : tensor<1x3x1xf32> -> (tensor<1x3x1xi8>, tensor<1x2xf32>)
      %d = agt.dequantize %v, %s block 2 : (tensor<1x3x1xi8>, tensor<1x2xf32>) -> tensor<1x3x1xf32>
      agt.return %v, %s, %d : tensor<1x3x1xi8>, tensor<1x2xf32>, tensor<1x3x1xf32>
    })mlir",
                            {f32({1, 3, 1}, {-254, 3, 0})});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.results[0].ints, (std::vector<int64_t>{-127, 2, 0}));
  expectNear(outcome.results[1].reals, {2, 0}, 0);
  expectNear(outcome.results[2].reals, {-254, 4, 0}, 0);
  // 1.5 is a tie: a device may round either way.
  EXPECT_EQ(outcome.results[0].bound(0), 0);
  EXPECT_EQ(outcome.results[0].bound(1), 1);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

TEST(Control, CallsAndKernels) {
  auto got = valuesOf(R"mlir(
    agt.graph @f(%a: tensor<2xf32>) -> tensor<2xf32> {
      %c3 = arith.constant 3 : index
      %b = agt.call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>
      %l = agt.call @twice(%b) : (tensor<2xf32>) -> tensor<2xf32>
      %r = agt.kernel "plus" (%x = %l : tensor<2xf32>, %n = %c3 : index) -> tensor<2xf32> {
        %s = agt.scalar %n : index -> tensor<f32>
        %y = agt.add %x, %s : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
        agt.yield %y : tensor<2xf32>
      }
      agt.return %r : tensor<2xf32>
    }
    agt.graph @twice(%a: tensor<?xf32>) -> tensor<?xf32> {
      %r = agt.add %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      agt.return %r : tensor<?xf32>
    })mlir",
                      {f32({2}, {1, 2})});
  expectNear(got, {7, 11}, 0);
}

static constexpr const char *kRequire = R"mlir(
    agt.graph @f(%a: tensor<?xf32> {agt.name = "a"}, %b: tensor<?xf32> {agt.name = "b"}) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %a, %c0 : tensor<?xf32>
      %m = tensor.dim %b, %c0 : tensor<?xf32>
      %same = arith.cmpi eq, %n, %m : index
      agt.require %same, "'b' has {1} tokens, and 'a' has {0}"(%n, %m)
      %r = agt.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      agt.return %r : tensor<?xf32>
    })mlir";

TEST(Control, RequireFailsAtItsPlace) {
  Outcome outcome = runText(kRequire, {f32({2}, {1, 2}), f32({3}, {1, 2, 3})});
  EXPECT_EQ(outcome.error, "test.mlir:7:7: 'b' has 3 tokens, and 'a' has 2");
}

TEST(Control, InputsThatDoNotFit) {
  Tensor two = f32({2}, {1, 2});
  EXPECT_EQ(runText(kRequire, {two}).error, "expected 2 inputs, got 1");
  EXPECT_EQ(runText(kRequire, {two, i32({2}, {1, 2})}).error,
            "expected f32 for 'b', got i32");
  EXPECT_EQ(runText(kRequire, {two, f32({1, 2}, {1, 2})}).error,
            "expected 1 dims for 'b', got 2");
  EXPECT_EQ(runText(R"mlir(
    agt.graph @f(%a: tensor<3xf32>) -> tensor<3xf32> {
      agt.return %a : tensor<3xf32>
    })mlir",
                    {two})
                .error,
            "expected size 3 in dim 0 of argument 0, got 2");
}

TEST(Control, RecursionEnds) {
  auto text = R"mlir(
    agt.graph @f(%a: tensor<2xf32>) -> tensor<2xf32> {
      %r = agt.call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>
      agt.return %r : tensor<2xf32>
    })mlir";
  EXPECT_EQ(runText(text, {f32({2}, {1, 2})}).error,
            "test.mlir:3:12: calls nest deeper than 256");
}

TEST(Control, SizesThatBreakAConstraint) {
  auto slice = R"mlir(
    agt.graph @f(%a: tensor<?xf32>) -> tensor<?xf32> {
      %c2 = arith.constant 2 : index
      %c5 = arith.constant 5 : index
      %r = agt.slice %a [%c2 to %c5] axis 0 : tensor<?xf32> -> tensor<?xf32>
      agt.return %r : tensor<?xf32>
    })mlir";
  EXPECT_EQ(runText(slice, {f32({3}, {1, 2, 3})}).error,
            "test.mlir:5:12: expected 0 <= start <= stop <= 3, got 2 to 5");
  auto reshape = R"mlir(
    agt.graph @f(%a: tensor<?xf32>) -> tensor<?x2xf32> {
      %c2 = arith.constant 2 : index
      %r = agt.reshape %a [%c2] : tensor<?xf32> -> tensor<?x2xf32>
      agt.return %r : tensor<?x2xf32>
    })mlir";
  EXPECT_EQ(runText(reshape, {f32({3}, {1, 2, 3})}).error,
            "test.mlir:4:12: expected a shape of 3 elements, got 4");
  auto add = R"mlir(
    agt.graph @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
      %r = agt.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      agt.return %r : tensor<?xf32>
    })mlir";
  EXPECT_EQ(runText(add, {f32({2}, {1, 2}), f32({3}, {1, 2, 3})}).error,
            "test.mlir:3:12: expected shapes that broadcast, got "
            "'tensor<2xf32>' and 'tensor<3xf32>'");
  auto cast = R"mlir(
    agt.graph @f(%a: tensor<?xf32>) -> tensor<4xf32> {
      %r = tensor.cast %a : tensor<?xf32> to tensor<4xf32>
      agt.return %r : tensor<4xf32>
    })mlir";
  EXPECT_EQ(runText(cast, {f32({3}, {1, 2, 3})}).error,
            "test.mlir:3:12: expected a result of type tensor<4xf32>, got the "
            "shape [3]");
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

TEST(Bounds, HoldForF32AndAreTight) {
  // The same chain in float: within the bounds, and these are not lax.
  Tensor x = noise({64}, 3), y = noise({64}, 4);
  Outcome outcome = runText(R"mlir(
    agt.graph @f(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
      %p = agt.mul %x, %y : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      %e = agt.exp %p : tensor<64xf32>
      %s = agt.sub %e, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      agt.return %s : tensor<64xf32>
    })mlir",
                            {x, y});
  ASSERT_EQ(outcome.error, "");
  const Tensor &want = outcome.results[0];
  Tensor got(Element::F32, {64});
  for (int i = 0; i < 64; ++i) {
    float p = float(x.reals[i]) * float(y.reals[i]);
    got.reals[i] = std::exp(p) - float(x.reals[i]);
    EXPECT_LT(want.bound(i), 1e-5);
    EXPECT_GT(want.bound(i), 1e-8);
  }
  EXPECT_EQ(compare(got, want), std::nullopt);
  got.reals[5] += 1e-4;
  EXPECT_NE(compare(got, want), std::nullopt);
}

TEST(Bounds, OfSumsGrowWithTheRootOfTheirLength) {
  auto boundOf = [](int64_t n) {
    Outcome outcome = runText(R"mlir(
      agt.graph @f(%x: tensor<?xf32>) -> tensor<f32> {
        %s = agt.reduce sum %x axis 0 : tensor<?xf32> -> tensor<f32>
        agt.return %s : tensor<f32>
      })mlir",
                              {f32({n}, std::vector<double>(n, 1))});
    return outcome.results[0].bound(0);
  };
  EXPECT_DOUBLE_EQ(boundOf(100), 4 * 0x1p-24 * 10 * 100);
  EXPECT_DOUBLE_EQ(boundOf(10000), 4 * 0x1p-24 * 100 * 10000);
}

TEST(Bounds, DecisionsThatAnErrorMayChange) {
  // exp(0) and 1 are equal, but only up to the error of exp.
  Outcome outcome = runText(R"mlir(
    agt.graph @f(%x: tensor<2xf32>, %one: tensor<f32>) -> tensor<2xi1> {
      %e = agt.exp %x : tensor<2xf32>
      %c = agt.compare gt %e, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
      agt.return %c : tensor<2xi1>
    })mlir",
                            {f32({2}, {0, 1}), f32({}, {1})});
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.results[0].bound(0), kInfinity);
  EXPECT_EQ(outcome.results[0].bound(1), 0);
  EXPECT_EQ(outcome.results[0].ints[1], 1);
}
