// Which name a misspelt one is taken for.
#include "frontend/Sema/Suggest.h"

#include "gtest/gtest.h"

using namespace agt::sema;

TEST(Suggest, TakesTheNearest) {
  EXPECT_EQ(nearest("sofmax", {"matmul", "softmax", "relu"}), "softmax");
  EXPECT_EQ(nearest("axes", {"x", "axis"}), "axis");
  EXPECT_EQ(nearest("h100-smx", {"h100-pcie", "h100-sxm"}), "h100-sxm");
}

TEST(Suggest, SaysNothingWhereNothingIsNear) {
  EXPECT_EQ(nearest("foo", {"matmul", "softmax"}), "");
  EXPECT_EQ(nearest("x", {"y", "z"}), "");
  EXPECT_EQ(nearest("", {"y"}), "");
  EXPECT_EQ(nearest("same", {"same"}), "");
}

TEST(Suggest, TakesTheFirstOfEquals) {
  EXPECT_EQ(nearest("cap", {"cat", "car"}), "cat");
}

TEST(Suggest, Words) {
  EXPECT_EQ(didYouMean("axes", {"axis"}), "; did you mean 'axis'?");
  EXPECT_EQ(didYouMean("zzz", {"axis"}), "");
  EXPECT_EQ(oneOf({"a"}), "'a'");
  EXPECT_EQ(oneOf({"a", "b"}), "'a' or 'b'");
  EXPECT_EQ(oneOf({"a", "b", "c"}), "'a', 'b' or 'c'");
}
