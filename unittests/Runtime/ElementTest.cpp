// Elements of every type as numbers, and random numbers against published ones.
#include "runtime/Tensor/Element.h"
#include "runtime/Support/Philox.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace agt::rt;

TEST(Element, HalvesAreExact) {
  const uint16_t bits[] = {0x3c00, 0xc000, 0x0001, 0x83ff, 0x7bff,
                           0x7c00, 0xfc00, 0x7e00, 0x8000};
  EXPECT_EQ(realElement(AGT_F16, bits, 0), 1);
  EXPECT_EQ(realElement(AGT_F16, bits, 1), -2);
  EXPECT_EQ(realElement(AGT_F16, bits, 2), 0x1p-24);
  EXPECT_EQ(realElement(AGT_F16, bits, 3), -1023 * 0x1p-24);
  EXPECT_EQ(realElement(AGT_F16, bits, 4), 65504);
  EXPECT_EQ(realElement(AGT_F16, bits, 5), INFINITY);
  EXPECT_EQ(realElement(AGT_F16, bits, 6), -INFINITY);
  EXPECT_TRUE(std::isnan(realElement(AGT_F16, bits, 7)));
  EXPECT_TRUE(std::signbit(realElement(AGT_F16, bits, 8)));
}

TEST(Element, Bf16IsTheUpperHalfOfF32) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    uint16_t bits = uint16_t(i);
    uint32_t wide = i << 16;
    float expected;
    std::memcpy(&expected, &wide, 4);
    double got = realElement(AGT_BF16, &bits, 0);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(got)) << i;
    else
      EXPECT_EQ(got, expected) << i;
  }
}

// OCP 8-bit floating point, E4M3: no infinities, 0x7f and 0xff are NaN.
TEST(Element, F8HasNoInfinity) {
  const uint8_t bits[] = {0x38, 0x7e, 0x78, 0x01, 0x88, 0x7f, 0xff};
  EXPECT_EQ(realElement(AGT_F8E4M3, bits, 0), 1);
  EXPECT_EQ(realElement(AGT_F8E4M3, bits, 1), 448);
  EXPECT_EQ(realElement(AGT_F8E4M3, bits, 2), 256);
  EXPECT_EQ(realElement(AGT_F8E4M3, bits, 3), 0x1p-9);
  EXPECT_EQ(realElement(AGT_F8E4M3, bits, 4), -0x1p-6);
  EXPECT_TRUE(std::isnan(realElement(AGT_F8E4M3, bits, 5)));
  EXPECT_TRUE(std::isnan(realElement(AGT_F8E4M3, bits, 6)));
}

TEST(Element, IntegersKeepAllBits) {
  const int64_t wide[] = {INT64_MAX, INT64_MAX - 1};
  EXPECT_NE(integerElement(AGT_I64, wide, 0), integerElement(AGT_I64, wide, 1));
  const int8_t narrow[] = {-128, 127};
  EXPECT_EQ(integerElement(AGT_I8, narrow, 0), -128);
  EXPECT_EQ(realElement(AGT_I8, narrow, 1), 127);
  const uint8_t truth[] = {1, 0};
  EXPECT_EQ(integerElement(AGT_BOOL, truth, 0), 1);
}

// The known answers of Random123 (philox 4 32, 10 rounds).
TEST(Philox, KnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, NormalsHaveTheirMoments) {
  constexpr int blocks = 250000;
  double sum = 0, squares = 0, fourth = 0, together = 0;
  for (int i = 0; i < blocks; ++i) {
    std::array<float, 4> four = philoxNormals(uint64_t(i), 42);
    together += double(four[0]) * four[1];
    for (double x : four) {
      sum += x;
      squares += x * x;
      fourth += x * x * x * x;
    }
  }
  double n = 4.0 * blocks;
  EXPECT_NEAR(sum / n, 0, 0.005);
  EXPECT_NEAR(squares / n, 1, 0.01);
  EXPECT_NEAR(fourth / n, 3, 0.05);
  EXPECT_NEAR(together / blocks, 0, 0.01);
  EXPECT_NE(philoxNormals(0, 1), philoxNormals(0, 2));
  EXPECT_NE(philoxNormals(0, 1), philoxNormals(uint64_t(1) << 32, 1));
}
