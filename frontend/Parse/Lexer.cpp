// The generated lexer reads bytes through a stream of our own whose positions
// are byte offsets, and hands over tokens through the overridden emit(), so no
// token object is allocated. Here also lives what the grammar cannot say: that
// an interpolation in a string of one line ends on that line. The lexer keeps
// a stack of open braces and strings beside ANTLR's mode stack (one entry for
// each mode pushed); a line break under such a string unwinds both to where
// they were before the string.
#include "frontend/Parse/Lexer.h"

#include "AgtLexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace agt;

namespace {

/// Code points of a UTF-8 text; positions are byte offsets.
class ByteStream : public antlr4::CharStream {
public:
  explicit ByteStream(llvm::StringRef text) : text(text) {}

  void consume() override { at += length(); }
  size_t LA(ssize_t offset) override {
    // The lexer never looks further than one character ahead.
    if (offset != 1 || at >= text.size())
      return antlr4::IntStream::EOF;
    const auto *bytes = reinterpret_cast<const unsigned char *>(text.data());
    unsigned char lead = bytes[at];
    switch (length()) {
    case 1:
      return lead;
    case 2:
      return (lead & 0x1Fu) << 6 | (bytes[at + 1] & 0x3Fu);
    case 3:
      return (lead & 0x0Fu) << 12 | (bytes[at + 1] & 0x3Fu) << 6 |
             (bytes[at + 2] & 0x3Fu);
    default:
      return (lead & 0x07u) << 18 | (bytes[at + 1] & 0x3Fu) << 12 |
             (bytes[at + 2] & 0x3Fu) << 6 | (bytes[at + 3] & 0x3Fu);
    }
  }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return at; }
  void seek(size_t position) override { at = position; }
  size_t size() override { return text.size(); }
  std::string getSourceName() const override { return "agt"; }
  std::string getText(const antlr4::misc::Interval &interval) override {
    return text.slice(interval.a, interval.b + 1).str();
  }
  std::string toString() const override { return text.str(); }

private:
  size_t length() const {
    unsigned char lead = text[at];
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  }

  llvm::StringRef text;
  size_t at = 0;
};

class TokenCollector : public AgtLexer {
public:
  TokenCollector(ByteStream &stream, TokenList &list)
      : AgtLexer(&stream), stream(stream), list(list) {}

  void collect() {
    while (!atEnd)
      nextToken();
    closeAtEnd();
  }

  antlr4::Token *emit() override {
    if (type == antlr4::Token::EOF)
      return emitEOF();
    auto index = static_cast<uint32_t>(list.tokens.size());
    Token token{static_cast<uint32_t>(tokenStartCharIndex),
                static_cast<uint32_t>(stream.index()),
                static_cast<uint16_t>(type)};
    list.tokens.push_back(token);
    follow(token, index);
    return nullptr;
  }

  antlr4::Token *emitEOF() override {
    atEnd = true;
    return nullptr;
  }

  // At the bottom of the stack there is nothing to pop: a stray '}'.
  size_t popMode() override {
    return modeStack.empty() ? 0 : AgtLexer::popMode();
  }

private:
  enum class Opener { Brace, Interpolation, LineString, BlockString };
  struct Open {
    Opener opener;
    uint32_t token;
  };

  bool isString(const Open &open) const {
    return open.opener == Opener::LineString ||
           open.opener == Opener::BlockString;
  }

  /// Keeps `open` in step with the mode stack.
  void follow(const Token &token, uint32_t index) {
    switch (token.kind) {
    case STRING_OPEN:
      open.push_back({token.end - token.begin == 3 ? Opener::BlockString
                                                   : Opener::LineString,
                      index});
      return;
    case LBRACE:
      open.push_back({Opener::Brace, index});
      return;
    case INTERPOLATION:
      open.push_back({Opener::Interpolation, index});
      return;
    case STRING_CLOSE:
    case RBRACE:
      if (!open.empty())
        open.pop_back();
      return;
    case BAD_STRING: {
      // ANTLR has popped the string's own mode already; an outer string of one
      // line ends here too.
      uint32_t start = open.pop_back_val().token;
      if (!endLineString(index, /*innerString=*/true))
        list.brokenStrings.push_back({start, index, std::nullopt});
      return;
    }
    default:
      if (list.spelling(token).contains('\n'))
        endLineString(isHidden(token.kind) ? index : index + 1,
                      /*innerString=*/false);
    }
  }

  /// A line ends before token `end`: closes the outermost string of one line,
  /// if there is one. `innerString` says that a string inside it ended too.
  bool endLineString(uint32_t end, bool innerString) {
    for (size_t depth = 0; depth != open.size(); ++depth)
      if (open[depth].opener == Opener::LineString) {
        unwind(depth, end, innerString);
        return true;
      }
    return false;
  }

  void unwind(size_t depth, uint32_t end, bool innerString) {
    BrokenString broken{open[depth].token, end, std::nullopt};
    // A string inside an interpolation that does not end either: its quote was
    // the one that should have closed this string, so the '{' is to blame.
    for (size_t inner = depth + 1; inner < open.size(); ++inner)
      innerString |= isString(open[inner]);
    if (innerString && depth + 1 < open.size() &&
        open[depth + 1].opener == Opener::Interpolation)
      broken.brace = open[depth + 1].token;
    while (open.size() > depth) {
      open.pop_back();
      popMode();
    }
    list.brokenStrings.push_back(broken);
  }

