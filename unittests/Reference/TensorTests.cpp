//===- TensorTests.cpp - Rounding, bounds, indices ------------------------===//

#include "reference/Bytes.h"
#include "unittests/Reference/TestSupport.h"

#include <cmath>

using namespace agt::reference;

TEST(Rounding, HalfPrecision) {
  EXPECT_EQ(roundTo(Element::F16, 1 + 0x1p-11), 1); // tie to even
  EXPECT_EQ(roundTo(Element::F16, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(roundTo(Element::F16, 65519), 65504);
  EXPECT_EQ(roundTo(Element::F16, 65520), kInfinity);
  EXPECT_EQ(roundTo(Element::F16, -65520), -kInfinity);
  EXPECT_EQ(roundTo(Element::F16, 0x1p-25), 0);         // tie to even
  EXPECT_EQ(roundTo(Element::F16, 0x1.8p-25), 0x1p-24); // subnormal
  EXPECT_TRUE(std::signbit(roundTo(Element::F16, -0x1p-30)));
}

TEST(Rounding, Brain) {
  EXPECT_EQ(roundTo(Element::BF16, 1 + 0x1p-8), 1);
  EXPECT_EQ(roundTo(Element::BF16, 1 + 3 * 0x1p-8), 1 + 0x1p-6);
  EXPECT_EQ(roundTo(Element::BF16, 0x1.FFp127), kInfinity);
}

TEST(Rounding, EightBitsSaturate) {
  EXPECT_EQ(roundTo(Element::F8E4M3, 448), 448);
  EXPECT_EQ(roundTo(Element::F8E4M3, 1e9), 448);
  EXPECT_EQ(roundTo(Element::F8E4M3, -kInfinity), -448);
  EXPECT_TRUE(std::isnan(roundTo(Element::F8E4M3, kNaN)));
  EXPECT_EQ(roundTo(Element::F8E4M3, 17), 16);
  EXPECT_EQ(roundTo(Element::F8E4M3, 0x1p-10), 0);
  EXPECT_EQ(roundTo(Element::F8E4M3, 0x1p-9), 0x1p-9);
}

TEST(Rounding, IntegersSaturate) {
  EXPECT_EQ(convertToInteger(Element::I8, 127.9), 127);
  EXPECT_EQ(convertToInteger(Element::I8, -1000), -128);
  EXPECT_EQ(convertToInteger(Element::I32, -2.7), -2);
  EXPECT_EQ(convertToInteger(Element::I32, kNaN), 0);
  EXPECT_EQ(convertToInteger(Element::I64, 1e30), INT64_MAX);
  EXPECT_EQ(convertToInteger(Element::Bool, 0.1), 1);
  EXPECT_EQ(convertToInteger(Element::Bool, kNaN), 1);
  EXPECT_EQ(wrapTo(Element::I8, 200), -56);
}

TEST(Units, InLastPlace) {
  EXPECT_EQ(unitInLastPlace(Element::F32, 1.5), 0x1p-23);
  EXPECT_EQ(unitInLastPlace(Element::F16, -2), 0x1p-9);
  EXPECT_EQ(unitInLastPlace(Element::BF16, 1), 0x1p-7);
  EXPECT_EQ(unitInLastPlace(Element::F32, 0), 0x1p-126);
  EXPECT_EQ(unitInLastPlace(Element::F32, 1e39), kInfinity);
}

TEST(Bounds, NarrowResultsAddAUnit) {
  Tensor tensor(Element::F16, {3});
  tensor.setFloat(0, 1.5, 0);
  tensor.setFloat(1, 1.5 + 0x1p-12, 0);
  tensor.setFloat(2, 65504, 32);
  EXPECT_EQ(tensor.bound(0), 0);
  EXPECT_EQ(tensor.reals[1], 1.5);
  EXPECT_EQ(tensor.bound(1), 0x1p-10);
  EXPECT_EQ(tensor.bound(2), kInfinity); // may have become infinite
}

TEST(Indices, InOrder) {
  std::vector<std::vector<int64_t>> seen;
  forEachIndex({2, 2}, [&](llvm::ArrayRef<int64_t> index) {
    seen.push_back(index.vec());
  });
  EXPECT_EQ(seen, (std::vector<std::vector<int64_t>>{
                      {0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  int visits = 0;
  forEachIndex({3, 0}, [&](llvm::ArrayRef<int64_t>) { ++visits; });
  EXPECT_EQ(visits, 0);
  forEachIndex({}, [&](llvm::ArrayRef<int64_t>) { ++visits; });
  EXPECT_EQ(visits, 1);
}

TEST(Compare, NamesTheFirstThatDeparts) {
  Tensor want = f32({2}, {1, 2}), got = f32({2}, {1, 2.5});
  EXPECT_EQ(compare(want, want), std::nullopt);
  EXPECT_EQ(compare(got, want), "at [1]: expected 2 within 0, got 2.5");
  want.bounds = {0, 0.5};
  EXPECT_EQ(compare(got, want), std::nullopt);
  EXPECT_EQ(compare(f32({1}, {1}), want), "expected f32 [2], got f32 [1]");
  Tensor nan = f32({1}, {kNaN});
  EXPECT_EQ(compare(nan, nan), std::nullopt);
  EXPECT_NE(compare(nan, f32({1}, {0})), std::nullopt);
}

TEST(Bytes, ElementsAsTheyLieInMemory) {
  auto read = [](Element element, uint64_t word) {
    return fromBytes(element, {}, {}, &word).number(0);
  };
  EXPECT_EQ(read(Element::F32, 0x3fc00000), 1.5);
  EXPECT_EQ(read(Element::F16, 0x3e00), 1.5);
  EXPECT_EQ(read(Element::BF16, 0x3fc0), 1.5);
  EXPECT_EQ(read(Element::F8E4M3, 0x3c), 1.5);
  EXPECT_TRUE(std::isnan(read(Element::F8E4M3, 0x7f)));
  EXPECT_EQ(read(Element::I8, 0x80), -128);
  EXPECT_EQ(read(Element::I32, 0xffffffff), -1);
  EXPECT_EQ(read(Element::Bool, 2), 1);
}

TEST(Bytes, RoundTrip) {
  Tensor half(Element::F16, {3});
  half.reals = {65504, -0x1p-24, kInfinity};
  auto bytes = toBytes(half);
  ASSERT_EQ(bytes.size(), 6u);
  EXPECT_EQ(fromBytes(Element::F16, {3}, {1}, bytes.data()).reals, half.reals);

  Tensor wide = f32({1}, {0.1}); // rounded on the way out
  EXPECT_EQ(fromBytes(Element::F32, {1}, {1}, toBytes(wide).data()).reals[0],
            static_cast<double>(0.1f));
}

TEST(Bytes, StridesAreFollowed) {
  int32_t data[] = {1, 2, 3, 4, 5, 6};
  Tensor turned = fromBytes(Element::I32, {3, 2}, {1, 3}, data);
  EXPECT_EQ(turned.ints, (std::vector<int64_t>{1, 4, 2, 5, 3, 6}));
}
