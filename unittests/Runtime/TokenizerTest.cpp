// llama2.c's tokenizer and checkpoints, and the choice of tokens.
#include "runtime/Tokenizer/Tokenizer.h"
#include "runtime/Generate/Sampler.h"
#include "runtime/Support/Failure.h"
#include "runtime/Weights/Llama2c.h"
#include "unittests/Runtime/Refusal.h"
#include "unittests/Runtime/TempDir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>

using namespace agt::rt;
using agt::rt::test::messageOf;

namespace {

std::string words(std::initializer_list<int32_t> numbers) {
  std::string bytes;
  for (int32_t number : numbers)
    for (int i = 0; i < 4; ++i)
      bytes += char(uint32_t(number) >> (8 * i));
  return bytes;
}

std::string token(const std::string &text, float score = 0) {
  int32_t bits;
  std::memcpy(&bits, &score, sizeof bits);
  return words({bits, int32_t(text.size())}) + text;
}

/// Marks, bytes, and these texts, the later the better.
std::string vocabulary(const std::vector<std::string> &texts) {
  std::string file =
      words({16}) + token("<unk>") + token("\n<s>\n") + token("\n</s>\n");
  for (int byte = 0; byte < 256; ++byte) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", byte);
    file += token(text);
  }
  float score = 0;
  for (const std::string &text : texts)
    file += token(text, ++score);
  return file;
}

class TokenizerTest : public ::testing::Test {
protected:
  std::unique_ptr<Tokenizer> read(const std::string &bytes) {
    return openTokenizer(folder.write("t.bin", bytes));
  }
  std::string refusal(const std::string &bytes) {
    std::string message = messageOf([&] { read(bytes); });
    std::string start = "cannot read '" + folder.path("t.bin") + "': ";
    EXPECT_EQ(message.substr(0, start.size()), start);
    return message.substr(std::min(start.size(), message.size()));
  }
  test::TempDir folder;
};

TEST_F(TokenizerTest, MergesTheBestPairFirstAndOfEqualOnesTheFirst) {
  auto tokens = read(vocabulary({" ", "a", "b", "c", "bc", "ab", "abc", " a"}));
  // " a" is the best pair, then "bc"; "ab" and "abc" never come about.
  EXPECT_EQ(tokens->encode("abc"), (std::vector<int32_t>{1, 266, 263}));
  EXPECT_EQ(tokens->encode("ababab"),
            (std::vector<int32_t>{1, 266, 261, 264, 264}));
  auto equal = read(vocabulary({" ", "a"}) + token("aa", 9));
  EXPECT_EQ(equal->encode("aaa"), (std::vector<int32_t>{1, 259, 261, 260}));
  EXPECT_EQ(tokens->encode(""), (std::vector<int32_t>{1}));
}

TEST_F(TokenizerTest, WritesWhatNoTokenDoesInBytes) {
  auto tokens = read(vocabulary({" ", "a", "\xc3\xa4"}));
  EXPECT_EQ(tokens->encode("\xc3\xa4z\xff"),
            (std::vector<int32_t>{1, 259, 261, 3 + 'z', 3 + 0xff}));
  // Texts that read like marks and bytes are texts.
  EXPECT_EQ(tokens->decode(tokens->encode("<s>\n<0x41>")), "<s>\n<0x41>");
}

TEST_F(TokenizerTest, AnyBytesComeBack) {
  auto tokens = read(vocabulary({" ", "a", "b", "\xc3\xa4", "\xe2\x82\xac",
                                 "aa", "ab", " a", "ba", "  ",
                                 "\xc3\xa4"
                                 "a"}));
  std::mt19937 random(7);
  const std::string common = "ab \xc3\xa4\xe2\x82\xac";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (size_t i = random() % 20; i > 0; --i)
      text += random() % 4 ? common[random() % common.size()]
                           : char(random() % 256);
    std::vector<int32_t> whole = tokens->encode(text);
    ASSERT_EQ(tokens->decode(whole), text);
    std::vector<int32_t> more = tokens->encodeMore(text);
    whole.insert(whole.end(), more.begin(), more.end());
    ASSERT_EQ(tokens->decode(whole), text + text);
  }
}

TEST_F(TokenizerTest, DamagedFilesAreNamed) {
  std::string good = vocabulary({" "});
  EXPECT_EQ(refusal(""), "it ends within the header of a llama2c tokenizer");
  EXPECT_EQ(refusal(words({0})), "its longest token has 0 bytes: it is not a "
                                 "llama2c tokenizer");
  EXPECT_EQ(refusal(good.substr(0, good.size() - 1)),
            "it ends within its token 259");
  EXPECT_EQ(refusal(good.substr(0, good.size() - 5)),
            "it ends within its token 259");
  EXPECT_EQ(refusal(words({16, 0, -1})),
            "its token 0 has -1 bytes, the longest is to have 16");
  EXPECT_EQ(refusal(words({16, 0, 17})),
            "its token 0 has 17 bytes, the longest is to have 16");
  EXPECT_EQ(refusal(words({16, 0, 16})), "it ends within its token 0");
  EXPECT_EQ(refusal(words({16, 0x7fc00000, 0})),
            "its token 0 has no number as its score");
  EXPECT_EQ(refusal(words({16}) + token("a")),
            "its token 3 is not '<0x00>': it is not a llama2c tokenizer");
}

