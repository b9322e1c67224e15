//===- KernelCode.h - A kernel as the host program holds it -----*- C++ -*-===//
//
// What kernel builders give to codegen/host: SPIR-V words with what a device
// must have to run them (the twin of agt_kernel and agt_kernel_variant of
// agt/runtime.h), and how the size of a launch follows from its scalars.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_SPIRV_KERNELCODE_H
#define AGT_CODEGEN_SPIRV_KERNELCODE_H

#include "codegen/kernels/LaunchSize.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace agt::spirv {

/// One SPIR-V module.
struct KernelBinary {
  std::string profile; // the row of the target table it was made for
  /// The gpu.module it came from, for people to read.
  std::shared_ptr<mlir::OwningOpRef<mlir::ModuleOp>> source;
  std::vector<uint32_t> words;
  uint32_t subgroupSize = 0; // 0: any
  uint32_t features = 0;     // agt_feature bits
  double minFlops = 0;       // only for launches of at least this much work
  std::array<int64_t, 4> tile = {1, 1, 1, 1};
  int64_t minRows = 0; // and of at least this much work[0]

  bool operator==(const KernelBinary &other) const {
    return words == other.words && subgroupSize == other.subgroupSize &&
           features == other.features && minFlops == other.minFlops &&
           tile == other.tile && minRows == other.minRows;
  }
};

/// Variants in order of preference, and the size of a launch.
struct KernelCode {
  std::string name;
  std::vector<KernelBinary> variants;
  kernels::LaunchSize launch;
};

} // namespace agt::spirv

#endif // AGT_CODEGEN_SPIRV_KERNELCODE_H
