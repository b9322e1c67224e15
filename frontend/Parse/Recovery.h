// Several syntax errors in one run. Internal to frontend/Parse, included by
// sources only.
//
// After an error the tokens are repaired and parsed again from the start of the
// declaration: a missing `;` is put in, anything else is dealt with by dropping
// the statement (or property, or arm) that holds it. So what the parser says
// next is about other statements, and never a consequence. Repairs mark the
// tokens beside them: an error there is the old fault showing again; it is not
// reported, and the repair goes one level up.
#ifndef AGT_FRONTEND_PARSE_RECOVERY_H
#define AGT_FRONTEND_PARSE_RECOVERY_H

#include "frontend/Parse/TreeParser.h"

#include <functional>

namespace agt {

class ChunkParser {
public:
  /// `next` is the token after the declaration, or null at the file's end.
  /// Nothing is reported from offset `brokenFrom` on, and, with `onlyFirst`, no
  /// second error.
  ChunkParser(const TokenList &list, llvm::ArrayRef<SyntaxToken> tokens,
              const SyntaxToken *next, uint32_t brokenFrom, bool onlyFirst,
              std::vector<Diagnostic> &errors)
      : list(list), tokens(tokens.begin(), tokens.end()), next(next),
        brokenFrom(brokenFrom), onlyFirst(onlyFirst), errors(errors) {}

  /// Calls `build` with the tree when there is no error; reports the errors
  /// otherwise, and returns false.
  bool parse(llvm::function_ref<void(AgtParser::FileContext &)> build);

private:
  //===- Explaining ------------------------------------------------------===//

  void report(const SyntaxError &error);
  /// The token at an index; null at the file's end.
  const SyntaxToken *tokenAt(size_t index) const;
  bool explainSpecialCase(const SyntaxError &error, const SyntaxToken &got);
  bool missingSemicolon(const SyntaxError &error) const;
  /// Where the `;` should have been: before this token.
  size_t semicolonPlace(const SyntaxError &error) const;
  std::string describe(const SyntaxToken *got, bool asName) const;
  void add(llvm::SMRange range, const llvm::Twine &message);
  llvm::StringRef spelling(const SyntaxToken &token) const {
    return list.text.slice(token.begin, token.end);
  }

  //===- Repairing -------------------------------------------------------===//

  bool isSuspect(size_t index) const;
  /// False when nothing is left to parse.
  bool repair(const SyntaxError &error);
  bool insertSemicolon(const SyntaxError &error);
  bool dropStatement(size_t index);
  void erase(size_t begin, size_t end, const std::vector<size_t> &partner);
  /// After an error in a declaration's header: goes on with its body alone.
  bool rescueBody(size_t index);
  std::vector<size_t> partners() const;
  bool endsStatement(size_t brace) const;

  const TokenList &list;
  std::vector<SyntaxToken> tokens;
  const SyntaxToken *next;
  uint32_t brokenFrom;
  bool onlyFirst;
  bool rescued = false;
  std::vector<Diagnostic> &errors;
};

} // namespace agt

#endif
