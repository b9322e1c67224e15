// Symbolic sizes: one object for equal polynomials, what is proved about them,
// and that what they say holds for numbers (checked against plain arithmetic on
// random expressions).
#include "frontend/Sema/DimExpr.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <random>

using namespace agt::sema;

namespace {

class DimExprTest : public testing::Test {
protected:
  Dim n(int64_t value) { return dims.constant(value); }
  Dim add(Dim a, Dim b) { return dims.add(a, b); }
  Dim mul(Dim a, Dim b) { return dims.mul(a, b); }

  DimContext dims;
  Dim S = dims.name("S"), T = dims.name("T"), H = dims.name("H");
};

} // namespace

TEST_F(DimExprTest, EqualPolynomialsAreOneObject) {
  EXPECT_EQ(mul(S, H), mul(H, S));
  EXPECT_EQ(mul(add(S, n(1)), n(2)), add(mul(n(2), S), n(2)));
  EXPECT_EQ(mul(add(S, T), add(S, T)),
            add(add(mul(S, S), mul(n(2), mul(S, T))), mul(T, T)));
  EXPECT_EQ(dims.sub(S, S), n(0));
  EXPECT_EQ(dims.name("S"), S);
  EXPECT_NE(S, T);
}

TEST_F(DimExprTest, Compare) {
  EXPECT_EQ(dims.compare(S, S), Relation::Equal);
  EXPECT_EQ(dims.compare(S, add(S, n(1))), Relation::Different);
  EXPECT_EQ(dims.compare(n(3), n(4)), Relation::Different);
  EXPECT_EQ(dims.compare(S, T), Relation::Unknown);
  EXPECT_EQ(dims.compare(S, mul(n(2), S)), Relation::Unknown); // S may be 0.
  EXPECT_EQ(dims.compare(add(mul(n(2), S), n(1)), S), Relation::Different);
  EXPECT_EQ(dims.compare(S, n(-1)), Relation::Different);
}

TEST_F(DimExprTest, Division) {
  EXPECT_EQ(dims.div(mul(S, n(6)), n(3)), mul(S, n(2)));
  EXPECT_EQ(dims.div(mul(S, H), H), S);
  EXPECT_EQ(dims.div(n(7), n(2)), n(3));
  EXPECT_EQ(dims.div(n(-7), n(2)), n(-3));
  EXPECT_EQ(dims.rem(n(-7), n(2)), n(-1));
  EXPECT_EQ(dims.rem(mul(S, n(8)), n(4)), n(0));
  EXPECT_EQ(dims.div(add(mul(S, n(8)), n(3)), n(8)), S);
  EXPECT_EQ(dims.rem(add(mul(S, n(8)), n(3)), n(8)), n(3));
  EXPECT_EQ(dims.ceilDiv(mul(S, n(16)), 16), S);
  EXPECT_EQ(dims.exactQuotient(add(mul(S, n(4)), mul(T, n(6))), n(2)),
            add(mul(S, n(2)), mul(T, n(3))));
  EXPECT_EQ(dims.exactQuotient(S, n(2)), nullptr);
  EXPECT_EQ(dims.exactQuotient(S, T), nullptr);
}

TEST_F(DimExprTest, NullOnOverflow) {
  Dim big = n(INT64_MAX);
  EXPECT_EQ(add(big, n(1)), nullptr);
  EXPECT_EQ(dims.problem(), "integer overflow");
  EXPECT_EQ(dims.sub(n(INT64_MIN), n(1)), nullptr);
  EXPECT_EQ(mul(mul(S, n(1LL << 62)), n(4)), nullptr);
  EXPECT_EQ(dims.div(n(INT64_MIN), n(-1)), nullptr);
  EXPECT_EQ(dims.rem(n(INT64_MIN), n(-1)), n(0));
  EXPECT_EQ(dims.div(S, n(0)), nullptr);
  EXPECT_EQ(dims.problem(), "division by zero");
  EXPECT_EQ(dims.rem(S, n(0)), nullptr);
  EXPECT_EQ(add(nullptr, S), nullptr);
}

TEST_F(DimExprTest, GrowthIsBounded) {
  Dim product = S;
  while (product && product->terms().begin()->first.degree() < 1000)
    product = mul(product, S);
  EXPECT_EQ(product, nullptr);
  Dim nested = S;
  for (int i = 2; nested && i < 1000; ++i)
    nested = dims.rem(add(nested, T), n(i));
  EXPECT_EQ(nested, nullptr);
  EXPECT_EQ(dims.problem(), "an expression of dims that is too large");
}

