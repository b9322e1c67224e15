// Text to tokens. The tokens of a buffer are kept whole, blanks and comments
// included, so that every byte belongs to exactly one token: the formatter and
// the doc comments read them from here. ANTLR does the work and does not show.
#ifndef AGT_FRONTEND_PARSE_LEXER_H
#define AGT_FRONTEND_PARSE_LEXER_H

#include "frontend/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace agt {

/// A piece of the source. `kind` is a token type of grammar/AgtLexer.g4.
struct Token {
  uint32_t begin;
  uint32_t end;
  uint16_t kind;
};

/// A string that does not end: found where its line (or the file) ends, which
/// is where lexing goes on.
struct BrokenString {
  /// The token that opens it and the first token after it.
  uint32_t open;
  uint32_t end;
  /// The `{` in it that was meant as a brace, if that is what went wrong.
  std::optional<uint32_t> brace;
};

struct TokenList {
  unsigned bufferId = 0;
  llvm::StringRef text;
  std::vector<Token> tokens;
  std::vector<BrokenString> brokenStrings;

  llvm::StringRef spelling(const Token &token) const {
    return text.slice(token.begin, token.end);
  }
  llvm::SMRange range(const Token &token) const {
    return range(token.begin, token.end);
  }
  /// Where what is missing at the end is reported.
  llvm::SMRange endRange() const {
    llvm::StringRef typed = text;
    if (typed.consume_back("\n"))
      typed.consume_back("\r");
    return range(typed.size(), typed.size());
  }
  llvm::SMRange range(uint32_t begin, uint32_t end) const {
    return {llvm::SMLoc::getFromPointer(text.data() + begin),
            llvm::SMLoc::getFromPointer(text.data() + end)};
  }
};

/// Tokens of a buffer, or nothing when it is not UTF-8 or too large, which is
/// reported. What is wrong with single tokens is not reported here.
std::optional<TokenList> lex(llvm::SourceMgr &sources, unsigned bufferId,
                             Diagnostics &diagnostics);

/// The token type's name in the grammar: "NAME".
llvm::StringRef tokenKindName(unsigned kind);

/// Blanks and comments.
bool isHidden(unsigned kind);
bool isComment(unsigned kind);
/// A comment that ends at the end of its line.
bool isLineComment(unsigned kind);
bool isBlank(unsigned kind);
bool isUnterminatedComment(unsigned kind);

/// The doc comment directly before the token that begins at `offset`, with each
/// line's `///` and one blank removed, lines joined by '\n'; or "".
std::string docCommentBefore(const TokenList &list, uint32_t offset);

/// `--emit=tokens`: one line per visible token, `line:column KIND 'text'`.
void dumpTokens(const llvm::SourceMgr &sources, const TokenList &list,
                llvm::raw_ostream &out);

} // namespace agt

#endif
