// Brackets, nesting and declarations, on tokens.
//
// Brackets are matched here and not by the parser because here is the whole
// picture: a `;` directly inside `(` or `[` is always an error, a declaration's
// keyword behind a `;` or `}` never stands inside a block, and a closing brace
// may close over forgotten parentheses but not the other way round. Each fault
// is repaired by a virtual closing bracket (or by dropping a stray one), so the
// parser never sees unbalanced brackets, and each declaration is parsed on its
// own. That bounds the parser's memory by the largest declaration and keeps a
// fault in one declaration from hiding those in others.
//
// Nesting is counted here too: the parser is recursive, and its prediction is
// recursive in what it looks ahead over.
#include "frontend/Parse/Structure.h"

#include "AgtLexer.h"

#include "llvm/ADT/SmallVector.h"

using namespace agt;

const char agt::nestingMessage[] = "nesting is deeper than 256";

static const antlr4::dfa::Vocabulary &vocabulary() {
  static antlr4::ANTLRInputStream empty("");
  static AgtLexer lexer(&empty);
  return lexer.getVocabulary();
}

llvm::StringRef agt::fixedSpelling(unsigned kind) {
  static const std::vector<std::string> spellings = [] {
    std::vector<std::string> result;
    for (size_t kind = 0; kind <= vocabulary().getMaxTokenType(); ++kind)
      result.push_back(vocabulary().getLiteralName(kind));
    return result;
  }();
  // ANTLR has no name for what two modes spell alike.
  if (kind == AgtLexer::STRING_CLOSE)
    return "'\"'";
  if (kind == AgtLexer::LBRACE)
    return "'{'";
  return kind < spellings.size() ? llvm::StringRef(spellings[kind]) : "";
}

bool agt::endsOperand(unsigned kind) {
  switch (kind) {
  case AgtLexer::NAME:
  case AgtLexer::INT:
  case AgtLexer::FLOAT:
  case AgtLexer::DURATION:
  case AgtLexer::QUANTITY:
  case AgtLexer::BAD_NUMBER:
  case AgtLexer::TRUE:
  case AgtLexer::FALSE:
  case AgtLexer::NONE:
  case AgtLexer::RPAREN:
  case AgtLexer::RBRACK:
  case AgtLexer::RBRACE:
  case AgtLexer::STRING_CLOSE:
    return true;
  default:
    // A word of some rule is a name where an operator follows it.
    return kind >= AgtLexer::ALL && kind <= AgtLexer::WITHIN;
  }
}

namespace {

bool isDeclarationKeyword(unsigned kind) {
  switch (kind) {
  case AgtLexer::IMPORT:
  case AgtLexer::CONST:
  case AgtLexer::RECORD:
  case AgtLexer::ENUM:
  case AgtLexer::TARGET:
  case AgtLexer::MESH:
  case AgtLexer::MODEL:
  case AgtLexer::WEIGHTS:
  case AgtLexer::GRAPH:
  case AgtLexer::LLM:
  case AgtLexer::TOOL:
  case AgtLexer::AGENT:
  case AgtLexer::FN:
  case AgtLexer::TEST:
  // Of a later version, and refused as a whole.
  case AgtLexer::STREAM:
  case AgtLexer::LIVE:
    return true;
  default:
    return false;
  }
}

unsigned closerOf(unsigned opener) {
  switch (opener) {
  case AgtLexer::LPAREN:
    return AgtLexer::RPAREN;
  case AgtLexer::LBRACK:
    return AgtLexer::RBRACK;
  default:
    return AgtLexer::RBRACE;
  }
}

/// Makes the visible tokens: broken strings whole, stray characters gone. What
/// is next to such a repair is suspect.
class VisibleTokens {
public:
  explicit VisibleTokens(const TokenList &list) : list(list) {}

