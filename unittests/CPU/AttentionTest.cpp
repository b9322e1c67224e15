// Attention kernels for the CPU against a plain float64 one, for every target
// this machine runs.
#include "codegen/cpu/attention/Attention.h"
#include "codegen/cpu/Jit.h"
#include "codegen/cpu/Lower.h"
#include "codegen/kernels/attention/AttentionAbi.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/IR/Module.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace agt;
using namespace agt::kernels::attention;

namespace {

struct Sizes {
  int64_t batch, kvHeads, stacked, queries, keys;
  int64_t headDim, valueDim;
};

/// Memory as the device gives it: aligned, with room to read beyond.
class Array {
public:
  Array(agt_dtype dtype, int64_t count)
      : dtype(dtype), width(dtype == AGT_F32 ? 4 : 2),
        bytes(count * width + AGT_CPU_SLACK, char(0xff)), values(count, 0.0) {}

  void set(int64_t i, double value) {
    llvm::APFloat x(value);
    bool lost;
    const auto &format = dtype == AGT_F32   ? llvm::APFloat::IEEEsingle()
                         : dtype == AGT_F16 ? llvm::APFloat::IEEEhalf()
                                            : llvm::APFloat::BFloat();
    x.convert(format, llvm::APFloat::rmNearestTiesToEven, &lost);
    uint64_t bits = x.bitcastToAPInt().getZExtValue();
    std::memcpy(&bytes[i * width], &bits, width);
    x.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
              &lost);
    values[i] = x.convertToDouble();
  }
  double get(int64_t i) const {
    uint32_t bits = 0;
    std::memcpy(&bits, &bytes[i * width], width);
    if (dtype == AGT_BF16)
      bits <<= 16;
    if (dtype == AGT_F16) {
      llvm::APFloat x(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
      return x.convertToDouble();
    }
    float f;
    std::memcpy(&f, &bits, 4);
    return f;
  }
  void *data() { return bytes.data(); }

  agt_dtype dtype;
  int64_t width;
  std::vector<char> bytes;
  std::vector<double> values; // as they were rounded
};

class AttentionTest : public testing::TestWithParam<cpu::Target> {
protected:
  AttentionTest() { cpu::loadKernelDialects(context); }

  std::vector<cpu::CpuVariant> compile(const AttentionSpec &spec) {
    auto loc = mlir::UnknownLoc::get(&context);
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
    std::string name = "attention" + std::to_string(++count);
    auto variants = cpu::buildAttention(*module, name, loc, spec, GetParam());
    auto llvmContext = std::make_unique<llvm::LLVMContext>();
    auto lowered = cpu::lowerKernels(*module, GetParam(), *llvmContext);
    EXPECT_TRUE(lowered);
    llvm::cantFail(jit.add(std::move(lowered), std::move(llvmContext)));
    return variants;
  }

