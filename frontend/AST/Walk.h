// Generic traversal: the children of any node in source order, and a walk with
// a stack of its own.
#ifndef AGT_FRONTEND_AST_WALK_H
#define AGT_FRONTEND_AST_WALK_H

#include "frontend/AST/AST.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace agt::ast {

/// Appends the direct children of `node` in source order.
void collectChildren(const Node &node, llvm::SmallVectorImpl<Node *> &children);

/// Visits `root` and everything below it, parents first, in source order. A
/// node whose visit returns false is not descended into.
void walk(Node &root, llvm::function_ref<bool(Node &)> visit);

} // namespace agt::ast

#endif
