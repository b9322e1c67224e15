#include "frontend/Parse/Recovery.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;

namespace {

/// Parsing again after each error must stay cheap: above this many tokens in
/// one declaration only the first error in it is reported.
constexpr size_t repairLimit = 200000;
constexpr unsigned maxRepairs = 64;

bool isBinaryOperator(unsigned kind) {
  return kind >= AgtLexer::OROR && kind <= AgtLexer::PERCENT;
}

bool isComparison(unsigned kind) {
  return kind >= AgtLexer::EQ && kind <= AgtLexer::GT;
}

bool isReserved(unsigned kind) {
  return kind >= AgtLexer::LET && kind <= AgtLexer::LIVE;
}

bool beginsStatement(unsigned kind) {
  switch (kind) {
  case AgtLexer::LET:
  case AgtLexer::VAR:
  case AgtLexer::IF:
  case AgtLexer::FOR:
  case AgtLexer::WHILE:
  case AgtLexer::LOOP:
  case AgtLexer::SLEEP:
  case AgtLexer::EMIT:
  case AgtLexer::RETURN:
  case AgtLexer::YIELD:
  case AgtLexer::FAIL:
  case AgtLexer::ASSERT:
  case AgtLexer::TRY:
  case AgtLexer::GOTO:
  case AgtLexer::REPEAT:
    return true;
  default:
    return false;
  }
}

/// After an expression every binary operator may follow.
bool followsExpression(const Expected &expected) {
  return expected.has(AgtLexer::PLUS);
}

/// The entries of "expected ...", without those that follow from others.
std::vector<std::string> entries(const Expected &expected) {
  std::vector<std::string> result;
  for (llvm::StringRef phrase : expected.phrases)
    result.push_back(phrase.str());
  bool declaration = expected.has("a declaration");
  bool binding = expected.has(AgtLexer::WAS);
  bool operators = expected.has(AgtLexer::EQ);
  std::vector<std::string> operatorEntries;
  for (unsigned kind : expected.tokens) {
    if (kind == 0 || kind == AgtLexer::WAS || kind == AgtLexer::QUESTION ||
        (declaration && kind == AgtLexer::SEMI) ||
        (binding && kind == AgtLexer::COLON))
      continue;
    std::string entry = fixedSpelling(kind).str();
    if (entry.empty())
      continue;
    bool isOperator =
        isBinaryOperator(kind) && (kind != AgtLexer::GT || operators);
    (isOperator ? operatorEntries : result).push_back(entry);
  }
  if (result.empty() && operatorEntries.empty())
    return {"the end of the file"};
  return result.empty() ? operatorEntries : result;
}

std::string listOf(llvm::ArrayRef<std::string> entries) {
  std::string text;
  for (size_t index = 0; index != entries.size(); ++index) {
    if (index)
      text += index + 1 == entries.size() ? " or " : ", ";
    text += entries[index];
  }
  return text;
}

} // namespace

bool ChunkParser::parse(
    llvm::function_ref<void(AgtParser::FileContext &)> build) {
  bool clean = true;
  for (unsigned round = 0; round != maxRepairs; ++round) {
    SyntaxError error;
    TreeParser parser(tokens);
    if (AgtParser::FileContext *tree = parser.parse(error)) {
      if (clean)
        build(*tree);
      return clean;
    }
    clean = false;
    if (error.tooDeep) {
      if (const SyntaxToken *token = tokenAt(error.index))
        add(list.range(token->begin, token->end), nestingMessage);
      return false;
    }
    const SyntaxToken *got = tokenAt(error.index);
    uint32_t offset = got ? got->begin : list.text.size();
    if (offset >= brokenFrom)
      return false;
    if (!isSuspect(error.index))
      report(error);
    if (onlyFirst || tokens.size() > repairLimit || !repair(error))
      return false;
  }
  return false;
}

//===- Explaining --------------------------------------------------------===//

const SyntaxToken *ChunkParser::tokenAt(size_t index) const {
  return index < tokens.size() ? &tokens[index] : next;
}

void ChunkParser::add(llvm::SMRange range, const llvm::Twine &message) {
  errors.push_back({Severity::Error, range, message.str(), {}});
}

std::string ChunkParser::describe(const SyntaxToken *got, bool asName) const {
  if (!got)
    return "the end of the file";
  if (got->kind == AgtLexer::STRING_OPEN)
    return "a string";
  std::string text = spelling(*got).take_front(40).str();
  if (got->end - got->begin > 40)
    text += "...";
  return (asName && isReserved(got->kind) ? "the reserved word '" : "'") +
         text + "'";
}

bool ChunkParser::missingSemicolon(const SyntaxError &error) const {
  // Where a declaration may begin the `;` is one that may follow the last.
  return error.index > 0 && error.expected.has(AgtLexer::SEMI) &&
         !error.expected.has("a declaration") &&
         !error.expected.has("a statement");
}