TEST_F(DimExprTest, Text) {
  EXPECT_EQ(n(0)->str(), "0");
  EXPECT_EQ(add(mul(n(2), S), n(1))->str(), "2*S + 1");
  EXPECT_EQ(dims.sub(S, n(1))->str(), "S - 1");
  EXPECT_EQ(dims.sub(n(0), S)->str(), "-S");
  EXPECT_EQ(mul(mul(S, S), n(-3))->str(), "-3*S*S");
  EXPECT_EQ(dims.div(add(S, n(15)), n(16))->str(), "(S + 15)/16");
  EXPECT_EQ(mul(n(2), dims.div(S, T))->str(), "2*(S/T)");
  EXPECT_EQ(mul(dims.rem(S, n(3)), T)->str(), "T*(S%3)");
  EXPECT_EQ(dims.max(S, T)->str(), "max(S, T)");
}

TEST_F(DimExprTest, MaxAndMin) {
  EXPECT_EQ(dims.max(S, add(S, n(1))), add(S, n(1)));
  EXPECT_EQ(dims.min(S, n(0)), n(0));
  EXPECT_EQ(dims.max(n(3), n(5)), n(5));
  EXPECT_EQ(dims.min(n(3), n(5)), n(3));
}

TEST_F(DimExprTest, Substitute) {
  auto with = [&](Dim dim, Dim s, Dim t) {
    return dims.substitute(
        dim, [&](llvm::StringRef name) { return name == "S" ? s : t; });
  };
  Dim dim = dims.div(add(mul(S, S), T), n(2));
  EXPECT_EQ(with(dim, n(3), n(5)), n(7));
  EXPECT_EQ(with(add(S, n(1)), mul(n(2), H), T), add(mul(n(2), H), n(1)));
  EXPECT_EQ(with(mul(S, T), n(INT64_MAX), n(2)), nullptr);
}

namespace {

int64_t floorFree(DimAtom::Kind kind, int64_t a, int64_t b) {
  switch (kind) {
  case DimAtom::Quotient:
    return b == 0 ? 0 : a / b;
  case DimAtom::Remainder:
    return b == 0 ? a : a % b;
  case DimAtom::Max:
    return std::max(a, b);
  default:
    return std::min(a, b);
  }
}

/// A dim and what it is for the numbers given to the names.
struct Sample {
  Dim dim;
  int64_t value;
};

} // namespace

TEST_F(DimExprTest, HoldsForNumbers) {
  const char *given = std::getenv("AGT_SEED");
  unsigned seed =
      given ? std::strtoul(given, nullptr, 10) : std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int round = 0; round < 300; ++round) {
    int64_t s = random() % 20, t = random() % 20, h = random() % 20;
    auto valueOf = [&](llvm::StringRef name) {
      return n(name == "S" ? s : name == "T" ? t : h);
    };
    std::vector<Sample> pool = {{S, s}, {T, t}, {H, h}, {n(1), 1}, {n(3), 3}};
    for (int i = 0; i < 12; ++i) {
      Sample a = pool[random() % pool.size()], b = pool[random() % pool.size()];
      Sample c;
      switch (random() % 7) {
      case 0:
        c = {add(a.dim, b.dim), a.value + b.value};
        break;
      case 1:
        c = {dims.sub(a.dim, b.dim), a.value - b.value};
        break;
      case 2:
        c = {mul(a.dim, b.dim), a.value * b.value};
        break;
      case 3: // A quotient by a sum that is 0 is simplified as if it were not.
        if (b.value == 0)
          continue;
        c = {dims.div(a.dim, b.dim),
             floorFree(DimAtom::Quotient, a.value, b.value)};
        break;
      case 4:
        if (b.value == 0)
          continue;
        c = {dims.rem(a.dim, b.dim),
             floorFree(DimAtom::Remainder, a.value, b.value)};
        break;
      case 5:
        c = {dims.max(a.dim, b.dim), std::max(a.value, b.value)};
        break;
      default:
        c = {dims.min(a.dim, b.dim), std::min(a.value, b.value)};
      }
      if (!c.dim || std::abs(c.value) > 1'000'000)
        continue;
      Dim substituted = dims.substitute(c.dim, valueOf);
      if (!substituted) // A quotient inside is by zero.
        continue;
      ASSERT_EQ(substituted->constant(), c.value) << c.dim->str();
      ASSERT_TRUE(!dims.isNonNegative(c.dim) || c.value >= 0) << c.dim->str();
      ASSERT_TRUE(!dims.isPositive(c.dim) || c.value > 0) << c.dim->str();
      for (const Sample &other : pool) {
        Relation relation = dims.compare(c.dim, other.dim);
        ASSERT_FALSE(relation == Relation::Equal && c.value != other.value);
        ASSERT_FALSE(relation == Relation::Different && c.value == other.value)
            << c.dim->str() << " and " << other.dim->str();
      }
      pool.push_back(c);
    }
  }
}