  std::vector<SyntaxToken> make() {
    size_t broken = 0;
    for (size_t index = 0; index < list.tokens.size(); ++index) {
      if (broken < list.brokenStrings.size() &&
          list.brokenStrings[broken].open == index) {
        addBroken(list.brokenStrings[broken]);
        index = list.brokenStrings[broken++].end - 1;
      } else {
        add(list.tokens[index]);
      }
    }
    return std::move(out);
  }

private:
  void add(const Token &token) {
    switch (token.kind) {
    case AgtLexer::BAD_CHAR:
      if (!out.empty())
        out.back().suspect = true;
      suspect = true;
      return;
    case AgtLexer::BAD_NUMBER:
      push({token.begin, token.end, AgtLexer::INT, false, true});
      suspect = true;
      return;
    case AgtLexer::BAD_ESCAPE:
      push({token.begin, token.end, AgtLexer::STRING_ESCAPE});
      return;
    case AgtLexer::RBRACE:
      // `{}` in a string was reported as such.
      if (!out.empty() && out.back().kind == AgtLexer::INTERPOLATION)
        suspect = true;
      break;
    default:
      break;
    }
    if (isHidden(token.kind))
      startsLine |= list.spelling(token).contains('\n');
    else
      push({token.begin, token.end, token.kind});
  }

  /// An empty string stands for it. The punctuation at the end of the line was
  /// probably not meant as text: without it brackets would not match.
  void addBroken(const BrokenString &broken) {
    const Token &open = list.tokens[broken.open];
    uint32_t end = list.tokens[broken.end - 1].end;
    push({open.begin, open.end, AgtLexer::STRING_OPEN, false, true});
    llvm::StringRef text = list.text.slice(open.end, end);
    text = text.take_front(text.find('\n')).rtrim();
    uint32_t tail = open.end + text.rtrim(";)]} \t").size();
    push({tail, tail, AgtLexer::STRING_CLOSE, true, true});
    for (uint32_t at = tail; at < open.end + text.size(); ++at)
      if (uint16_t kind = punctuation(list.text[at]))
        push({at, at + 1, kind, false, true});
    suspect = out.back().kind != AgtLexer::SEMI;
  }

  static uint16_t punctuation(char c) {
    switch (c) {
    case ';':
      return AgtLexer::SEMI;
    case ')':
      return AgtLexer::RPAREN;
    case ']':
      return AgtLexer::RBRACK;
    case '}':
      return AgtLexer::RBRACE;
    default:
      return 0;
    }
  }

  void push(SyntaxToken token) {
    token.startsLine = startsLine;
    token.suspect |= suspect;
    startsLine = suspect = false;
    out.push_back(token);
  }

  const TokenList &list;
  std::vector<SyntaxToken> out;
  bool startsLine = true;
  bool suspect = false;
};

class StructureFinder {
public:
  StructureFinder(const TokenList &list, const std::vector<SyntaxToken> &in,
                  bool splitAtKeywords)
      : list(list), in(in), splitAtKeywords(splitAtKeywords) {
    levels.emplace_back();
  }

  /// False when an opening bracket was left at the end.
  bool run() {
    for (at = 0; at != in.size() && !result.tooDeep; ++at)
      visit(in[at]);
    if (result.tooDeep)
      return true;
    bool balanced = levels.size() == 1;
    closeAtEnd();
    endChunk();
    return balanced;
  }

  Structure result;

private:
  /// What is open at a place: a bracket (none at the bottom), and the nesting
  /// inside it that is not made of brackets.
  struct Level {
    SyntaxToken opener{};
    unsigned elseIfs = 0;
    /// `match`, `fork` and the like whose operand has not ended.
    unsigned prefixWords = 0;
    /// Names with a `<` behind them: type arguments, if they are closed.
    unsigned angles = 0;
  };

  unsigned next(size_t distance = 1) const {
    return at + distance < in.size() ? in[at + distance].kind : 0u;
  }
  unsigned previous() const { return at ? in[at - 1].kind : 0u; }

  void visit(SyntaxToken token) {
    token.suspect |= std::exchange(besideStray, false);
    if (isDeclarationKeyword(token.kind))
      visitKeyword(token);
    switch (token.kind) {
    case AgtLexer::LPAREN:
    case AgtLexer::LBRACK:
    case AgtLexer::LBRACE:
    case AgtLexer::INTERPOLATION:
      result.tokens.push_back(token);
      levels.emplace_back();
      levels.back().opener = token;
      break;
    case AgtLexer::RPAREN:
    case AgtLexer::RBRACK:
    case AgtLexer::RBRACE:
      if (!close(token))
        return;
      result.tokens.push_back(token);
      break;
    case AgtLexer::SEMI:
      closeBefore(token);
      result.tokens.push_back(token);
      break;
    default:
      result.tokens.push_back(token);
    }
    countNesting(token);
  }

