// Numbers are the makers' data sheets: dense rates, links in one direction.
#include "frontend/Sema/Machine.h"

using namespace agt::sema;

namespace {
/// GB and GB/s, TFLOPS.
struct Row {
  const char *name;
  double memory, bandwidth, link;
  double f32, f16, f8, i8;
};
} // namespace

static constexpr Row rows[] = {
    {"a100-40g", 40, 1555, 300, 19.5, 312, 0, 624},
    {"a100-80g", 80, 2039, 300, 19.5, 312, 0, 624},
    {"b200", 180, 8000, 900, 75, 2250, 4500, 4500},
    {"h100-pcie", 80, 2000, 300, 51, 756, 1513, 1513},
    {"h100-sxm", 80, 3350, 450, 67, 989, 1979, 1979},
    {"h200-sxm", 141, 4800, 450, 67, 989, 1979, 1979},
    {"l4", 24, 300, 32, 30.3, 121, 242, 242},
    {"l40s", 48, 864, 32, 91.6, 362, 733, 733},
    {"mi300x", 192, 5300, 448, 163.4, 1307, 2615, 2615},
    {"rtx-4090", 24, 1008, 32, 82.6, 165, 330, 330},
};

static TargetInfo describe(const Row &row) {
  TargetInfo info;
  info.name = row.name;
  info.memoryBytes = row.memory * 1e9;
  info.bandwidth = row.bandwidth * 1e9;
  info.link = row.link * 1e9;
  info.overheadNanoseconds = 4000;
  info.flops[unsigned(DType::F32)] = row.f32 * 1e12;
  info.flops[unsigned(DType::F16)] = row.f16 * 1e12;
  info.flops[unsigned(DType::BF16)] = row.f16 * 1e12;
  info.flops[unsigned(DType::F8E4M3)] = row.f8 * 1e12;
  info.flops[unsigned(DType::I8)] = row.i8 * 1e12;
  return info;
}

static const std::vector<TargetInfo> &devices() {
  static const std::vector<TargetInfo> table = [] {
    std::vector<TargetInfo> result;
    for (const Row &row : rows)
      result.push_back(describe(row));
    return result;
  }();
  return table;
}

const TargetInfo *agt::sema::findDevice(llvm::StringRef name) {
  for (const TargetInfo &device : devices())
    if (device.name == name)
      return &device;
  return nullptr;
}

std::vector<llvm::StringRef> agt::sema::deviceNames() {
  std::vector<llvm::StringRef> names;
  for (const TargetInfo &device : devices())
    names.push_back(device.name);
  return names;
}
