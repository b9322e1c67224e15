// Errors of single tokens. Each is reported on its own characters and the token
// stays in the stream (as the number or string it was meant to be), so that one
// fault makes one error.
#include "frontend/Parse/Literals.h"
#include "frontend/Parse/Structure.h"

#include "AgtLexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace agt;

namespace {

class TokenChecker {
public:
  TokenChecker(const TokenList &list, std::vector<Diagnostic> &errors)
      : list(list), errors(errors) {}

  void run() {
    size_t broken = 0;
    for (size_t index = 0;
         index < list.tokens.size() && errors.size() < enoughErrors; ++index) {
      if (broken < list.brokenStrings.size() &&
          list.brokenStrings[broken].open == index) {
        reportBroken(list.brokenStrings[broken]);
        index = list.brokenStrings[broken++].end - 1;
        previous = AgtLexer::STRING_CLOSE;
        continue;
      }
      const Token &token = list.tokens[index];
      index = check(token, index);
      if (!isHidden(token.kind)) {
        beforePrevious = previous;
        previous = token.kind;
      }
    }
  }

private:
  void error(const Token &token, const llvm::Twine &message) {
    errors.push_back({Severity::Error, list.range(token), message.str(), {}});
  }

  void reportBroken(const BrokenString &broken) {
    if (broken.brace)
      return error(list.tokens[*broken.brace],
                   "unclosed '{' in a string, a brace is written '{{'");
    const Token &open = list.tokens[broken.open];
    error(open, open.end - open.begin == 3
                    ? "unterminated string, expected '\"\"\"'"
                    : "unterminated string, expected '\"' on this line");
  }

  /// Returns the index of the last token that was looked at.
  size_t check(const Token &token, size_t index) {
    llvm::StringRef text = list.spelling(token);
    switch (token.kind) {
    case AgtLexer::INT:
      checkInt(token, text);
      break;
    case AgtLexer::FLOAT:
      if (!parseFloat(text))
        error(token, "number " + text + " is too large for a float");
      break;
    case AgtLexer::DURATION:
      if (!parseDuration(text))
        error(token,
              "duration " + text + " is too long, the limit is 292 years");
      break;
    case AgtLexer::QUANTITY:
      if (!parseQuantity(text))
        error(token, "quantity " + text + " is too large");
      break;
    case AgtLexer::BAD_NUMBER:
      reportNumber(token, text);
      break;
    case AgtLexer::STRING_ESCAPE:
      if (!parseEscape(text))
        error(token, "escape '" + text + "' names no character");
      break;
    case AgtLexer::BAD_ESCAPE:
      reportEscape(token, text);
      break;
    case AgtLexer::INTERPOLATION:
      if (visibleAfter(index) == AgtLexer::RBRACE)
        error(token, "'{}' in a string, braces are written '{{' and '}}'");
      break;
    case AgtLexer::BAD_COMMENT:
      errors.push_back({Severity::Error,
                        list.range(token.begin, token.begin + 2),
                        "unterminated comment, expected '*/'",
                        {}});
      break;
    case AgtLexer::BAD_CHAR:
      return reportCharacters(index);
    default:
      break;
    }
    return index;
  }

  void checkInt(const Token &token, llvm::StringRef text) {
    auto value = parseInt(text);
    // The least integer has a magnitude that only a negation can have.
    bool negated = previous == AgtLexer::MINUS && !endsOperand(beforePrevious);
    if (!value || *value > (1ull << 63) - !negated)
      error(token, "integer " + text + " does not fit in 64 bits");
  }

  void reportNumber(const Token &token, llvm::StringRef text) {
    llvm::StringRef tail = text.ltrim("0123456789_.");
    if (tail.empty() || text.contains("__") || tail.starts_with("_"))
      return error(token, "'" + text +
                              "' is not a number, underscores stand single "
                              "between digits");
    error(token,
          "'" + text + "' is not a number, '" + tail + "' is not a unit");
  }

  void reportEscape(const Token &token, llvm::StringRef text) {
    if (text.starts_with("\\u"))
      return error(token, "'\\u' takes 1 to 6 hex digits in braces, as in "
                          "'\\u{1F600}'");
    error(token, "unknown escape '" + text + "' in a string");
  }

  /// One error for characters that stand together.
  size_t reportCharacters(size_t index) {
    size_t last = index;
    while (last + 1 < list.tokens.size() &&
           list.tokens[last + 1].kind == AgtLexer::BAD_CHAR)
      ++last;
    llvm::SMRange range =
        list.range(list.tokens[index].begin, list.tokens[last].end);
    llvm::StringRef text(range.Start.getPointer(),
                         range.End.getPointer() - range.Start.getPointer());
    // The closing quote of a string that began on this line is the same fault.
    bool quote = text == "'";
    if (quote && index < quotesUntil)
      return last;
    std::string message;
    llvm::raw_string_ostream stream(message);
    stream << (last == index ? "stray character" : "stray characters");
    if (llvm::any_of(text,
                     [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
      stream << " 0x" << llvm::utohexstr(static_cast<unsigned char>(text[0]));
    else if (text.size() <= 40)
      stream << " '" << text << "'";
    if (text == "|")
      stream << ", expected '||'";
    if (text == "#")
      stream << ", comments begin with '//'";
    if (quote) {
      stream << ", strings are written in double quotes";
      quotesUntil = lineEnd(index);
    }
    errors.push_back({Severity::Error, range, message, {}});
    return last;
  }

  /// The first token of a later line.
  size_t lineEnd(size_t index) const {
    while (index < list.tokens.size() &&
           !list.spelling(list.tokens[index]).contains('\n'))
      ++index;
    return index;
  }

  unsigned visibleAfter(size_t index) const {
    while (++index < list.tokens.size())
      if (!isHidden(list.tokens[index].kind))
        return list.tokens[index].kind;
    return 0;
  }

  const TokenList &list;
  std::vector<Diagnostic> &errors;
  unsigned previous = 0;
  unsigned beforePrevious = 0;
  size_t quotesUntil = 0;
};

} // namespace

void agt::checkTokens(const TokenList &list, std::vector<Diagnostic> &errors) {
  TokenChecker(list, errors).run();
}
