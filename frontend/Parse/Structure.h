// What is checked on tokens before the parser sees them, and what the parser
// is then given: visible tokens with every bracket closed, cut into pieces of
// one declaration each. Internal to frontend/Parse.
#ifndef AGT_FRONTEND_PARSE_STRUCTURE_H
#define AGT_FRONTEND_PARSE_STRUCTURE_H

#include "frontend/Parse/Lexer.h"

namespace agt {

/// A token for the parser: one of the source, or one that repairs it.
struct SyntaxToken {
  uint32_t begin;
  uint32_t end;
  uint16_t kind;
  /// Put in to repair the source; begin == end.
  bool isVirtual = false;
  /// Next to something already reported: an error here would repeat it.
  bool suspect = false;
  /// The first on its line.
  bool startsLine = false;
};

/// One declaration: tokens [begin, end).
struct Chunk {
  size_t begin;
  size_t end;
  /// Source offset of a brace that is not closed: what the parser finds behind
  /// it is a consequence.
  uint32_t brokenFrom = UINT32_MAX;
  /// A closing brace in it closes nothing: an opening one may be missing, and
  /// then every block behind that place ends too early.
  bool strayBrace = false;
};

/// A bracket without its partner.
struct BracketFault {
  Diagnostic error;
  /// Source offsets of the opening bracket and of the place reported. A syntax
  /// error between them explains the fault better.
  uint32_t opener;
  uint32_t place;
};

struct Structure {
  std::vector<SyntaxToken> tokens;
  std::vector<Chunk> chunks;
  std::vector<BracketFault> faults;
  /// The token that is nested too deeply: nothing must reach the parser.
  std::optional<SyntaxToken> tooDeep;
};

constexpr unsigned nestingLimit = 256;
/// Errors kept of one kind of check: no limit on what is shown is higher, and a
/// file of nothing but errors must not fill the memory with them.
constexpr size_t enoughErrors = 1000;
extern const char nestingMessage[];

/// Reports characters, numbers, escapes, strings and comments that are wrong.
void checkTokens(const TokenList &list, std::vector<Diagnostic> &errors);

/// Matches brackets, limits nesting and finds the declarations.
Structure findStructure(const TokenList &list);

/// After such a token an operator is binary.
bool endsOperand(unsigned kind);

/// "'('" and the like for messages; the text of fixed tokens, else "".
llvm::StringRef fixedSpelling(unsigned kind);

} // namespace agt

#endif
