// See Restraint.h.
#include "runtime/Generate/Restraint.h"

#include "runtime/Support/Failure.h"

#include <algorithm>
#include <limits>

namespace agt::rt {

TokenOrder::TokenOrder(const Tokenizer &tokenizer) : tokenizer(tokenizer) {
  for (int32_t token = 0; token < tokenizer.size(); ++token)
    if (std::string_view bytes = tokenizer.piece(-1, token); !bytes.empty())
      tokens.emplace_back(bytes, token);
  std::sort(tokens.begin(), tokens.end());
}

void Restraint::apply(std::vector<float> &logits) const {
  std::vector<bool> fits(logits.size());
  bool any = false;
  auto allow = [&](int32_t token) {
    if (size_t(token) < fits.size())
      fits[size_t(token)] = any = true;
  };
  // The state behind each byte of the token before, and how many of them fit.
  std::vector<JsonGrammar::State> behind = {state};
  std::string_view last;
  size_t taken = 0; // bytes of `last` that the grammar takes
  bool dead = false;
  for (const auto &[bytes, token] : order.tokens) {
    size_t same = size_t(
        std::mismatch(last.begin(), last.end(), bytes.begin(), bytes.end())
            .first -
        last.begin());
    last = bytes;
    if (dead && same > taken)
      continue; // it has the byte that did not fit
    dead = false;
    taken = std::min(taken, same);
    behind.resize(taken + 1);
    while (taken < bytes.size()) {
      JsonGrammar::State next = behind.back();
      if (!grammar.take(next, static_cast<unsigned char>(bytes[taken]))) {
        dead = true;
        break;
      }
      behind.push_back(std::move(next));
      ++taken;
    }
    if (!dead)
      allow(token);
  }
  if (grammar.mayEnd(state))
    for (int32_t token = 0; size_t(token) < logits.size(); ++token)
      if (order.tokenizer.isEnd(token))
        allow(token);
  if (!any)
    fail(AGT_FAILED, "no token of the vocabulary can come next");
  for (size_t i = 0; i < logits.size(); ++i)
    if (!fits[i])
      logits[i] = -std::numeric_limits<float>::infinity();
}

void Restraint::take(std::string_view bytes) {
  for (unsigned char byte : bytes)
    grammar.take(state, byte);
}

} // namespace agt::rt
