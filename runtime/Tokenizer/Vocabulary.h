// A tokenizer from a vocabulary, whatever file it came from: pieces of a text
// are taken apart into bytes or characters, which are joined by merges in their
// order or by the scores of what they make.
#ifndef AGT_RUNTIME_TOKENIZER_VOCABULARY_H
#define AGT_RUNTIME_TOKENIZER_VOCABULARY_H

#include "runtime/Tokenizer/Merger.h"
#include "runtime/Tokenizer/Splitter.h"
#include "runtime/Tokenizer/Tokenizer.h"

#include <array>
#include <set>
#include <unordered_map>

namespace agt::rt {

struct VocabularyToken {
  enum Kind {
    Text,
    Byte,  // of a vocabulary of characters: one byte that no text has
    Added, // its text is always this token
    Mark,  // only where marks are asked for; it writes nothing
    Unused // what no text becomes
  };
  /// What it writes: no escapes, a blank for U+2581. Of a mark, its name.
  std::string text;
  Kind kind = Text;
  /// Of marks: blanks before or behind belong to it.
  bool takesBefore = false, takesBehind = false;
};

struct Vocabulary {
  std::vector<VocabularyToken> tokens;
  /// A text is bytes, each a token; else characters, and bytes for those that
  /// are no token.
  bool byteLevel = false;
  /// Joins by score, where there are any; else by merges.
  std::vector<float> scores;
  struct Merge {
    size_t rank; // less comes first
    int32_t token;
  };
  std::unordered_map<uint64_t, Merge> merges; // by key()
  static uint64_t key(int32_t left, int32_t right) {
    return uint64_t(uint32_t(left)) << 32 | uint32_t(right);
  }
  std::vector<SplitStep> steps;
  /// A piece that is a token is that token, whatever merges make of it.
  bool wholePieces = false;
  /// Whether a blank is put in front of a text, or of what follows a mark too.
  enum Front { Never, First, Always } front = Never;
  std::vector<int32_t> begin; // in front of every text
  std::set<int32_t> ends;
};

/// Whether marks of this name end a text, by the convention of known models.
bool isEndName(std::string_view name);

class VocabularyTokenizer : public Tokenizer {
public:
  /// Fails with AGT_BAD_INPUT where a byte has no token: not every text could
  /// be written.
  explicit VocabularyTokenizer(Vocabulary vocabulary);

  int64_t size() const override { return int64_t(v.tokens.size()); }
  std::vector<int32_t> encode(std::string_view text,
                              bool marks = false) const override;
  std::vector<int32_t> encodeMore(std::string_view text) const override;
  std::string_view piece(int32_t previous, int32_t token) const override;
  bool isEnd(int32_t token) const override { return v.ends.count(token); }

private:
  using Kind = VocabularyToken::Kind;

  /// `first`: the text begins a sequence.
  void encodeText(std::string_view text, bool marks, bool first,
                  std::vector<int32_t> &out) const;
  void encodePart(std::string_view part, bool blank,
                  std::vector<int32_t> &out) const;
  void encodePiece(std::string_view piece, std::vector<int32_t> &out) const;
  void takeApart(std::string_view piece, Merger &merger) const;
  std::optional<Join> join(const Merger::Item &left,
                           const Merger::Item &right) const;
  int32_t find(std::string_view text) const;
  /// The longest added token or mark that stands at `at`, or -1.
  int32_t addedAt(std::string_view text, size_t at, bool marks) const;
  bool isBlankPutBehind(int32_t previous) const;

  Vocabulary v;
  std::unordered_map<std::string_view, int32_t> byText; // of kind Text
  std::array<int32_t, 256> bytes;
  std::array<std::vector<int32_t>, 256> added; // by first byte, longest first
};

} // namespace agt::rt

#endif // AGT_RUNTIME_TOKENIZER_VOCABULARY_H
