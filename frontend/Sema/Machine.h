// Targets, meshes and the table of devices that `builtin("...")` knows: what
// planning reads.
#ifndef AGT_FRONTEND_SEMA_MACHINE_H
#define AGT_FRONTEND_SEMA_MACHINE_H

#include "frontend/Sema/Types.h"

#include "llvm/Support/SMLoc.h"

#include <string>
#include <vector>

namespace agt::sema {

/// One device. Zero where nothing is known.
struct TargetInfo {
  std::string name;
  double memoryBytes = 0;
  /// Memory, bytes/s.
  double bandwidth = 0;
  /// To other devices, bytes/s in one direction.
  double link = 0;
  /// Per launch.
  int64_t overheadNanoseconds = 0;
  /// FLOP/s by DType.
  double flops[8] = {};
};

struct MeshAxis {
  std::string name;
  int64_t size = 1;
  /// Bytes/s; 0 where the mesh does not say.
  double link = 0;
};

struct MeshInfo {
  std::string name;
  std::vector<MeshAxis> axes;
  /// Empty where the mesh does not say.
  std::string target;
  /// Of its name.
  llvm::SMRange range;
};

/// A decoder's sizes; 0 where nothing is said.
struct ModelInfo {
  std::string name;
  int64_t layers = 0, heads = 0, kvHeads = 0, headDim = 0, hidden = 0;
  double params = 0;
  DType weights = DType::F32, cache = DType::F32;
  /// Of its name.
  llvm::SMRange range;
};

/// The description of a device by name, or null.
const TargetInfo *findDevice(llvm::StringRef name);
std::vector<llvm::StringRef> deviceNames();

} // namespace agt::sema

#endif
