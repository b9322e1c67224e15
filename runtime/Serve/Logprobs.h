// The chances of a text's tokens as OpenAI's answers have them.
#ifndef AGT_RUNTIME_SERVE_LOGPROBS_H
#define AGT_RUNTIME_SERVE_LOGPROBS_H

#include "runtime/Generate/Chances.h"
#include "runtime/Tokenizer/Tokenizer.h"
#include "runtime/Value/Json.h"

namespace agt::rt {

class Logprobs {
public:
  Logprobs(const Tokenizer &tokenizer, bool chat)
      : tokenizer(tokenizer), chat(chat) {}

  /// "logprobs" of a choice for the next tokens of the text: of a chat a list
  /// of them, of a completion a list for each of their properties.
  Json next(const std::vector<TokenChance> &tokens);

private:
  Json ofChat(int32_t previous, const Chance &chance) const;

  const Tokenizer &tokenizer;
  const bool chat;
  size_t offset = 0; // characters of the text so far
};

} // namespace agt::rt

#endif // AGT_RUNTIME_SERVE_LOGPROBS_H
