// Texts cut into pieces that tokens do not cross.
#ifndef AGT_RUNTIME_TOKENIZER_SPLITTER_H
#define AGT_RUNTIME_TOKENIZER_SPLITTER_H

#include "runtime/Support/Pattern.h"

#include <vector>

namespace agt::rt {

/// A pattern cuts at what it matches. What lies between two matches is a piece
/// as well.
struct SplitStep {
  enum Kind {
    Isolated,     // a match is a piece
    WithPrevious, // it ends a piece
    WithNext      // it begins one
  };
  Pattern pattern;
  Kind kind = Isolated;
};

/// GPT-2's pattern, which tokenizers fall back on.
extern const char *const gpt2Pattern;

/// The pieces of a text, in order; together they are the text. Each step cuts
/// the pieces of those before. Bytes that are no UTF-8 are pieces of their own,
/// which no step sees. Fails with AGT_BAD_INPUT where a pattern takes too much.
std::vector<std::string_view> splitText(std::string_view text,
                                        const std::vector<SplitStep> &steps);

} // namespace agt::rt

#endif // AGT_RUNTIME_TOKENIZER_SPLITTER_H
