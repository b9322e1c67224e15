//===- OutputPlace.h - Which file a write to a path is to -------*- C++ -*-===//
//
// A file that is written whole or not at all is made beside the one in whose
// place it comes. Seen from outside that is to be what writing to the path
// would be: links go on to be links, permissions stay, and what may not be
// written is not.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_OUTPUTPLACE_H
#define AGT_CODEGEN_HOST_OUTPUTPLACE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"

#include <string>

namespace agt::host {

/// The file that a write to `path` would change or make: behind all links, one
/// that leads nowhere yet included. An error for a folder, for links in a
/// circle, and for a file that may not be written.
llvm::ErrorOr<std::string> placeOfOutput(llvm::StringRef path);

} // namespace agt::host

#endif