size_t ChunkParser::semicolonPlace(const SyntaxError &error) const {
  // The words of a property's value may have gone on into the next line:
  // `a: 1` and `b: 2` below it, without a ';', read as `a: 1 b` up to the ':'.
  const SyntaxToken *got = tokenAt(error.index);
  if (followsExpression(error.expected) || (got && got->startsLine))
    return error.index;
  constexpr size_t wordsOfAHeader = 3;
  for (size_t back = 1; back <= wordsOfAHeader && back + 1 < error.index;
       ++back) {
    size_t place = error.index - back;
    if (!tokens[place].startsLine)
      continue;
    unsigned before = tokens[place - 1].kind;
    bool behindValue = endsOperand(before) && before != AgtLexer::RBRACE;
    return behindValue ? place : error.index;
  }
  if (!got || got->kind != AgtLexer::COLON || error.index < 3)
    return error.index;
  // `a: 1 b "label": 2`
  size_t place = error.index - 1;
  if (tokens[place].kind == AgtLexer::STRING_CLOSE && place > 2) {
    while (place > 2 && tokens[place].kind != AgtLexer::STRING_OPEN)
      --place;
    --place;
  }
  return place;
}

bool ChunkParser::explainSpecialCase(const SyntaxError &error,
                                     const SyntaxToken &got) {
  const Expected &expected = error.expected;
  llvm::SMRange place = list.range(got.begin, got.end);
  if (got.kind == AgtLexer::STREAM || got.kind == AgtLexer::LIVE) {
    add(place, "'" + spelling(got) +
                   "' is reserved for a later version of the language");
    return true;
  }
  if (got.kind == AgtLexer::GE && expected.has(AgtLexer::GT)) {
    add(place, "expected '>', got '>=': a '=' directly after a type argument "
               "needs a space before it");
    return true;
  }
  if (!followsExpression(expected))
    return false;
  if (isComparison(got.kind) && !expected.has(got.kind)) {
    add(place, "comparisons do not chain, join them with '&&'");
    return true;
  }
  if (got.kind == AgtLexer::ASSIGN && error.index > 1) {
    unsigned before = tokens[error.index - 1].kind;
    if (!expected.has(AgtLexer::SEMI)) {
      add(place, "expected '==', got '='");
      return true;
    }
    if (before == AgtLexer::RBRACK ||
        tokens[error.index - 2].kind == AgtLexer::DOT) {
      add(place, "only a variable can be assigned, not an element or a field");
      return true;
    }
  }
  return false;
}

void ChunkParser::report(const SyntaxError &error) {
  const SyntaxToken *got = tokenAt(error.index);
  if (got && explainSpecialCase(error, *got))
    return;
  if (missingSemicolon(error)) {
    // The fault is where the `;` should be, not where the next line begins.
    uint32_t end = tokens[semicolonPlace(error) - 1].end;
    return add(list.range(end, end), followsExpression(error.expected)
                                         ? "expected ';' after the expression"
                                         : "expected ';'");
  }
  llvm::SMRange place =
      got ? list.range(got->begin, got->end) : list.endRange();
  add(place, "expected " + listOf(entries(error.expected)) + ", got " +
                 describe(got, error.expected.has("a name")));
}

//===- Repairing ---------------------------------------------------------===//

bool ChunkParser::isSuspect(size_t index) const {
  return (index < tokens.size() && tokens[index].suspect) ||
         (index > 0 && tokens[index - 1].isVirtual);
}

bool ChunkParser::repair(const SyntaxError &error) {
  return insertSemicolon(error) || dropStatement(error.index);
}

bool ChunkParser::insertSemicolon(const SyntaxError &error) {
  if (!missingSemicolon(error))
    return false;
  size_t place = semicolonPlace(error);
  const SyntaxToken &before = tokens[place - 1];
  bool behindStatement = place >= tokens.size() || place != error.index ||
                         tokens[place].startsLine ||
                         tokens[place].kind == AgtLexer::RBRACE ||
                         beginsStatement(tokens[place].kind);
  if (!behindStatement || before.isVirtual)
    return false;
  // In the middle of a line the word may be the fault, and not what follows.
  if (place + 1 < tokens.size() && !tokens[place].startsLine)
    tokens[place + 1].suspect = true;
  SyntaxToken semicolon{before.end, before.end, AgtLexer::SEMI, true};
  tokens.insert(tokens.begin() + place, semicolon);
  return true;
}

