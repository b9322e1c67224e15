// How near attention on the CPU comes to what the processor's multiply-adds
// allow.
//
//   cpu_attention [--rounds N] [--cpu-time] [--isa x86-64-v3|x86-64-v4]
//
// Each round runs a loop of nothing but multiply-adds on all threads, one that
// only reads memory, and each case once: ratios are taken within a round, so
// that a machine that is slow for a while is slow for both. One query row does
// one operation for each byte of an f16 cache: that case is set against the
// reading. Printed are the median over the rounds and the
// smallest and largest. With --cpu-time seconds are those the threads ran, for
// machines that others use too.
#include "NativeBench.h"

#include "codegen/cpu/attention/Attention.h"
#include "codegen/kernels/attention/AttentionAbi.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace agt;
using namespace agt::bench;
using namespace agt::kernels::attention;

namespace {

struct Case {
  const char *name;
  int64_t kvHeads, stacked, queries, keys, dim;
  agt_dtype keyType;
  bool causal;
  bool reads = false; // memory is what bounds it
};

const Case cases[] = {
    {"f32, 4 heads, 2048 x 2048 x 128", 4, 1, 2048, 2048, 128, AGT_F32, false},
    {"the same with f16 keys and values", 4, 1, 2048, 2048, 128, AGT_F16,
     false},
    {"f16, causal 4096, 8 on 2 heads", 2, 4, 4096, 4096, 128, AGT_F16, true},
    {"f16, 160 rows, 8 on 2 heads, 4096 keys", 2, 4, 160, 4096, 128, AGT_F16,
     false},
    {"f16, 8 rows, 8 on 2 heads, 4096 keys", 2, 4, 8, 4096, 128, AGT_F16,
     false},
    {"f16, 1 row, 8 heads, 65536 keys (reading)", 8, 1, 1, 65536, 128, AGT_F16,
     false, true},
};

class Bench {
public:
  explicit Bench(NativeBench &native) : native(native) {}

  void add(const Case &c);
  /// FLOP a second.
  double run(size_t number);

private:
  struct Prepared {
    agt_cpu_fn function;
    std::vector<int32_t> scalars;
    std::vector<std::unique_ptr<Memory>> memory;
    std::vector<void *> buffers;
    double flops;
  };

  NativeBench &native;
  std::vector<Prepared> prepared;
};

constexpr int64_t readBytes = int64_t(1) << 28;
constexpr double least = 0.2; // seconds of a measurement

void Bench::add(const Case &c) {
  Prepared p;
  std::vector<cpu::CpuVariant> variants;
  AttentionSpec spec;
  spec.k = spec.v = c.keyType;
  spec.headDim = spec.valueDim = c.dim;
  spec.terms.causal = c.causal;
  p.function = native.compile([&](mlir::ModuleOp module) {
    variants = cpu::buildAttention(
        module, "attention" + std::to_string(prepared.size()),
        mlir::UnknownLoc::get(&native.context()), spec, native.target());
    return variants.front().function;
  });
  int64_t heads = c.kvHeads * c.stacked;
  double pairs = double(c.queries) * double(c.keys) * (c.causal ? 0.5 : 1);
  p.flops = 4 * double(heads) * pairs * double(c.dim);

  int64_t width = c.keyType == AGT_F32 ? 4 : 2;
  for (int64_t bytes :
       {heads * c.queries * c.dim * 4, c.kvHeads * c.keys * c.dim * width,
        c.kvHeads * c.keys * c.dim * width, heads * c.queries * c.dim * 4}) {
    p.memory.push_back(std::make_unique<Memory>(bytes));
    // Small numbers in either type.
    void *data = p.memory.back()->data;
    for (int64_t i = 0; i < bytes / 4; ++i)
      static_cast<uint32_t *>(data)[i] = 0x2c002c00u + uint32_t(i * 977 % 997);
    p.buffers.push_back(data);
  }
  p.scalars.resize(kScalarCount + 1);
  auto set = [&](unsigned index, int64_t value) {
    p.scalars[index + 1] = int32_t(value);
  };
  auto strides = [&](unsigned first, int64_t tokens) {
    set(first, 0), set(first + 1, tokens * c.dim), set(first + 2, c.dim);
  };
  set(kBatch, 1), set(kKvHeads, c.kvHeads), set(kGroup, c.stacked);
  set(kQueries, c.queries), set(kKeys, c.keys);
  set(kHeadDim, c.dim), set(kValueDim, c.dim);
  strides(kQBatchStride, c.queries), strides(kKBatchStride, c.keys);
  strides(kVBatchStride, c.keys), strides(kOBatchStride, c.queries);
  float scale = 1 / std::sqrt(float(c.dim));
  std::memcpy(&p.scalars[kScale + 1], &scale, 4);
  set(kOffset, c.keys - c.queries);
  const cpu::CpuVariant &variant =
      *llvm::find_if(variants, [&](const cpu::CpuVariant &v) {
        return p.flops >= v.minFlops;
      });
  int64_t rows = c.stacked * c.queries, tile = variant.tile[3];
  p.scalars[0] = int32_t(c.kvHeads * ((rows + tile - 1) / tile));
  prepared.push_back(std::move(p));
}

double Bench::run(size_t number) {
  Prepared &p = prepared[number];
  rt::PoolJob job{p.function, p.scalars.data(), p.buffers.data(), p.scalars[0]};
  return p.flops / native.seconds(job, least);
}

} // namespace

int main(int argc, char **argv) {
  int rounds = 9;
  bool cpuTime = false;
  std::string isa = "native";
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--rounds" && i + 1 < argc)
      rounds = std::max(1, std::atoi(argv[++i]));
    else if (option == "--isa" && i + 1 < argc)
      isa = argv[++i];
    else if (option == "--cpu-time")
      cpuTime = true;
    else
      return std::fprintf(stderr,
                          "expected --rounds N, --isa LEVEL or "
                          "--cpu-time, got '%s'\n",
                          argv[i]),
             2;
  }
  auto targets = cpu::parseTargets(isa);
  if (!targets || targets->empty())
    return std::fprintf(stderr, "no such level: '%s'\n", isa.c_str()), 2;
  NativeBench native(targets->front(), cpuTime);
  MachineRates machine(native);
  Bench bench(native);
  for (const Case &c : cases)
    bench.add(c);
  std::vector<std::vector<double>> ratios(std::size(cases)), rates = ratios;
  std::vector<double> peaks, reads;
  for (int round = 0; round < rounds; ++round) {
    double peak = machine.multiplyAdds(least);
    peaks.push_back(peak);
    double read = machine.reading(readBytes, least);
    reads.push_back(read);
    for (size_t i = 0; i < std::size(cases); ++i) {
      rates[i].push_back(bench.run(i));
      ratios[i].push_back(rates[i].back() / (cases[i].reads ? read : peak));
    }
  }
  std::printf("%s, %u threads, %d rounds\nmultiply-add alone: %.0f GFLOP/s\n"
              "reading alone: %.0f GB/s\n\n"
              "%-42s %8s  %5s  %s\n",
              targets->front().name, native.threads(), rounds,
              median(peaks) * 1e-9, median(reads) * 1e-9, "attention",
              "GFLOP/s", "ratio", "smallest to largest");
  for (size_t i = 0; i < std::size(cases); ++i)
    std::printf("%-42s %8.0f  %5.2f  %.2f to %.2f\n", cases[i].name,
                median(rates[i]) * 1e-9, median(ratios[i]),
                *std::min_element(ratios[i].begin(), ratios[i].end()),
                *std::max_element(ratios[i].begin(), ratios[i].end()));
  return 0;
}
