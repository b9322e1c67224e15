// Between places of the source and those of the protocol, which counts lines
// from 0 and columns in UTF-16 code units.
#ifndef AGT_TOOLS_LSP_PLACES_H
#define AGT_TOOLS_LSP_PLACES_H

#include "llvm/Support/LSP/Protocol.h"
#include "llvm/Support/SourceMgr.h"

namespace agt::lsp {

/// Of a place in `text`.
llvm::lsp::Position positionOf(llvm::StringRef text, const char *place);

/// A place that is not in any buffer is the start of the file.
llvm::lsp::Range rangeOf(const llvm::SourceMgr &sources, llvm::SMRange range);

/// Of all of a text.
llvm::lsp::Range rangeOf(llvm::StringRef text);

/// The place in `text`; of a position behind the end of its line or of the text
/// that end.
const char *placeOf(llvm::StringRef text, llvm::lsp::Position position);

} // namespace agt::lsp

#endif // AGT_TOOLS_LSP_PLACES_H
