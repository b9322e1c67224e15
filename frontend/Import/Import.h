// A program's files: the one that was named and all that it imports.
#ifndef AGT_FRONTEND_IMPORT_IMPORT_H
#define AGT_FRONTEND_IMPORT_IMPORT_H

#include "frontend/AST/AST.h"
#include "frontend/Diagnostics.h"

#include <optional>

namespace agt {

struct Program {
  /// Each file once, after the files that it imports; the main file is last.
  std::vector<ast::File *> files;

  ast::File *mainFile() const { return files.back(); }
};

/// Parses the buffer of the main file and what it imports, directly or not;
/// paths are relative to the importing file. Reports syntax errors, files that
/// cannot be read and cycles (both at the import); nothing is returned then.
std::optional<Program> loadProgram(llvm::SourceMgr &sources,
                                   unsigned mainBuffer, ast::Context &context,
                                   Diagnostics &diagnostics);

} // namespace agt

#endif
