// A bug in agtc: exit 70, with a file that reproduces it.
#ifndef AGT_TOOLS_AGTC_CRASHREPORT_H
#define AGT_TOOLS_AGTC_CRASHREPORT_H

#include "llvm/ADT/StringRef.h"

namespace agt::tool {

/// Handles signals and uncaught exceptions from now on.
void installCrashHandler(int argc, char **argv);

/// The text that a reproducer holds; must outlive the program's work.
void rememberForCrash(llvm::StringRef source);

} // namespace agt::tool

#endif