  /// The keyword of a declaration begins a chunk at the bottom level. On a
  /// higher level, if brackets do not match, it shows where they should have
  /// been closed.
  void visitKeyword(const SyntaxToken &token) {
    unsigned before = previous();
    // A property, a field or an argument of that name.
    if (next() == AgtLexer::COLON || next(2) == AgtLexer::COLON)
      return;
    if (levels.size() > 1) {
      bool behindItem = before == AgtLexer::SEMI || before == AgtLexer::RBRACE;
      bool inner = token.kind == AgtLexer::TOOL && !atLineStart(token);
      if (!splitAtKeywords || !behindItem || inner || !token.startsLine)
        return;
      forceCloseAll(token);
    }
    bool startsItem = token.startsLine || before == AgtLexer::SEMI ||
                      before == AgtLexer::RBRACE;
    if (startsItem && before != AgtLexer::ASSIGN && before != AgtLexer::DOT)
      endChunk();
  }

  bool atLineStart(const SyntaxToken &token) const {
    return token.begin == 0 || list.text[token.begin - 1] == '\n';
  }

  void endChunk() {
    if (result.tokens.size() != chunk.begin) {
      chunk.end = result.tokens.size();
      result.chunks.push_back(chunk);
    }
    chunk = Chunk{result.tokens.size(), 0};
  }

  //===- Brackets --------------------------------------------------------===//

  /// A `;` ends the statement that parentheses are left open in.
  void closeBefore(const SyntaxToken &semicolon) {
    auto inParentheses = [&] {
      return levels.back().opener.kind == AgtLexer::LPAREN ||
             levels.back().opener.kind == AgtLexer::LBRACK;
    };
    if (!inParentheses())
      return;
    reportUnclosed(semicolon);
    while (inParentheses())
      closeVirtually(semicolon.begin);
    besideStray = true;
  }

  /// Closes the bracket that `token` closes; false when there is none.
  bool close(const SyntaxToken &token) {
    size_t depth = levels.size() - 1;
    while (depth != 0 && closerOf(levels[depth].opener.kind) != token.kind)
      depth = mayCloseOver(depth, token) ? depth - 1 : 0;
    if (depth == 0) {
      reportStray(token);
      return false;
    }
    while (levels.size() - 1 > depth)
      forceClose(token);
    pop();
    return true;
  }

  /// Whether a closing bracket may close over an open one of another kind.
  /// Braces are stronger than parentheses, unless all is on one line.
  bool mayCloseOver(size_t depth, const SyntaxToken &token) const {
    const SyntaxToken &opener = levels[depth].opener;
    if (closerOf(opener.kind) != AgtLexer::RBRACE)
      return true;
    bool oneLine = !list.text.slice(opener.begin, token.begin).contains('\n');
    return opener.kind == AgtLexer::LBRACE && oneLine &&
           closerOf(levels[depth - 1].opener.kind) == token.kind;
  }

  void reportStray(const SyntaxToken &token) {
    chunk.strayBrace |= token.kind == AgtLexer::RBRACE;
    if (token.suspect || result.faults.size() >= enoughErrors)
      return;
    result.faults.push_back({{Severity::Error,
                              list.range(token.begin, token.end),
                              "unexpected " + fixedSpelling(token.kind).str() +
                                  ", nothing is open that it closes",
                              {}},
                             token.begin,
                             token.begin});
    besideStray = true;
  }

  /// Closes the innermost bracket before `token`, which should have been
  /// closed by its own.
  void forceClose(const SyntaxToken &token) {
    reportUnclosed(token);
    closeVirtually(token.begin);
  }

  void forceCloseAll(const SyntaxToken &token) {
    reportUnclosed(token);
    while (levels.size() > 1)
      closeVirtually(token.begin);
  }

  void closeAtEnd() {
    if (levels.size() == 1)
      return;
    reportUnclosed(std::nullopt);
    while (levels.size() > 1)
      closeVirtually(list.text.size());
  }

  /// Reports the innermost bracket at the token before which it should have
  /// been closed, or at the end of the file.
  void reportUnclosed(std::optional<SyntaxToken> before) {
    if (result.faults.size() >= enoughErrors)
      return;
    const SyntaxToken &opener = levels.back().opener;
    std::string message =
        "expected " + fixedSpelling(closerOf(opener.kind)).str();
    llvm::SMRange place = list.endRange();
    if (before) {
      place = list.range(before->begin, before->end);
      message +=
          " before '" + list.text.slice(before->begin, before->end).str() + "'";
    } else {
      message += " at the end of the file";
    }
    Diagnostic error{Severity::Error, place, message, {}};
    error.notes.push_back(
        {Severity::Note,
         list.range(opener.begin, opener.end),
         "unclosed '" + list.text.slice(opener.begin, opener.end).str() + "'",
         {}});
    result.faults.push_back(
        {std::move(error), opener.begin,
         before ? before->begin : static_cast<uint32_t>(list.text.size())});
  }

