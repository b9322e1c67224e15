// Runs the generated parser on the tokens of one declaration. Internal to
// frontend/Parse, included by sources only: this is where ANTLR shows.
//
// ANTLR's own error recovery is off. At the first token that no sentence can
// have, parsing stops with what the grammar would have allowed there, in the
// language's terms; Recovery.h repairs the tokens and parses again.
#ifndef AGT_FRONTEND_PARSE_TREEPARSER_H
#define AGT_FRONTEND_PARSE_TREEPARSER_H

#include "frontend/Parse/Structure.h"

#include "AgtLexer.h"
#include "AgtParser.h"
#include "antlr4-runtime.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace agt {

/// A token as ANTLR wants it: a view of a SyntaxToken.
class TreeToken final : public antlr4::Token {
public:
  TreeToken(const SyntaxToken *syntax, size_t kind, size_t index)
      : syntax(syntax), kind(kind), index(index) {}

  /// Null for the end.
  const SyntaxToken *syntax;

  std::string getText() const override { return {}; }
  size_t getType() const override { return kind; }
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() const override { return 0; }
  size_t getChannel() const override { return 0; }
  size_t getTokenIndex() const override { return index; }
  size_t getStartIndex() const override { return index; }
  size_t getStopIndex() const override { return index; }
  antlr4::TokenSource *getTokenSource() const override { return nullptr; }
  antlr4::CharStream *getInputStream() const override { return nullptr; }
  std::string toString() const override { return {}; }

private:
  size_t kind;
  size_t index;
};

class TreeTokenStream final : public antlr4::TokenStream {
public:
  explicit TreeTokenStream(llvm::ArrayRef<SyntaxToken> tokens);

  antlr4::Token *LT(ssize_t k) override;
  antlr4::Token *get(size_t index) const override;
  size_t LA(ssize_t k) override { return LT(k)->getType(); }
  void consume() override { at += at + 1 < tokens.size(); }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return at; }
  void seek(size_t index) override { at = std::min(index, tokens.size() - 1); }
  size_t size() override { return tokens.size(); }
  antlr4::TokenSource *getTokenSource() const override { return nullptr; }
  std::string getSourceName() const override { return "agt"; }
  std::string getText(const antlr4::misc::Interval &) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext *) override { return {}; }
  std::string getText(antlr4::Token *, antlr4::Token *) override { return {}; }

private:
  std::vector<TreeToken> tokens;
  size_t at = 0;
};

/// What the grammar allows at a place: kinds of phrases ("an expression") and
/// single tokens.
struct Expected {
  llvm::SmallVector<llvm::StringRef, 4> phrases;
  llvm::SmallVector<unsigned, 16> tokens;

  bool has(unsigned kind) const { return llvm::is_contained(tokens, kind); }
  bool has(llvm::StringRef phrase) const {
    return llvm::is_contained(phrases, phrase);
  }
};

struct SyntaxError {
  /// Index of the first token that cannot stand where it stands; the number of
  /// tokens for the end.
  size_t index = 0;
  Expected expected;
  /// Nested too deeply for the parser; `expected` is empty.
  bool tooDeep = false;
};

class TreeParser {
public:
  explicit TreeParser(llvm::ArrayRef<SyntaxToken> tokens);
  ~TreeParser();

  /// The tree, owned by this parser; or null, with `error` set.
  AgtParser::FileContext *parse(SyntaxError &error);

private:
  AgtParser::FileContext *parse(antlr4::atn::PredictionMode mode,
                                SyntaxError &error);

  TreeTokenStream stream;
  std::unique_ptr<AgtParser> parser;
};

/// A place in the grammar's automaton: a state and the rules being parsed.
struct ParserState {
  size_t state = 0;
  antlr4::RuleContext *context = nullptr;
  /// The next token.
  size_t index = 0;
};

/// Follows the automaton over the tokens to the first that fits no sentence.
SyntaxError findSyntaxError(const antlr4::atn::ATN &atn, ParserState from,
                            TreeTokenStream &stream);

} // namespace agt

#endif
