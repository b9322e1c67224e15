// One fault makes one error: in a program that has every construct, each token
// in turn is left out or has another put before it. A few such faults read like
// two (a brace put in closes one block and opens none), so the rule is about
// nearly all of them, and about never more than a handful of errors.
#include "Helpers.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace agt;
using namespace agt::test;

namespace {

std::string program() {
  const char *source = std::getenv("AGT_SOURCE");
  auto buffer = llvm::MemoryBuffer::getFile(std::string(source ? source : ".") +
                                            "/fuzz/parser/whole-language.agt");
  EXPECT_TRUE(static_cast<bool>(buffer)) << "AGT_SOURCE is not the repository";
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// The places of the visible tokens outside of strings' texts.
std::vector<Token> visibleTokens(const std::string &text) {
  TestSource source(text);
  auto list = lex(source.sources, source.buffer, source.diagnostics);
  std::vector<Token> tokens;
  for (const Token &token : list->tokens)
    if (!isHidden(token.kind) &&
        !tokenKindName(token.kind).starts_with("STRING_"))
      tokens.push_back(token);
  return tokens;
}

unsigned errorsIn(const std::string &text) {
  TestSource source(text);
  source.diagnostics.setErrorLimit(0);
  source.parse();
  return source.diagnostics.errorCount();
}

struct Count {
  unsigned faults = 0, severalErrors = 0, most = 0;

  void add(const std::string &text) {
    unsigned errors = errorsIn(text);
    faults += errors != 0;
    severalErrors += errors > 1;
    most = std::max(most, errors);
    if (errors > 1 && std::getenv("AGT_SHOW"))
      llvm::errs() << errorsOf(text) << "----\n";
  }
};

} // namespace

TEST(Mutations, LeftOut) {
  std::string text = program();
  Count count;
  for (const Token &token : visibleTokens(text))
    count.add(text.substr(0, token.begin) + text.substr(token.end));
  EXPECT_GT(count.faults, 500u);
  EXPECT_LE(count.severalErrors, count.faults / 50);
  EXPECT_LE(count.most, 3u);
}

TEST(Mutations, PutIn) {
  std::string text = program();
  std::vector<Token> tokens = visibleTokens(text);
  for (llvm::StringRef piece : {") ", "] ", "} ", "; ", ", ", "x ", "{ ", "( ",
                                "\" ", "= ", "$ ", "let ", "1 "}) {
    Count count;
    for (size_t index = 0; index < tokens.size(); index += 3)
      count.add(text.substr(0, tokens[index].begin) + piece.str() +
                text.substr(tokens[index].begin));
    // A `;` in the middle of a statement makes two that are wrong.
    unsigned share = piece == "; " ? 5 : 16;
    EXPECT_LE(count.severalErrors, count.faults / share)
        << piece.str() << count.severalErrors << " of " << count.faults;
    EXPECT_LE(count.most, 5u) << piece.str();
  }
}
