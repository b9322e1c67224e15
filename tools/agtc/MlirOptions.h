// MLIR's own options (--mlir-print-ir-after-all, --mlir-timing, ...).
#ifndef AGT_TOOLS_AGTC_MLIROPTIONS_H
#define AGT_TOOLS_AGTC_MLIROPTIONS_H

#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace mlir {
class PassManager;
}

namespace agt::tool {

struct CompileOptions;

/// Gives MLIR its options before a context is made; false, with MLIR's own
/// message, where one is not known.
bool parseMlirOptions(const std::vector<std::string> &options);

/// Gives passes what they were asked for.
mlir::LogicalResult configure(mlir::PassManager &passes,
                              const CompileOptions &options);

} // namespace agt::tool

#endif
