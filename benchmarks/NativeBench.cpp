// See NativeBench.h.
#include "NativeBench.h"

#include "codegen/cpu/Lower.h"

#include "llvm/IR/Module.h"

#include <algorithm>
#include <cstring>
#include <ctime>

namespace agt::bench {

constexpr int64_t turns = int64_t(1) << 20;    // of multiply-adds in a launch
constexpr int64_t readPart = int64_t(1) << 18; // bytes of a workgroup

NativeBench::NativeBench(const cpu::Target &target, bool cpuTime)
    : level(target), cpuTime(cpuTime) {
  cpu::loadKernelDialects(mlir);
  pool.reserveScratch(1 << 22);
  own.reserve(1 << 22);
}

agt_cpu_fn
NativeBench::compile(llvm::function_ref<std::string(mlir::ModuleOp)> build) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&mlir));
  std::string name = build(*module);
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  auto lowered = cpu::lowerKernels(*module, level, *llvmContext);
  llvm::cantFail(jit.add(std::move(lowered), std::move(llvmContext)));
  return jit.find(name);
}

double NativeBench::now() const {
  timespec t;
  clock_gettime(cpuTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double NativeBench::seconds(const rt::PoolJob &job, double least) {
  pool.run(job, false, own.get());
  double begin = now(), end;
  int64_t runs = 0;
  do {
    pool.run(job, false, own.get());
    ++runs;
    end = now();
  } while (end - begin < least);
  double perRun = (end - begin) / double(runs);
  return cpuTime ? perRun / std::min<double>(threads(), double(job.groups))
                 : perRun;
}

MachineRates::MachineRates(NativeBench &bench) : bench(bench) {
  buildMultiplyAdds();
  buildRead();
}

void MachineRates::buildMultiplyAdds() {
  const cpu::Target &target = bench.target();
  multiplyAdd = bench.compile([&](mlir::ModuleOp module) {
    cpu::CpuBuilder b(module, "multiply_add",
                      mlir::UnknownLoc::get(&bench.context()));
    cpu::Pointer scratch = b.scratch(b.builder().getF32Type(), 0);
    int64_t count = target.tileRows * 2;
    llvm::SmallVector<mlir::Value> sums;
    mlir::Value x = b.load(scratch, target.lanes);
    mlir::Value y = b.load(scratch + target.lanes, target.lanes);
    for (int64_t i = 0; i < count; ++i)
      sums.push_back(b.load(scratch + i * target.lanes, target.lanes));
    sums = b.loop(b.index(0), b.index(turns), 1, sums,
                  [&](cpu::Index, llvm::ArrayRef<mlir::Value> carried) {
                    llvm::SmallVector<mlir::Value> next;
                    for (mlir::Value sum : carried)
                      next.push_back(b.fma(sum, x, y));
                    return next;
                  });
    for (int64_t i = 0; i < count; ++i)
      b.store(scratch + i * target.lanes, sums[i]);
    b.finish();
    return std::string("multiply_add");
  });
}

void MachineRates::buildRead() {
  const cpu::Target &target = bench.target();
  read = bench.compile([&](mlir::ModuleOp module) {
    cpu::CpuBuilder b(module, "read", mlir::UnknownLoc::get(&bench.context()));
    constexpr int64_t floats = readPart / 4;
    cpu::Pointer from =
        b.buffer(0, b.builder().getF32Type()) + b.group() * floats;
    cpu::Pointer scratch = b.scratch(b.builder().getF32Type(), 0);
    llvm::SmallVector<mlir::Value> sums;
    constexpr int64_t chains = 8;
    for (int64_t i = 0; i < chains; ++i)
      sums.push_back(b.load(scratch, target.lanes));
    sums = b.loop(b.index(0), b.index(floats), chains * target.lanes, sums,
                  [&](cpu::Index at, llvm::ArrayRef<mlir::Value> carried) {
                    llvm::SmallVector<mlir::Value> next;
                    for (int64_t i = 0; i < chains; ++i)
                      next.push_back(b.fadd(
                          carried[i], b.load(from + (at + i * target.lanes),
                                             target.lanes)));
                    return next;
                  });
    for (int64_t i = 0; i < chains; ++i)
      b.store(scratch + i * target.lanes, sums[i]);
    b.finish();
    return std::string("read");
  });
}

double MachineRates::multiplyAdds(double least) {
  const cpu::Target &target = bench.target();
  rt::PoolJob job{multiplyAdd, nullptr, nullptr, bench.threads()};
  double flops = 2.0 * double(target.tileRows * 2 * target.lanes) *
                 double(turns) * bench.threads();
  return flops / bench.seconds(job, least);
}

double MachineRates::reading(int64_t bytes, double least) {
  int64_t parts = (bytes + readPart - 1) / readPart;
  if (memoryBytes < parts * readPart) {
    memoryBytes = parts * readPart;
    memory = std::make_unique<Memory>(memoryBytes);
    std::memset(memory->data, 0, memoryBytes);
  }
  void *buffers[] = {memory->data};
  rt::PoolJob job{read, nullptr, buffers, parts};
  return double(parts * readPart) / bench.seconds(job, least);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

} // namespace agt::bench