  void check(const AttentionSpec &spec, const Sizes &s, bool topLeft = false,
             double poison = 0);
  mlir::MLIRContext context;
  cpu::Jit jit;
  int count = 0;
  std::mt19937 random{7};
};

void AttentionTest::check(const AttentionSpec &spec, const Sizes &s,
                          bool topLeft, double poison) {
  SCOPED_TRACE(testing::Message()
               << "q" << spec.q << " k" << spec.k << " static " << spec.headDim
               << "x" << spec.valueDim << " causal " << spec.terms.causal
               << " sizes " << s.batch << "," << s.kvHeads << "," << s.stacked
               << "," << s.queries << "," << s.keys << "," << s.headDim << ","
               << s.valueDim);
  int64_t heads = s.kvHeads * s.stacked;
  Array q(spec.q, s.batch * heads * s.queries * s.headDim);
  Array k(spec.k, s.batch * s.kvHeads * s.keys * s.headDim);
  Array v(spec.v, s.batch * s.kvHeads * s.keys * s.valueDim);
  Array o(spec.o, s.batch * heads * s.queries * s.valueDim);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (Array *array : {&q, &k, &v})
    for (size_t i = 0; i < array->values.size(); ++i)
      array->set(i, uniform(random));
  // What the last key holds is seen by the last query only.
  if (poison != 0)
    for (int64_t h = 0; h < s.batch * s.kvHeads; ++h)
      v.set(((h + 1) * s.keys - 1) * s.valueDim, poison);

  float scale = 1 / std::sqrt(float(s.headDim));
  int64_t offset = topLeft ? 0 : s.keys - s.queries;
  std::vector<int32_t> scalars(kScalarCount + 1);
  auto set = [&](unsigned index, int64_t value) {
    scalars[index + 1] = int32_t(value);
  };
  set(kBatch, s.batch), set(kKvHeads, s.kvHeads), set(kGroup, s.stacked);
  set(kQueries, s.queries), set(kKeys, s.keys);
  set(kHeadDim, s.headDim), set(kValueDim, s.valueDim);
  auto strides = [&](unsigned first, int64_t heads, int64_t tokens,
                     int64_t dim) {
    set(first, heads * tokens * dim);
    set(first + 1, tokens * dim);
    set(first + 2, dim);
  };
  strides(kQBatchStride, heads, s.queries, s.headDim);
  strides(kKBatchStride, s.kvHeads, s.keys, s.headDim);
  strides(kVBatchStride, s.kvHeads, s.keys, s.valueDim);
  strides(kOBatchStride, heads, s.queries, s.valueDim);
  std::memcpy(&scalars[kScale + 1], &scale, 4);
  set(kOffset, offset);

  for (const cpu::CpuVariant &variant : compile(spec)) {
    agt_cpu_fn run = jit.find(variant.function);
    ASSERT_TRUE(run);
    int64_t rows = s.stacked * s.queries, tile = variant.tile[3];
    scalars[0] = int32_t(s.batch * s.kvHeads * ((rows + tile - 1) / tile));
    std::vector<char> scratch(variant.scratchBytes + 64, char(0xff));
    void *buffers[] = {q.data(), k.data(), v.data(), o.data()};
    auto aligned = (reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64;
    for (int64_t group = 0; group < scalars[0]; ++group)
      run(scalars.data(), buffers, group, reinterpret_cast<void *>(aligned));

    for (int64_t row = 0; row < s.batch * heads * s.queries; ++row) {
      int64_t head = row / s.queries, i = row % s.queries;
      int64_t kv = head / heads * s.kvHeads + head % heads / s.stacked;
      int64_t end = spec.terms.causal
                        ? std::clamp<int64_t>(i + offset + 1, 0, s.keys)
                        : s.keys;
      std::vector<double> x(end);
      double top = -INFINITY, total = 0, size = 0;
      for (int64_t j = 0; j < end; ++j) {
        double magnitude = 0;
        for (int64_t d = 0; d < s.headDim; ++d) {
          double product = q.values[row * s.headDim + d] *
                           k.values[(kv * s.keys + j) * s.headDim + d] * scale;
          x[j] += product;
          magnitude += std::fabs(product);
        }
        top = std::max(top, x[j]);
        size = std::max(size, magnitude);
      }
      for (double &value : x)
        total += value = std::exp(value - top);
      for (int64_t d = 0; d < s.valueDim; ++d) {
        double right = 0;
        for (int64_t j = 0; j < end; ++j)
          right += x[j] / total * v.values[(kv * s.keys + j) * s.valueDim + d];
        double got = o.get(row * s.valueDim + d);
        if (std::isinf(right)) {
          ASSERT_EQ(got, right) << row << " " << d;
          continue;
        }
        if (std::isnan(right)) {
          ASSERT_TRUE(std::isnan(got)) << row << " " << d;
          continue;
        }
        double tolerance = 2e-6 * (1 + size / 16);
        if (spec.o != AGT_F32)
          tolerance =
              5 * tolerance + std::max(1e-7, std::fabs(right)) *
                                  (spec.o == AGT_F16 ? 1.0 / 1024 : 1.0 / 128);
        ASSERT_NEAR(got, right, tolerance) << "row " << row << " dim " << d;
      }
    }
  }
}

AttentionSpec specOf(agt_dtype dtype, int64_t headDim, int64_t valueDim,
                     bool causal) {
  AttentionSpec spec;
  spec.q = spec.k = spec.v = spec.o = dtype;
  spec.headDim = headDim;
  spec.valueDim = valueDim;
  spec.terms.causal = causal;
  return spec;
}

TEST_P(AttentionTest, WholeBlocks) {
  check(specOf(AGT_F32, 64, 64, false), {1, 2, 1, 84, 256, 64, 64});
}

TEST_P(AttentionTest, AnyLengths) {
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{1, 1},
                               {3, 129},
                               {97, 77},
                               {200, 300},
                               {5, 0},
                               {0, 5}})
    for (bool causal : {false, true})
      check(specOf(AGT_F32, 32, 32, causal), {1, 1, 2, queries, keys, 32, 32});
}

TEST_P(AttentionTest, AnyDims) {
  for (auto [head, value] :
       {std::pair<int64_t, int64_t>{1, 1}, {100, 20}, {33, 129}, {256, 256}})
    check(specOf(AGT_F32, head, value, true), {2, 1, 3, 20, 150, head, value});
}

TEST_P(AttentionTest, DimsKnownWhenItRuns) {
  check(specOf(AGT_F32, 0, 0, true), {1, 2, 2, 30, 140, 72, 40});
  check(specOf(AGT_F16, 0, 64, false), {1, 2, 2, 30, 140, 7, 64});
}

TEST_P(AttentionTest, NarrowElements) {
  for (agt_dtype dtype : {AGT_F16, AGT_BF16})
    for (bool causal : {false, true})
      check(specOf(dtype, 64, 48, causal), {1, 2, 2, 40, 200, 64, 48});
  AttentionSpec mixed = specOf(AGT_F32, 64, 64, true);
  mixed.k = AGT_F16;
  mixed.v = AGT_BF16;
  check(mixed, {1, 2, 2, 40, 200, 64, 64});
}

TEST_P(AttentionTest, MoreQueriesThanKeys) {
  check(specOf(AGT_F32, 16, 16, true), {1, 1, 1, 100, 60, 16, 16});
  check(specOf(AGT_F32, 16, 16, true), {1, 1, 1, 60, 100, 16, 16}, true);
}

TEST_P(AttentionTest, WhatIsNotSeenDoesNotCount) {
  for (double poison : {double(INFINITY), double(NAN)})
    check(specOf(AGT_F32, 16, 16, true), {1, 2, 1, 50, 150, 16, 16}, false,
          poison);
}

INSTANTIATE_TEST_SUITE_P(
    Targets, AttentionTest,
    testing::ValuesIn(cpu::parseTargets("native")->front().isa == AGT_ISA_V4
                          ? *cpu::parseTargets("")
                          : *cpu::parseTargets("x86-64-v3")),
    [](const auto &info) { return std::string(info.param.suffix); });

} // namespace
