// What is wrong with the calls of a program as a whole.
#ifndef AGT_FRONTEND_SEMA_CALLCHECKS_H
#define AGT_FRONTEND_SEMA_CALLCHECKS_H

#include "frontend/Sema/Checker.h"

#include "llvm/ADT/DenseMap.h"

namespace agt::sema {

using CheckedGraphs = llvm::DenseMap<const ast::Decl *, CheckedGraph>;

/// Reports recursion, and graphs that are too large with what they call.
void checkCalls(const Checker &checker, const CheckedGraphs &graphs,
                Diagnostics &diags);

} // namespace agt::sema

#endif
