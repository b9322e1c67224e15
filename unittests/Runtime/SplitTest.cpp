// Which tokens parts hold, and copying parts of tensors.
#include "runtime/Mesh/Split.h"
#include "runtime/Mesh/Gather.h"

#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace agt::rt;

namespace {

constexpr int32_t balances[] = {AGT_CONTIGUOUS, AGT_ZIGZAG, AGT_STRIPED};

std::vector<int64_t> tokens(const agt_split &split, int64_t part, int64_t n) {
  std::vector<int64_t> result;
  for (const TokenRun &run : tokensOf(split, part, n))
    for (int64_t i = 0; i < run.count; ++i)
      result.push_back(run.begin + i * run.step);
  return result;
}

TEST(Split, PartsAreAsTheHeaderSays) {
  using List = std::vector<int64_t>;
  agt_split contiguous{0, 3, 1, AGT_CONTIGUOUS};
  EXPECT_EQ(tokens(contiguous, 0, 8), (List{0, 1, 2}));
  EXPECT_EQ(tokens(contiguous, 1, 8), (List{3, 4, 5}));
  EXPECT_EQ(tokens(contiguous, 2, 8), (List{6, 7}));
  // Six pieces of 2, 2, 1, 1, 1, 1.
  agt_split zigzag{0, 3, 1, AGT_ZIGZAG};
  EXPECT_EQ(tokens(zigzag, 0, 8), (List{0, 1, 7}));
  EXPECT_EQ(tokens(zigzag, 1, 8), (List{2, 3, 6}));
  EXPECT_EQ(tokens(zigzag, 2, 8), (List{4, 5}));
  agt_split striped{0, 3, 1, AGT_STRIPED};
  EXPECT_EQ(tokens(striped, 0, 8), (List{0, 3, 6}));
  EXPECT_EQ(tokens(striped, 2, 8), (List{2, 5}));
}

TEST(Split, PartsMakeUpTheWhole) {
  for (int32_t balance : balances)
    for (int32_t parts : {1, 2, 3, 4, 5, 8, 16, 17})
      for (int64_t n : {int64_t(0), int64_t(1), int64_t(parts - 1),
                        int64_t(2 * parts + 1), int64_t(2999)}) {
        agt_split split{0, parts, 1, balance};
        std::vector<int64_t> all;
        int64_t least = n, most = 0;
        for (int64_t part = 0; part < parts; ++part) {
          std::vector<int64_t> own = tokens(split, part, n);
          EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
          all.insert(all.end(), own.begin(), own.end());
          least = std::min(least, int64_t(own.size()));
          most = std::max(most, int64_t(own.size()));
        }
        EXPECT_LE(most - least, balance == AGT_ZIGZAG ? 2 : 1);
        std::sort(all.begin(), all.end());
        std::vector<int64_t> whole(size_t(n), 0);
        std::iota(whole.begin(), whole.end(), 0);
        EXPECT_EQ(all, whole) << parts << " parts of " << n;
      }
}

TEST(Split, PositionsOfTwoAxes) {
  // 2 x 3 positions, the last axis fastest.
  agt_split outer{0, 2, 3, AGT_CONTIGUOUS}, inner{1, 3, 1, AGT_CONTIGUOUS};
  std::vector<std::vector<int64_t>> parts;
  for (int64_t position = 0; position < 6; ++position)
    parts.push_back(partsOf({outer, inner}, position));
  EXPECT_EQ(parts, (std::vector<std::vector<int64_t>>{
                       {0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}));
  EXPECT_EQ(nearestHolder({inner}, {1}, 3, 6), 1);
  EXPECT_EQ(nearestHolder({inner}, {1}, 1, 6), 4);
  EXPECT_EQ(nearestHolder({inner}, {1}, 0, 6), 4);
  EXPECT_EQ(nearestHolder({inner}, {3}, 0, 6), -1);
  EXPECT_TRUE(isCovered({outer, inner}, 6));
  EXPECT_FALSE(isCovered({outer, inner}, 5));
}

// 2 x 2 positions, cut along the last axis; the first tells groups apart.
TEST(Split, GroupsGatherAmongThemselves) {
  GatherRecord gather{};
  gather.shape = {4, 3};
  gather.elementBytes = 2;
  gather.splits = {{0, 2, 1, AGT_CONTIGUOUS}};
  auto peers = [&](int64_t position) {
    GatherMessages messages = messagesOf(gather, position, 4);
    std::vector<int64_t> from;
    for (const GatherMessages::Receive &receive : messages.receives) {
      EXPECT_EQ(receive.bytes, 12u);
      from.push_back(receive.from);
    }
    return std::make_pair(from, messages.sendTo);
  };
  using List = std::vector<int64_t>;
  // Copies of the other part are at two positions: the one before gives it.
  EXPECT_EQ(peers(0), std::make_pair(List{3}, List{1}));
  EXPECT_EQ(peers(1), std::make_pair(List{0}, List{2}));
  gather.kept = {{-1, 2, 2, AGT_CONTIGUOUS}};
  EXPECT_EQ(peers(0), std::make_pair(List{1}, List{1}));
  EXPECT_EQ(peers(3), std::make_pair(List{2}, List{2}));
}

// Every part read from a strided tensor and written back gives the whole.
TEST(Split, PartsOfTensorsComeBack) {
  const int64_t shape[] = {5, 7, 3};
  std::vector<int32_t> values(105);
  std::iota(values.begin(), values.end(), 0);
  // The axes in reverse order, the second backwards.
  const int64_t strides[] = {1, -5, 35};
  agt_tensor tensors[] = {{values.data(), AGT_I32, 3, shape, nullptr},
                          {values.data() + 30, AGT_I32, 3, shape, strides}};
  for (const agt_tensor &tensor : tensors)
    for (int32_t first : balances)
      for (int32_t second : balances)
        for (int dim : {0, 2}) {
          std::vector<agt_split> splits = {{1, 4, 1, first},
                                           {dim, 2, 4, second}};
          std::vector<int32_t> whole(105, -1);
          size_t elements = 0;
          for (int64_t position = 0; position < 8; ++position) {
            TensorPart part(shape, 3, splits, partsOf(splits, position));
            std::vector<int32_t> copy(size_t(part.elements()) + 1, -2);
            part.read(tensor, reinterpret_cast<unsigned char *>(copy.data()));
            EXPECT_EQ(copy.back(), -2);
            part.write(reinterpret_cast<unsigned char *>(copy.data()),
                       reinterpret_cast<unsigned char *>(whole.data()), 4);
            elements += size_t(part.elements());
          }
          EXPECT_EQ(elements, 105u);
          for (int64_t i = 0; i < 5; ++i)
            for (int64_t j = 0; j < 7; ++j)
              for (int64_t k = 0; k < 3; ++k) {
                int64_t at = tensor.strides ? 30 + i - 5 * j + 35 * k
                                            : (i * 7 + j) * 3 + k;
                EXPECT_EQ(whole[size_t((i * 7 + j) * 3 + k)], at);
              }
        }
}

TEST(Split, OnePieceIsKnown) {
  const int64_t shape[] = {1, 8, 4};
  int64_t first = -1;
  agt_split split{1, 2, 1, AGT_CONTIGUOUS};
  EXPECT_TRUE(TensorPart(shape, 3, {split}, {1}).isOnePiece(first));
  EXPECT_EQ(first, 16);
  split.balance = AGT_STRIPED;
  EXPECT_FALSE(TensorPart(shape, 3, {split}, {1}).isOnePiece(first));
  split = {2, 2, 1, AGT_CONTIGUOUS};
  EXPECT_FALSE(TensorPart(shape, 3, {split}, {1}).isOnePiece(first));
}

TEST(Split, ScalarsAndEmptyTensorsHaveParts) {
  int32_t value = 3, copy = 0;
  agt_tensor scalar{&value, AGT_I32, 0, nullptr, nullptr};
  TensorPart part(nullptr, 0, {}, {});
  EXPECT_EQ(part.elements(), 1);
  part.read(scalar, reinterpret_cast<unsigned char *>(&copy));
  EXPECT_EQ(copy, 3);
  const int64_t shape[] = {int64_t(1) << 62, 8, 0};
  EXPECT_EQ(TensorPart(shape, 3, {}, {}).elements(), 0);
}

} // namespace