/// For each bracket the index of its partner.
std::vector<size_t> ChunkParser::partners() const {
  std::vector<size_t> partner(tokens.size(), SIZE_MAX);
  std::vector<size_t> open;
  for (size_t index = 0; index != tokens.size(); ++index)
    switch (tokens[index].kind) {
    case AgtLexer::LPAREN:
    case AgtLexer::LBRACK:
    case AgtLexer::LBRACE:
    case AgtLexer::INTERPOLATION:
      open.push_back(index);
      break;
    case AgtLexer::RPAREN:
    case AgtLexer::RBRACK:
    case AgtLexer::RBRACE:
      if (open.empty())
        break;
      partner[index] = open.back();
      partner[open.back()] = index;
      open.pop_back();
      break;
    default:
      break;
    }
  return partner;
}

/// Whether a closing brace ends a statement: what follows begins another.
bool ChunkParser::endsStatement(size_t brace) const {
  if (brace + 1 >= tokens.size())
    return true;
  const SyntaxToken &after = tokens[brace + 1];
  if (after.kind == AgtLexer::ELSE)
    return false;
  return after.startsLine || after.kind == AgtLexer::RBRACE ||
         beginsStatement(after.kind);
}

bool ChunkParser::dropStatement(size_t index) {
  std::vector<size_t> partner = partners();
  index = std::min(index, tokens.size());
  while (true) {
    // Back to where the statement begins, over groups and out of parentheses.
    size_t begin = index;
    bool outermost = true;
    while (begin > 0) {
      size_t before = begin - 1;
      unsigned kind = tokens[before].kind;
      bool closesGroup =
          partner[before] != SIZE_MAX && partner[before] < before;
      if (kind == AgtLexer::SEMI || kind == AgtLexer::LBRACE ||
          (closesGroup && kind == AgtLexer::RBRACE && endsStatement(before))) {
        outermost = false;
        break;
      }
      begin = closesGroup ? partner[before] : before;
    }
    if (outermost)
      return rescueBody(index);
    // Forward to where it ends.
    size_t end = index;
    while (end < tokens.size()) {
      unsigned kind = tokens[end].kind;
      if (kind == AgtLexer::SEMI) {
        ++end;
        break;
      }
      if (partner[end] == SIZE_MAX) {
        ++end;
        continue;
      }
      if (partner[end] > end) {
        end = partner[end] + 1;
        if (kind == AgtLexer::LBRACE && endsStatement(end - 1))
          break;
        continue;
      }
      if (kind == AgtLexer::RBRACE && partner[end] < begin &&
          tokens[partner[end]].kind == AgtLexer::LBRACE)
        break;
      ++end;
    }
    if (begin != end) {
      erase(begin, end, partner);
      return true;
    }
    // An empty block that may not be empty: its whole statement goes.
    index = begin - 1;
    if (tokens[index].kind != AgtLexer::LBRACE)
      return false;
  }
}

void ChunkParser::erase(size_t begin, size_t end,
                        const std::vector<size_t> &partner) {
  // Brackets go in pairs: a real partner takes what is before it along, a
  // virtual one goes alone.
  llvm::SmallVector<size_t, 4> closers;
  for (size_t index = begin; index < end; ++index) {
    if (partner[index] == SIZE_MAX || partner[index] < end)
      continue;
    if (tokens[partner[index]].isVirtual)
      closers.push_back(partner[index]);
    else
      end = partner[index] + 1;
  }
  llvm::sort(closers, std::greater<size_t>());
  for (size_t closer : closers)
    if (closer >= end)
      tokens.erase(tokens.begin() + closer);
  tokens.erase(tokens.begin() + begin, tokens.begin() + end);
  if (begin < tokens.size())
    tokens[begin].suspect = true;
}

bool ChunkParser::rescueBody(size_t index) {
  if (rescued || tokens.empty())
    return false;
  rescued = true;
  // A header that the body's grammar goes with.
  llvm::SmallVector<uint16_t, 6> header;
  switch (tokens.front().kind) {
  case AgtLexer::FN:
  case AgtLexer::GRAPH:
  case AgtLexer::TEST:
    header = {AgtLexer::TEST, AgtLexer::STRING_OPEN, AgtLexer::STRING_CLOSE};
    break;
  case AgtLexer::AGENT:
    header = {AgtLexer::AGENT,  AgtLexer::NAME,  AgtLexer::LPAREN,
              AgtLexer::RPAREN, AgtLexer::ARROW, AgtLexer::NAME};
    break;
  default:
    return false;
  }
  // The first braces behind the error and outside of other brackets.
  std::vector<size_t> partner = partners();
  size_t open = index;
  while (open < tokens.size() && tokens[open].kind != AgtLexer::LBRACE)
    open = partner[open] != SIZE_MAX && partner[open] > open ? partner[open] + 1
                                                             : open + 1;
  if (open >= tokens.size())
    return false;
  std::vector<SyntaxToken> body;
  uint32_t offset = tokens[open].begin;
  for (uint16_t kind : header)
    body.push_back({offset, offset, kind, true});
  body.insert(body.end(), tokens.begin() + open,
              tokens.begin() + partner[open] + 1);
  tokens = std::move(body);
  return true;
}
