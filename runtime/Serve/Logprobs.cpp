// See Logprobs.h. JSON has no infinity: no chance is -9999, as OpenAI has it.
#include "runtime/Serve/Logprobs.h"

#include "runtime/Support/Text.h"

#include <cmath>

namespace agt::rt {

static double numberOf(const Chance &chance) {
  return std::isinf(chance.log) ? -9999 : chance.log;
}

/// The token's bytes, escaped where they are no text by themselves.
static std::string textOf(std::string_view bytes) {
  if (findInvalidUtf8(bytes) == std::string::npos)
    return std::string(bytes);
  static const char digits[] = "0123456789abcdef";
  std::string text = "bytes:";
  for (unsigned char byte : bytes) {
    text += "\\x";
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

static size_t charactersOf(std::string_view bytes) {
  size_t count = 0;
  for (unsigned char byte : bytes)
    count += (byte & 0xc0) != 0x80;
  return count;
}

Json Logprobs::ofChat(int32_t previous, const Chance &chance) const {
  std::string_view bytes = tokenizer.piece(previous, chance.token);
  Json numbers = Json::array();
  for (unsigned char byte : bytes)
    numbers.push_back(byte);
  return {{"token", textOf(bytes)},
          {"logprob", numberOf(chance)},
          {"bytes", numbers}};
}

Json Logprobs::next(const std::vector<TokenChance> &tokens) {
  if (chat) {
    Json content = Json::array();
    for (const TokenChance &token : tokens) {
      Json one = ofChat(token.previous, token.chosen);
      one["top_logprobs"] = Json::array();
      for (const Chance &other : token.likeliest)
        one["top_logprobs"].push_back(ofChat(token.previous, other));
      content.push_back(one);
    }
    return {{"content", content}, {"refusal", nullptr}};
  }
  Json all = {{"tokens", Json::array()},
              {"token_logprobs", Json::array()},
              {"top_logprobs", Json::array()},
              {"text_offset", Json::array()}};
  for (const TokenChance &token : tokens) {
    auto text = [&](const Chance &chance) {
      return textOf(tokenizer.piece(token.previous, chance.token));
    };
    Json top = Json::object();
    // Of tokens with the same text the likeliest.
    for (const Chance &other : token.likeliest)
      top.emplace(text(other), numberOf(other));
    top.emplace(text(token.chosen), numberOf(token.chosen));
    all["tokens"].push_back(text(token.chosen));
    all["token_logprobs"].push_back(numberOf(token.chosen));
    all["top_logprobs"].push_back(top);
    all["text_offset"].push_back(offset);
    offset += charactersOf(tokenizer.piece(token.previous, token.chosen.token));
  }
  return all;
}

} // namespace agt::rt
