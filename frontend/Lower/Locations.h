// Source ranges as MLIR locations (file, line and column from and to). Columns
// count code points, so finding one means reading its line; checkpoints every
// few hundred bytes keep that short on a line of a million characters.
#ifndef AGT_FRONTEND_LOWER_LOCATIONS_H
#define AGT_FRONTEND_LOWER_LOCATIONS_H

#include "llvm/Support/SourceMgr.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <map>
#include <vector>

namespace agt {

class Locations {
public:
  Locations(const llvm::SourceMgr &sources, mlir::MLIRContext &context)
      : sources(sources), context(context) {}

  mlir::Location get(llvm::SMRange range);

private:
  struct Position {
    unsigned line = 1;
    unsigned column = 1;
  };
  struct Buffer {
    const char *start = nullptr;
    const char *end = nullptr;
    mlir::StringAttr name;
    /// The position of every 256th byte.
    std::vector<Position> checkpoints;
  };
  Buffer *bufferOf(const char *pointer);
  Position find(const Buffer &buffer, const char *pointer) const;

  const llvm::SourceMgr &sources;
  mlir::MLIRContext &context;
  /// By start.
  std::map<const char *, Buffer> buffers;
};

} // namespace agt

#endif
