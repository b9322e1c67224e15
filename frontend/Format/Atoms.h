// The pieces that the formatter moves about: tokens and comments, each string
// as a whole, with what the AST knows about them. Internal to frontend/Format.
#ifndef AGT_FRONTEND_FORMAT_ATOMS_H
#define AGT_FRONTEND_FORMAT_ATOMS_H

#include "frontend/AST/AST.h"
#include "frontend/Parse/Lexer.h"

namespace agt {

struct Atom {
  llvm::StringRef text;
  /// Columns up to the first line break in it, and behind the last one.
  unsigned width = 0;
  unsigned lastWidth = 0;
  bool multiLine = false;

  bool comment = false;
  /// Runs to the end of its line.
  bool lineComment = false;
  /// Line breaks before it in the source.
  unsigned newlines = 0;
  /// Blanks before it when it is not first on a line.
  unsigned space = 0;
  /// Begins a statement, property, field, arm ...
  bool beginsItem = false;
  /// A line may break before it: 0 never, else looser breaks are smaller.
  unsigned breakRank = 0;
  /// The rank of a graph's clauses: all of them break, or none.
  static constexpr unsigned headerRank = 1;
  /// What it adds to the depth of type arguments: 1, -1 or 0.
  int angle = 0;
  /// A brace that stands on a line of its own behind a header of several lines.
  bool ownLine = false;
  /// Of a bracket: the index of its partner.
  size_t partner = SIZE_MAX;
  /// Of an opening brace: has to be laid out over several lines.
  bool expanded = false;

  bool is(char c) const { return text.size() == 1 && text[0] == c; }
  bool opens() const { return is('(') || is('[') || is('{'); }
  bool closes() const { return is(')') || is(']') || is('}'); }
};

std::vector<Atom> makeAtoms(const TokenList &list, ast::File &file);

} // namespace agt

#endif
