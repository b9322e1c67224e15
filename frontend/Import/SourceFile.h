// Reading source files.
#ifndef AGT_FRONTEND_IMPORT_SOURCEFILE_H
#define AGT_FRONTEND_IMPORT_SOURCEFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace agt {

/// The text of a file, or of a pipe up to its end; the error says why not.
/// Devices are refused and pipes bounded: they may have no end.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readSourceFile(const std::string &path);

} // namespace agt

#endif
