// Tokens that keep a text within a grammar.
#ifndef AGT_RUNTIME_GENERATE_RESTRAINT_H
#define AGT_RUNTIME_GENERATE_RESTRAINT_H

#include "runtime/Generate/JsonGrammar.h"
#include "runtime/Tokenizer/Tokenizer.h"

namespace agt::rt {

/// The tokens of a vocabulary in the order of their bytes, so that what they
/// begin with is tried once. Made once for a model.
class TokenOrder {
public:
  explicit TokenOrder(const Tokenizer &tokenizer);

  const Tokenizer &tokenizer;
  std::vector<std::pair<std::string, int32_t>> tokens; // those with bytes
};

/// One text.
class Restraint {
public:
  Restraint(const JsonGrammar &grammar, const TokenOrder &order)
      : grammar(grammar), order(order), state(grammar.start()) {}

  /// Makes the logits of all tokens that may not come next -infinity. Fails
  /// with AGT_FAILED where the vocabulary cannot go on.
  void apply(std::vector<float> &logits) const;
  /// Takes the bytes of the token that was chosen.
  void take(std::string_view bytes);
  /// Whether the text is whole, and nothing may follow.
  bool isOver() const { return grammar.mustEnd(state); }
  /// Whether the text may end here.
  bool isWhole() const { return grammar.mayEnd(state); }

private:
  const JsonGrammar &grammar;
  const TokenOrder &order;
  JsonGrammar::State state;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_GENERATE_RESTRAINT_H