  void closeAtEnd() {
    auto end = static_cast<uint32_t>(list.tokens.size());
    for (size_t depth = 0; depth != open.size(); ++depth)
      if (isString(open[depth]))
        return unwind(depth, end, /*innerString=*/false);
  }

  ByteStream &stream;
  TokenList &list;
  llvm::SmallVector<Open, 32> open;
  bool atEnd = false;
};

/// The first byte that is not UTF-8, if any.
std::optional<size_t> findInvalidByte(llvm::StringRef text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  const auto *at = begin;
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  while (at != end) {
    unsigned length = llvm::getNumBytesForUTF8(*at);
    if (*at >= 0x80 && (length > static_cast<size_t>(end - at) ||
                        !llvm::isLegalUTF8Sequence(at, at + length)))
      return at - begin;
    at += length;
  }
  return std::nullopt;
}

constexpr llvm::StringLiteral byteOrderMark("\xEF\xBB\xBF");

} // namespace

std::optional<TokenList> agt::lex(llvm::SourceMgr &sources, unsigned bufferId,
                                  Diagnostics &diagnostics) {
  TokenList list;
  list.bufferId = bufferId;
  list.text = sources.getMemoryBuffer(bufferId)->getBuffer();
  if (list.text.size() >= UINT32_MAX) {
    diagnostics.error(list.range(0, 0), "the file is larger than 4 GiB");
    return std::nullopt;
  }
  if (auto offset = findInvalidByte(list.text)) {
    diagnostics.error(list.range(*offset, *offset + 1),
                      "the file is not UTF-8: invalid byte 0x" +
                          llvm::Twine::utohexstr(
                              static_cast<unsigned char>(list.text[*offset])));
    return std::nullopt;
  }
  ByteStream stream(list.text);
  TokenCollector lexer(stream, list);
  lexer.removeErrorListeners();
  if (list.text.starts_with(byteOrderMark)) {
    stream.seek(byteOrderMark.size());
    list.tokens.push_back({0, byteOrderMark.size(), AgtLexer::SPACE});
  }
  lexer.collect();
  return list;
}

llvm::StringRef agt::tokenKindName(unsigned kind) {
  static const std::vector<std::string> names = [] {
    antlr4::ANTLRInputStream empty("");
    AgtLexer lexer(&empty);
    std::vector<std::string> result;
    for (size_t kind = 0; kind <= lexer.getVocabulary().getMaxTokenType();
         ++kind)
      result.push_back(lexer.getVocabulary().getSymbolicName(kind));
    return result;
  }();
  return kind < names.size() ? llvm::StringRef(names[kind])
                             : llvm::StringRef("EOF");
}

bool agt::isBlank(unsigned kind) {
  // BAD_STRING is the line break behind a string that should have ended.
  return kind == AgtLexer::SPACE || kind == AgtLexer::BAD_STRING;
}

bool agt::isUnterminatedComment(unsigned kind) {
  return kind == AgtLexer::BAD_COMMENT;
}

bool agt::isLineComment(unsigned kind) {
  return kind == AgtLexer::LINE_COMMENT;
}

bool agt::isComment(unsigned kind) {
  return kind == AgtLexer::LINE_COMMENT || kind == AgtLexer::BLOCK_COMMENT ||
         kind == AgtLexer::BAD_COMMENT;
}

bool agt::isHidden(unsigned kind) { return isBlank(kind) || isComment(kind); }

std::string agt::docCommentBefore(const TokenList &list, uint32_t offset) {
  auto token = llvm::lower_bound(
      list.tokens, offset,
      [](const Token &token, uint32_t offset) { return token.begin < offset; });
  llvm::SmallVector<llvm::StringRef, 4> lines;
  // Backwards: one line break, a doc comment, one line break, ...
  while (token - list.tokens.begin() >= 2) {
    const Token &blank = token[-1];
    const Token &comment = token[-2];
    llvm::StringRef text = list.spelling(comment);
    if (!isBlank(blank.kind) || list.spelling(blank).count('\n') != 1 ||
        !isLineComment(comment.kind) || !text.consume_front("///") ||
        text.starts_with("/"))
      break;
    text.consume_front(" ");
    lines.push_back(text.rtrim());
    token -= 2;
  }
  std::reverse(lines.begin(), lines.end());
  return llvm::join(lines, "\n");
}

void agt::dumpTokens(const llvm::SourceMgr &sources, const TokenList &list,
                     llvm::raw_ostream &out) {
  // Counted on the way: asking for each token's line and column would read
  // every line again for each token on it.
  unsigned line = 1, column = 1;
  for (const Token &token : list.tokens) {
    llvm::StringRef text = list.spelling(token);
    if (!isHidden(token.kind) || isComment(token.kind)) {
      out << line << ':' << column << ' ' << tokenKindName(token.kind) << " '";
      out.write_escaped(text, /*UseHexEscapes=*/true);
      out << "'\n";
    }
    for (char c : text) {
      if (c == '\n') {
        ++line;
        column = 1;
      } else {
        column += (c & 0xC0) != 0x80;
      }
    }
  }
  out << line << ':' << column << " EOF ''\n";
}
