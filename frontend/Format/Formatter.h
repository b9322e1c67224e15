// `agtc fmt`: one layout for all programs.
//
// Two blanks of indent, lines of at most 100 columns where that can be had,
// comments and single blank lines kept. Braces written on one line stay on one
// line while that fits. The text inside strings is left alone.
#ifndef AGT_FRONTEND_FORMAT_FORMATTER_H
#define AGT_FRONTEND_FORMAT_FORMATTER_H

#include "frontend/Diagnostics.h"

#include <optional>
#include <string>

namespace agt {

/// The formatted text of a buffer. Nothing when it has syntax errors, which are
/// reported. The result has been parsed again and means the same.
std::optional<std::string> formatFile(llvm::SourceMgr &sources,
                                      unsigned bufferId,
                                      Diagnostics &diagnostics);

} // namespace agt

#endif
