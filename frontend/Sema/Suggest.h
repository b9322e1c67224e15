// "did you mean": the candidate nearest to a misspelt name.
#ifndef AGT_FRONTEND_SEMA_SUGGEST_H
#define AGT_FRONTEND_SEMA_SUGGEST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace agt::sema {

/// The nearest candidate whose distance is at most a third of the length of
/// `name` (at least 1), or empty. The first of equals.
llvm::StringRef nearest(llvm::StringRef name,
                        llvm::ArrayRef<llvm::StringRef> candidates);

/// `; did you mean 'x'?`, or empty.
std::string didYouMean(llvm::StringRef name,
                       llvm::ArrayRef<llvm::StringRef> candidates);

/// "'a', 'b' or 'c'".
std::string oneOf(llvm::ArrayRef<llvm::StringRef> words);

} // namespace agt::sema

#endif
