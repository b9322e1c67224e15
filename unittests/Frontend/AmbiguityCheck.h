// Runs the generated parser with exact ambiguity detection.
#ifndef AGT_UNITTESTS_FRONTEND_AMBIGUITYCHECK_H
#define AGT_UNITTESTS_FRONTEND_AMBIGUITYCHECK_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace agt::test {

/// A line for each ambiguity and syntax error in a text; "" is as it should be.
std::string findAmbiguities(llvm::StringRef text);

} // namespace agt::test

#endif
