// MLIR's own options (--mlir-print-ir-after-all, --mlir-timing, ...).
#ifndef AGT_TOOLS_AGTC_MLIROPTIONS_H
#define AGT_TOOLS_AGTC_MLIROPTIONS_H

#include <string>
#include <vector>

namespace agt::tool {

/// Gives MLIR its options before a context is made; false, with MLIR's own
/// message, where one is not known.
bool parseMlirOptions(const std::vector<std::string> &options);

} // namespace agt::tool

#endif
