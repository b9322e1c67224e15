// What all declarations made of properties have in common: which words there
// are, words given twice, labels, single values.
#ifndef AGT_FRONTEND_SEMA_PROPERTYLIST_H
#define AGT_FRONTEND_SEMA_PROPERTYLIST_H

#include "frontend/AST/Decl.h"
#include "frontend/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace agt::sema {

/// The text of a label, or empty.
llvm::StringRef labelOf(const ast::Prop &prop);
llvm::SMRange labelRange(const ast::Prop &prop);

/// Reports unknown properties, properties given twice and labels where there
/// is none; calls `check` with the rest. `what` is "a target".
void forEachProp(Diagnostics &diags, llvm::ArrayRef<ast::Prop *> props,
                 llvm::StringRef what, llvm::ArrayRef<llvm::StringRef> known,
                 llvm::ArrayRef<llvm::StringRef> labelled,
                 llvm::function_ref<void(const ast::Prop &)> check);

/// The one expression of a property, or an error.
const ast::Expr *singleValue(Diagnostics &diags, const ast::Prop &prop);

} // namespace agt::sema

#endif