  void closeVirtually(uint32_t offset) {
    const SyntaxToken &opener = levels.back().opener;
    if (closerOf(opener.kind) == AgtLexer::RBRACE)
      chunk.brokenFrom = std::min(chunk.brokenFrom, opener.begin);
    SyntaxToken closer{offset, offset,
                       static_cast<uint16_t>(closerOf(opener.kind)), true,
                       true};
    result.tokens.push_back(closer);
    if (opener.kind == AgtLexer::INTERPOLATION) {
      closer.kind = AgtLexer::STRING_CLOSE;
      result.tokens.push_back(closer);
    }
    pop();
  }

  void pop() {
    nesting -= levels.back().elseIfs;
    levels.pop_back();
  }

  //===- Nesting ---------------------------------------------------------===//

  /// Type arguments that the parser may have to look over before it knows them
  /// for comparisons. Far above the limit on nesting, because a list of
  /// comparisons looks the same up to its end.
  static constexpr unsigned angleLimit = 1024;

  void countNesting(const SyntaxToken &token) {
    Level &level = levels.back();
    switch (token.kind) {
    case AgtLexer::NOT:
      ++prefixes;
      break;
    case AgtLexer::MINUS:
      prefixes = endsOperand(previous()) ? 0 : prefixes + 1;
      break;
    default:
      prefixes = 0;
    }
    switch (token.kind) {
    case AgtLexer::ELSE:
      if (next() == AgtLexer::IF) {
        ++level.elseIfs;
        ++nesting;
      }
      break;
    case AgtLexer::RBRACE:
      if (next() != AgtLexer::ELSE)
        endElseIfs(level);
      if (!continuesOperand(next()))
        level.prefixWords = 0;
      level.angles = 0;
      break;
    case AgtLexer::SEMI:
      level.prefixWords = level.angles = 0;
      break;
    case AgtLexer::COMMA:
      level.prefixWords = 0;
      break;
    case AgtLexer::MATCH:
    case AgtLexer::FORK:
    case AgtLexer::JOIN:
    case AgtLexer::APPROVE:
    case AgtLexer::RECEIVE:
      if (previous() != AgtLexer::DOT)
        ++level.prefixWords;
      break;
    case AgtLexer::LT:
      level.angles += endsOperand(previous());
      break;
    case AgtLexer::GT:
      level.angles -= level.angles != 0;
      break;
    default:
      break;
    }
    if (levels.size() - 1 + nesting + prefixes > nestingLimit ||
        level.prefixWords > nestingLimit || level.angles > angleLimit)
      result.tooDeep = token;
  }

  void endElseIfs(Level &level) {
    nesting -= level.elseIfs;
    level.elseIfs = 0;
  }

  /// After the brace of a record literal, what keeps the operand of a prefix
  /// word going.
  static bool continuesOperand(unsigned kind) {
    switch (kind) {
    case AgtLexer::LBRACE:
    case AgtLexer::KEY:
    case AgtLexer::WIDTH:
    case AgtLexer::MAX:
    case AgtLexer::DEADLINE:
    case AgtLexer::POLICY:
      return true;
    default:
      return false;
    }
  }

  const TokenList &list;
  const std::vector<SyntaxToken> &in;
  bool splitAtKeywords;
  size_t at = 0;
  std::vector<Level> levels;
  Chunk chunk{0, 0};
  /// Else-ifs on all levels.
  unsigned nesting = 0;
  /// The token before was dropped.
  bool besideStray = false;
  /// Prefix operators in a row.
  unsigned prefixes = 0;
};

} // namespace

Structure agt::findStructure(const TokenList &list) {
  std::vector<SyntaxToken> visible = VisibleTokens(list).make();
  StructureFinder plain(list, visible, /*splitAtKeywords=*/false);
  if (plain.run())
    return std::move(plain.result);
  StructureFinder split(list, visible, /*splitAtKeywords=*/true);
  split.run();
  return std::move(split.result);
}