TEST(Llama2cTest, DamagedFilesAreNamed) {
  auto refusal = [](const std::string &bytes) {
    auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
    return messageOf([&] { readLlama2c(data, bytes.size(), "m"); });
  };
  EXPECT_EQ(refusal(words({8, 8, 1, 2, 1, 4})),
            "cannot read 'm': it ends within the header of a llama2c file");
  EXPECT_EQ(refusal(words({8, 8, 1, 2, -1, 4, 4})),
            "cannot read 'm': its header says -1 for 'kv heads': it is not a "
            "llama2c file");
  EXPECT_EQ(refusal(words({8, 8, 1, 3, 1, 4, 4})),
            "cannot read 'm': its header says 8 for 'hidden', 3 for 'heads' "
            "and 1 for 'kv heads', which do not divide");
  EXPECT_EQ(refusal(words({8, 8, 1, 2, 1, 4, 4})),
            "cannot read 'm': its header asks for 1852 bytes, it has 28");
  // Sizes whose product no 64 bits hold.
  int32_t most = 0x7fffffff;
  EXPECT_EQ(refusal(words({most, most, most, 1, 1, most, most})),
            "cannot read 'm': its header asks for "
            "277298568486330532436010598416 bytes, it has 28");
}

TEST(Llama2cTest, TensorsLieBehindEachOther) {
  for (bool tied : {true, false}) {
    std::string bytes = words({8, 6, 2, 2, 1, tied ? 3 : -3, 5});
    size_t elements = 3 * 8 * (tied ? 1 : 2) +
                      2 * (8 + 64 + 32 + 32 + 64 + 8 + 3 * 48) + 8 + 5 * 4;
    bytes.resize(28 + 4 * elements);
    auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
    auto list = readLlama2c(data, bytes.size(), "m");
    std::map<std::string, StoredTensor> tensors;
    for (auto &entry : list)
      tensors[entry.name] = entry.tensor;
    auto at = [&](const char *name) {
      return (tensors.at(name).data - data - 28) / 4;
    };
    EXPECT_EQ(list.size(), 3u + 2 * 9);
    EXPECT_EQ(at("tok_embeddings.weight"), 0);
    EXPECT_EQ(at("layers.1.attention_norm.weight"), 24 + 8);
    EXPECT_EQ(at("layers.1.attention.wk.weight"), 24 + 16 + 128 + 32);
    EXPECT_EQ(at("norm.weight"), 24 + 2 * (8 + 64 + 32 + 32 + 64 + 8 + 144));
    EXPECT_EQ(at("output.weight"), tied ? 0 : at("norm.weight") + 8 + 20);
    EXPECT_EQ(tensors.at("layers.0.feed_forward.w2.weight").shape,
              (std::vector<int64_t>{8, 6}));
  }
}

TEST(SamplerTest, TakesTheLikeliest) {
  Sampler sampler({});
  EXPECT_EQ(sampler.choose({1, 3, 2, 3}), 1);
  EXPECT_EQ(sampler.choose({NAN, -INFINITY, NAN}), 1);
  EXPECT_THROW(sampler.choose({NAN}), Failure);
}

TEST(SamplerTest, ChancesAreThoseOfTheLogits) {
  Sampling sampling;
  sampling.temperature = 2;
  sampling.seed = 5;
  Sampler sampler(sampling), again(sampling);
  std::vector<float> logits = {0, float(2 * std::log(3.0)), -INFINITY, NAN};
  int counts[4] = {};
  for (int i = 0; i < 4000; ++i) {
    int32_t token = sampler.choose(logits);
    ASSERT_EQ(token, again.choose(logits));
    ++counts[token];
  }
  // 1 to 3: 1000 and 3000, within five standard deviations.
  EXPECT_NEAR(counts[0], 1000, 140);
  EXPECT_EQ(counts[0] + counts[1], 4000);
}

TEST(SamplerTest, LeavesOutWhatIsUnlikely) {
  Sampling sampling;
  sampling.temperature = 1;
  sampling.topK = 2;
  Sampler two(sampling);
  sampling.topK = 0;
  sampling.topP = 0.5;
  Sampler half(sampling);
  sampling.topP = 0;
  Sampler one(sampling);
  std::vector<float> logits = {0, 0.5f, 1, 0};
  bool both[2] = {};
  for (int i = 0; i < 500; ++i) {
    int32_t token = two.choose(logits);
    ASSERT_TRUE(token == 1 || token == 2);
    both[token - 1] = true;
    // The chances are 0.41 (2), 0.25 (1), 0.15, 0.15: half takes two.
    token = half.choose(logits);
    ASSERT_TRUE(token == 1 || token == 2);
    ASSERT_EQ(one.choose(logits), 2);
  }
  EXPECT_TRUE(both[0] && both[1]);
}

TEST(SamplerTest, LeavesOutWhatIsFarBelowTheLikeliest) {
  Sampling sampling;
  sampling.temperature = 1;
  sampling.minP = 0.5;
  Sampler sampler(sampling);
  // Chances to that of the likeliest: 0.37, 0.61, 1.
  bool seen[3] = {};
  for (int i = 0; i < 500; ++i)
    seen[sampler.choose({0, 0.5f, 1})] = true;
  EXPECT_FALSE(seen[0]);
  EXPECT_TRUE(seen[1] && seen[2]);
}

TEST(SamplerTest, WhatCameBeforeIsLessLikely) {
  Sampling sampling;
  sampling.repetition = 2;
  Sampler sampler(sampling);
  EXPECT_EQ(sampler.choose({3, 2, 1}, {0, 0}), 1);
  EXPECT_EQ(sampler.choose({4.5f, 2, 1}, {0, 0}), 0);
  EXPECT_EQ(sampler.choose({-1, -1.5f, -3}, {0}), 1);
}

} // namespace
