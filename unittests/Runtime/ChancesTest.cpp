// Chances of tokens from logits, and what OpenAI's answers have of them.
#include "runtime/Generate/Chances.h"
#include "runtime/Serve/Logprobs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace agt::rt;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::vector<int32_t> tokensOf(const TokenChance &chance) {
  std::vector<int32_t> tokens;
  for (const Chance &each : chance.likeliest)
    tokens.push_back(each.token);
  return tokens;
}

TEST(ChancesTest, AreThoseOfTheLogits) {
  float ln2 = std::log(2.0f);
  TokenChance chance = chanceOf({1000, 1000 + ln2, 1000, -infinity}, 7, 2, 2);
  EXPECT_EQ(chance.previous, 7);
  EXPECT_EQ(chance.chosen.token, 2);
  EXPECT_NEAR(chance.chosen.log, std::log(0.25), 1e-4);
  EXPECT_EQ(tokensOf(chance), (std::vector<int32_t>{1, 0}));
  EXPECT_NEAR(chance.likeliest[0].log, std::log(0.5), 1e-4);
  EXPECT_EQ(tokensOf(chanceOf({1, 2, 2}, 0, 0, 0)), std::vector<int32_t>{});
  EXPECT_EQ(tokensOf(chanceOf({1, 2, 2}, 0, 0, 9)),
            (std::vector<int32_t>{1, 2, 0}));
}

TEST(ChancesTest, InfinityAndNaN) {
  TokenChance chance = chanceOf({infinity, nan, 0, infinity}, 0, 3, 4);
  EXPECT_NEAR(chance.chosen.log, std::log(0.5), 1e-12);
  EXPECT_EQ(tokensOf(chance), (std::vector<int32_t>{0, 3, 2}));
  EXPECT_EQ(chance.likeliest[2].log, -std::numeric_limits<double>::infinity());
  chance = chanceOf({-infinity, nan, -infinity}, 0, 1, 1);
  EXPECT_EQ(chance.chosen.log, -std::numeric_limits<double>::infinity());
  EXPECT_NEAR(chance.likeliest[0].log, std::log(0.5), 1e-12);
}

/// A blank is gone behind token 0.
class Words : public Tokenizer {
public:
  int64_t size() const override { return 4; }
  std::vector<int32_t> encode(std::string_view, bool) const override {
    return {};
  }
  std::vector<int32_t> encodeMore(std::string_view) const override {
    return {};
  }
  std::string_view piece(int32_t previous, int32_t token) const override {
    static const std::string_view pieces[] = {"", " a", "\xc3", "a"};
    return token == 1 && previous == 0 ? "a" : pieces[token];
  }
  bool isEnd(int32_t) const override { return false; }
};

const std::vector<TokenChance> tokens = {
    {0, {1, -0.5}, {{1, -0.5}, {3, -1.5}}},
    {1, {2, -std::numeric_limits<double>::infinity()}, {{1, -0.25}}}};

TEST(LogprobsTest, OfAChat) {
  Words words;
  EXPECT_EQ(Logprobs(words, true).next(tokens), Json::parse(R"({
    "refusal": null, "content": [
      {"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": [
        {"token": "a", "logprob": -0.5, "bytes": [97]},
        {"token": "a", "logprob": -1.5, "bytes": [97]}]},
      {"token": "bytes:\\xc3", "logprob": -9999, "bytes": [195], "top_logprobs": [
        {"token": " a", "logprob": -0.25, "bytes": [32, 97]}]}]})"));
}

TEST(LogprobsTest, OfACompletion) {
  Words words;
  Logprobs logprobs(words, false);
  EXPECT_EQ(logprobs.next(tokens), Json::parse(R"({
    "tokens": ["a", "bytes:\\xc3"], "token_logprobs": [-0.5, -9999],
    "top_logprobs": [{"a": -0.5}, {" a": -0.25, "bytes:\\xc3": -9999}],
    "text_offset": [0, 1]})"));
  EXPECT_EQ(logprobs.next({tokens[0]})["text_offset"], Json::parse("[2]"));
}

} // namespace
