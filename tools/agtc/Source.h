// What every command that reads a program needs: the text, the diagnostics that
// point into it, and the owner of its AST.
#ifndef AGT_TOOLS_AGTC_SOURCE_H
#define AGT_TOOLS_AGTC_SOURCE_H

#include "frontend/AST/AST.h"
#include "frontend/Diagnostics.h"

namespace agt::tool {

struct Source {
  Source() : diagnostics(sources) {}

  /// Reads a file; false, with a message, when that fails.
  bool read(const std::string &path);

  llvm::SourceMgr sources;
  Diagnostics diagnostics;
  ast::Context context;
  unsigned mainBuffer = 0;
};

/// Prints `agtc: error: MESSAGE`.
void complain(const llvm::Twine &message);

/// Writes text to a file, or to stdout when the path is empty; the file appears
/// whole or not at all. False, with a message, when that fails.
bool writeOutput(const std::string &path, llvm::StringRef text);

} // namespace agt::tool

#endif
