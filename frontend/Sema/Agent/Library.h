// The functions that bodies of agents and fns may call.
#ifndef AGT_FRONTEND_SEMA_AGENT_LIBRARY_H
#define AGT_FRONTEND_SEMA_AGENT_LIBRARY_H

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace agt::sema::agents {

bool isLibrary(llvm::StringRef name);
/// `now random uuid env read_file open`: each call is a step.
bool isRecorded(llvm::StringRef name);
std::vector<llvm::StringRef> libraryNames();

} // namespace agt::sema::agents

#endif
