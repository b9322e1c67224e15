// The language server: the protocol on the standard streams.
#ifndef AGT_TOOLS_LSP_SERVER_H
#define AGT_TOOLS_LSP_SERVER_H

#include "frontend/Frontend.h"

#include <cstdio>

namespace agt::lsp {

/// Answers until the editor says `exit` or closes `in`. True where it said
/// `shutdown` before, as the protocol wants it.
bool serve(std::FILE *in, llvm::raw_ostream &out,
           const FrontendOptions &options);

} // namespace agt::lsp

#endif // AGT_TOOLS_LSP_SERVER_H
