// NativeBench: native kernels built on the spot and timed on all threads, and
// the two rates of the machine that they are set against.
#ifndef AGT_BENCHMARKS_NATIVEBENCH_H
#define AGT_BENCHMARKS_NATIVEBENCH_H

#include "codegen/cpu/CpuBuilder.h"
#include "codegen/cpu/Jit.h"
#include "codegen/cpu/Target.h"
#include "runtime/Cpu/Pool.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdlib>
#include <memory>
#include <vector>

namespace agt::bench {

/// As buffers of launches are: AGT_CPU_SLACK bytes beyond may be read.
struct Memory {
  explicit Memory(uint64_t bytes)
      : data(std::aligned_alloc(4096, (bytes + AGT_CPU_SLACK + 4095) / 4096 *
                                          4096)) {}
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory() { std::free(data); }
  void *data;
};

class NativeBench {
public:
  /// With `cpuTime` seconds are those the threads ran.
  explicit NativeBench(const cpu::Target &target, bool cpuTime = false);

  /// The function whose name `build` gives, of the module it fills.
  agt_cpu_fn compile(llvm::function_ref<std::string(mlir::ModuleOp)> build);
  /// Seconds of one run on all threads: the mean of as many as take `least`
  /// seconds, behind one that is not counted.
  double seconds(const rt::PoolJob &job, double least);

  const cpu::Target &target() const { return level; }
  mlir::MLIRContext &context() { return mlir; }
  unsigned threads() const { return pool.threads(); }

private:
  double now() const;

  cpu::Target level;
  bool cpuTime;
  mlir::MLIRContext mlir;
  cpu::Jit jit;
  rt::Pool pool;
  rt::Scratch own; // of the calling thread
};

/// What the machine does where nothing is in the way.
class MachineRates {
public:
  explicit MachineRates(NativeBench &bench);
  /// FLOP a second of multiply-adds alone: as many independent sums as a tile
  /// of a product has, in registers.
  double multiplyAdds(double least);
  /// Bytes a second of a loop that only reads, over `bytes` of memory
  /// (rounded up to parts of 256 KiB) again and again.
  double reading(int64_t bytes, double least);

private:
  void buildMultiplyAdds();
  void buildRead();

  NativeBench &bench;
  agt_cpu_fn multiplyAdd = nullptr, read = nullptr;
  std::unique_ptr<Memory> memory;
  int64_t memoryBytes = 0;
};

double median(std::vector<double> values);

} // namespace agt::bench

#endif // AGT_BENCHMARKS_NATIVEBENCH_H
