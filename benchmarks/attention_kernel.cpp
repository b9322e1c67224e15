// attention_kernel: how near attention comes to the device's own peak.
//
// Each round runs a kernel of multiply-adds alone, then attention of one kind,
// then multiply-adds again, all through the runtime on the same device; what
// counts is the ratio of their rates within a round, since the speed of a
// machine wanders. Printed: the median over the rounds with the least and the
// largest, and the same for causal over unmasked.
//
//   attention_kernel [rounds [tokens [profile]]]
#include "codegen/spirv/Serialize.h"
#include "codegen/spirv/SpirvBuilder.h"
#include "codegen/spirv/attention/Attention.h"
#include "unittests/SPIRV/AttentionRunner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace agt;
using namespace agt::test;
using mlir::Value;

namespace {

// Launches in a plan: copies to and from the device are in its time too.
constexpr int kLaunches = 3;
constexpr int64_t kChains = 12, kUnrolled = 8, kThreads = 64;

[[noreturn]] void fail(const std::string &problem) {
  std::fprintf(stderr, "attention_kernel: %s\n", problem.c_str());
  std::exit(1);
}

/// Nothing but multiply-adds, in as many chains as keep the units busy.
spirv::KernelCode multiplyAdds(mlir::MLIRContext &context) {
  spirv::SpirvBuilder b(mlir::UnknownLoc::get(&context),
                        {"peak", kThreads, {spirv::WordType::F32}});
  llvm::SmallVector<Value> chains;
  for (int64_t i = 0; i < kChains; ++i)
    chains.push_back(b.fadd(b.toF32(b.thread()), b.f32(i)));
  chains = b.forCarry(b.i32(0), b.scalar(0), 1, chains,
                      [&](Value, llvm::ArrayRef<Value> in) {
                        llvm::SmallVector<Value> out(in);
                        for (int64_t i = 0; i < kUnrolled; ++i)
                          for (Value &x : out)
                            x = b.fma(x, b.scalarF32(1), b.scalarF32(2));
                        return out;
                      });
  Value sum = chains[0];
  for (int64_t i = 1; i < kChains; ++i)
    sum = b.fadd(sum, chains[i]);
  b.storeWord(0, b.add(b.mul(b.workgroup(), kThreads), b.thread()), sum);
  auto module = b.finish();
  auto words = spirv::serializeKernel(*module);
  if (mlir::failed(words))
    fail("the kernel of multiply-adds was not built");
  spirv::KernelCode code;
  code.name = "peak";
  code.variants.emplace_back();
  code.variants[0].words = std::move(*words);
  return code;
}

int64_t bitsOf(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return bits;
}

class Bench {
public:
  Bench(int rounds, int64_t tokens, std::string profile)
      : rounds(rounds), tokens(tokens), profile(std::move(profile)) {
    spirv::loadKernelDialects(context);
    if (!device.problem().empty())
      fail(device.problem());
    peak = &device.keep(multiplyAdds(context));
    peakRate(); // compiles it
  }

  double peakRate() {
    constexpr int64_t groups = 64, turns = 2000;
    double seconds = 0;
    std::string problem =
        device.run(*peak, {turns, bitsOf(0.999f), bitsOf(0.001f)}, groups,
                   groups * kThreads * 4, &seconds);
    if (!problem.empty())
      fail(problem);
    return 2.0 * kChains * kUnrolled * turns * kThreads * groups / seconds;
  }

  /// Prints one kind; returns its median rate over the peak.
  double kind(const char *name, agt_dtype kv, int64_t headDim, bool causal) {
    AttentionCase c;
    c.spec.k = c.spec.v = kv;
    c.spec.headDim = c.spec.valueDim = c.headDim = c.valueDim = headDim;
    c.spec.terms.causal = causal;
    c.spec.alignment = 8;
    c.kvHeads = 4;
    c.queries = c.keys = tokens;
    c.scale = 1 / std::sqrt(static_cast<float>(headDim));
    auto start = std::chrono::steady_clock::now();
    auto code = spirv::attention::buildAttention(
        mlir::UnknownLoc::get(&context), c.spec);
    double build =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    if (mlir::failed(code))
      fail("attention was not built");
    const HostKernel &kernel = device.keep(*code, profile);
    AttentionData data(c);
    std::mt19937 random(1);
    data.fill(random, 1);

    double flops = 0;
    for (int64_t i = 0; i < c.queries; ++i)
      flops += 4.0 * c.kvHeads * headDim * c.visibleEnd(i);
    double first = time(kernel, c, data, flops);
    std::vector<double> ratios;
    for (int i = 0; i < rounds; ++i) {
      double before = peakRate();
      double rate = flops / time(kernel, c, data, flops, kLaunches);
      ratios.push_back(2 * rate / (before + peakRate()));
    }
    std::string problem = compareAttention(c, data, tokens / 4);
    if (!problem.empty())
      fail(problem);
    std::sort(ratios.begin(), ratios.end());
    double median = ratios[ratios.size() / 2];
    std::printf("%-18s %.3f of multiply-adds (%.3f .. %.3f); built in %.2f s, "
                "first run %.2f s\n",
                name, median, ratios.front(), ratios.back(), build, first);
    return median;
  }

private:
  double time(const HostKernel &kernel, const AttentionCase &c,
              AttentionData &data, double flops, int launches = 1) {
    double seconds = 0;
    std::string problem =
        device.run(kernel, c, data, flops, &seconds, launches);
    if (!problem.empty())
      fail(problem);
    return seconds / launches;
  }

  int rounds;
  int64_t tokens;
  std::string profile;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  AttentionDevice device;
  const HostKernel *peak = nullptr;
};

} // namespace

int main(int argc, char **argv) {
  int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  int64_t tokens = argc > 2 ? std::max(64, std::atoi(argv[2])) : 2048;
  Bench bench(rounds, tokens, argc > 3 ? argv[3] : "");
  double full = bench.kind("f32", AGT_F32, 128, false);
  double causal = bench.kind("f32 causal", AGT_F32, 128, true);
  bench.kind("f16 keys, values", AGT_F16, 128, false);
  bench.kind("f32 64 wide", AGT_F32, 64, false);
  std::printf("causal over unmasked: %.3f\n", causal / full);
}
