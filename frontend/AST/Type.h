// Types as written: a name, arguments in angle brackets, and `?` for each
// option. Which names are types, and what arguments they take, is the
// checker's business.
#ifndef AGT_FRONTEND_AST_TYPE_H
#define AGT_FRONTEND_AST_TYPE_H

#include "frontend/AST/Node.h"

namespace agt::ast {

class Expr;
struct TypeRef;

/// One argument in `<...>`: a type (also a dtype such as `f32`, a record or a
/// model), a list of dims `[H, S, D]` or a bound `max n`.
struct TypeArg {
  enum Kind { Type, Dims, Max };
  Kind kind = Type;
  llvm::SMRange range;
  TypeRef *type = nullptr;
  std::vector<Expr *> dims;
  Expr *max = nullptr;
};

struct TypeRef : NodeOf<NodeKind::TypeRef, Node> {
  using NodeOf::NodeOf;
  Ident name;
  std::vector<TypeArg> args;
  /// How many `?` follow.
  unsigned options = 0;
};

} // namespace agt::ast

#endif
