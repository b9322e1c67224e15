// Text dumps of the AST.
#ifndef AGT_FRONTEND_AST_DUMP_H
#define AGT_FRONTEND_AST_DUMP_H

#include "frontend/AST/AST.h"

#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace agt::ast {

/// `--emit=ast`: an indented line for each node, with its kind, its range as
/// `<line:column, line:column>` (1-based; the end is that of the last
/// character) and what it holds beside its children.
void dump(const Node &root, const llvm::SourceMgr &sources,
          llvm::raw_ostream &out);

/// The same without places and without what only the formatter keeps
/// (parentheses that change nothing): equal for two files exactly when they
/// mean the same.
std::string structure(const Node &root);

} // namespace agt::ast

#endif
