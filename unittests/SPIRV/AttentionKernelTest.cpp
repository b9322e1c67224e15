// Attention kernels on the device against float64, within the tolerances of
// the language: shapes that divide by nothing, both alignments of causal masks,
// grouped heads, element types, rows at odd places, values that are not finite.
// Every profile the device can run is run, and with other vector widths of
// lavapipe those of other subgroup sizes.
#include "codegen/spirv/Serialize.h"
#include "codegen/spirv/attention/Attention.h"
#include "unittests/SPIRV/AttentionRunner.h"
#include "unittests/SPIRV/Validate.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <unistd.h>

using namespace agt;
using namespace agt::test;
using kernels::attention::AttentionSpec;

namespace {

AttentionDevice &device() {
  static AttentionDevice d;
  return d;
}

AttentionSpec specOf(agt_dtype qo, agt_dtype kv, int64_t headDim,
                     int64_t valueDim, bool causal, int64_t alignment) {
  AttentionSpec spec;
  spec.q = spec.o = qo;
  spec.k = spec.v = kv;
  spec.headDim = headDim;
  spec.valueDim = valueDim;
  spec.terms.causal = causal;
  spec.alignment = alignment;
  return spec;
}

struct AttentionKernels : testing::Test {
  AttentionKernels() { spirv::loadKernelDialects(context); }

  /// The kernel as the runtime chooses, and as GPUs would have it.
  using Kernels = std::array<const HostKernel *, 2>;

  Kernels build(const AttentionSpec &spec) {
    auto code =
        spirv::attention::buildAttention(mlir::UnknownLoc::get(&context), spec);
    EXPECT_TRUE(mlir::succeeded(code));
    if (mlir::failed(code))
      return {};
    // Cooperative matrices are younger than the validator of Debian 12.
    for (const spirv::KernelBinary &variant : code->variants)
      if (!(variant.features & AGT_FEATURE_COOPMAT))
        EXPECT_EQ(validateSpirv(variant.words), "") << variant.profile;
    return {&device().keep(*code), &device().keep(*code, "gpu")};
  }

  void check(const Kernels &kernels, const AttentionCase &c,
             AttentionData &data, int64_t stride = 1) {
    for (double flops : works)
      check(*kernels[0], c, data, flops, stride);
    check(*kernels[1], c, data, 0, stride);
  }
  void check(const HostKernel &kernel, const AttentionCase &c,
             AttentionData &data, double flops, int64_t stride) {
    for (int64_t i = 0; i < data.o.elements(); ++i)
      data.o.set(i, NAN);
    std::string problem = device().run(kernel, c, data, flops);
    if (problem.empty())
      problem = compareAttention(c, data, stride);
    EXPECT_EQ(problem, "") << kernel.variants.size() << " variants, as for "
                           << flops << " operations";
  }
  void check(const Kernels &code, const AttentionCase &c, double size = 1,
             int64_t stride = 1) {
    AttentionData data(c);
    data.fill(random, size);
    check(code, c, data, stride);
  }

  /// Shapes of all kinds for one kernel.
  void sweep(const AttentionSpec &spec, int64_t headDim, int64_t valueDim,
             int64_t pad = 0) {
    Kernels code = build(spec);
    AttentionCase c;
    c.spec = spec;
    c.headDim = headDim;
    c.valueDim = valueDim;
    c.pad = pad;
    c.scale = 1 / std::sqrt(static_cast<float>(headDim));
    const int64_t lengths[][2] = {{1, 1},   {1, 37},   {5, 3},   {7, 131},
                                  {33, 64}, {40, 0},   {64, 17}, {50, 260},
                                  {0, 5},   {130, 129}};
    int turn = 0;
    for (auto [queries, keys] : lengths)
      for (bool topLeft : {false, true}) {
        if (topLeft && !spec.terms.causal)
          continue;
        c.queries = queries;
        c.keys = keys;
        c.topLeft = topLeft;
        c.batch = turn % 3 == 2 ? 2 : 1;
        c.kvHeads = 1 + turn % 2;
        c.group = turn % 4 == 1 ? 3 : 1;
        c.tokensFirst = turn % 5 == 3;
        ++turn;
        check(code, c);
      }
  }

  /// What launches are said to take: variants are chosen by it.
  std::vector<double> works = {1e12, 0};
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::mt19937 random{2};
};

TEST_F(AttentionKernels, DeviceOpens) { EXPECT_EQ(device().problem(), ""); }

TEST_F(AttentionKernels, F32) {
  for (bool causal : {false, true})
    sweep(specOf(AGT_F32, AGT_F32, 64, 64, causal, 8), 64, 64);
}

TEST_F(AttentionKernels, F32Narrow) {
  sweep(specOf(AGT_F32, AGT_F32, 1, 1, true, 1), 1, 1);
  sweep(specOf(AGT_F32, AGT_F32, 8, 24, false, 8), 8, 24);
}

TEST_F(AttentionKernels, F32OddDims) {
  works = {1e12, 5e8, 0};
  sweep(specOf(AGT_F32, AGT_F32, 33, 17, true, 1), 33, 17);
  sweep(specOf(AGT_F32, AGT_F32, 17, 50, false, 1), 17, 50, 3);
}

TEST_F(AttentionKernels, F32DimsOfTheRun) {
  Kernels code = build(specOf(AGT_F32, AGT_F32, 0, 0, true, 1));
  AttentionCase c;
  c.spec = specOf(AGT_F32, AGT_F32, 0, 0, true, 1);
  for (auto [headDim, valueDim] :
       {std::pair<int64_t, int64_t>{1, 256}, {31, 8}, {128, 128}, {256, 5}}) {
    c.headDim = headDim;
    c.valueDim = valueDim;
    c.queries = 21;
    c.keys = 150;
    c.kvHeads = 2;
    c.group = 2;
    c.scale = 1 / std::sqrt(static_cast<float>(headDim));
    check(code, c);
  }
}

TEST_F(AttentionKernels, F32Widest) {
  AttentionCase c;
  c.spec = specOf(AGT_F32, AGT_F32, 256, 256, false, 8);
  c.headDim = c.valueDim = 256;
  c.queries = 45;
  c.keys = 139;
  c.scale = 1.0f / 16;
  check(build(c.spec), c);
}

TEST_F(AttentionKernels, F16) {
  for (bool causal : {false, true})
    sweep(specOf(AGT_F16, AGT_F16, 64, 32, causal, 8), 64, 32);
}

TEST_F(AttentionKernels, F16Short) {
  works = {1e12, 5e8, 0};
  sweep(specOf(AGT_F16, AGT_F16, 16, 32, true, 8), 16, 32);
}

TEST_F(AttentionKernels, F16OddDims) {
  sweep(specOf(AGT_F16, AGT_F16, 33, 7, true, 1), 33, 7);
}

TEST_F(AttentionKernels, F16HalfWords) {
  sweep(specOf(AGT_F16, AGT_F16, 34, 6, false, 2), 34, 6);
  sweep(specOf(AGT_F16, AGT_F16, 6, 10, true, 1), 6, 10, 1);
}

TEST_F(AttentionKernels, Bf16) {
  sweep(specOf(AGT_BF16, AGT_BF16, 32, 64, true, 8), 32, 64);
}

TEST_F(AttentionKernels, MixedTypes) {
  sweep(specOf(AGT_F32, AGT_F16, 32, 32, false, 8), 32, 32);
  sweep(specOf(AGT_F16, AGT_F32, 32, 36, true, 4), 32, 36);
  sweep(specOf(AGT_BF16, AGT_F16, 16, 8, true, 8), 16, 8);
}

TEST_F(AttentionKernels, LargeScores) {
  AttentionCase c;
  c.spec = specOf(AGT_F32, AGT_F32, 16, 16, false, 8);
  c.headDim = c.valueDim = 16;
  c.queries = 40;
  c.keys = 300;
  Kernels code = build(c.spec);
  check(code, c, 30);
  c.scale = -1;
  check(code, c, 5);
  c.scale = 0;
  check(code, c);
}

TEST_F(AttentionKernels, LongRows) {
  AttentionCase c;
  c.spec = specOf(AGT_F32, AGT_F32, 8, 8, true, 8);
  c.headDim = c.valueDim = 8;
  c.queries = 70;
  c.keys = 40000;
  check(build(c.spec), c, 1, 7);
}

// What a query does not see is nothing to it, whatever it is; what it sees, it
// gets.
TEST_F(AttentionKernels, NotFinite) {
  AttentionCase c;
  c.spec = specOf(AGT_F32, AGT_F32, 16, 24, true, 8);
  c.headDim = 16;
  c.valueDim = 24;
  c.scale = 0.25;
  Kernels code = build(c.spec);
  for (auto [queries, keys] :
       {std::pair<int64_t, int64_t>{2, 20}, {90, 90}, {100, 37}, {77, 200}}) {
    c.queries = queries;
    c.keys = keys;
    for (double bad : {NAN, INFINITY, -INFINITY}) {
      AttentionData data(c);
      data.fill(random, 1);
      int64_t last = keys - 1, middle = keys / 2;
      data.v.set(data.v.at(0, 0, last, 3), bad);
      check(code, c, data);
      data.v.set(data.v.at(0, 0, middle, 20), bad);
      check(code, c, data);
      for (int64_t d = 0; d < 16; ++d)
        data.k.set(data.k.at(0, 0, last, d), NAN);
      check(code, c, data);
    }
  }
}

// What of the matrix variant can be checked without a device that has them: the
// products are there, with what they ask of the module.
TEST_F(AttentionKernels, CooperativeMatrices) {
  AttentionSpec spec = specOf(AGT_F16, AGT_F16, 64, 64, true, 8);
  bool found = false;
  for (auto &variant :
       spirv::attention::buildVariants(mlir::UnknownLoc::get(&context), spec)) {
    if (variant.binary.profile != "gpu-matrix")
      continue;
    found = true;
    EXPECT_EQ(variant.binary.subgroupSize, 32u);
    ASSERT_TRUE(mlir::succeeded(spirv::lowerToSpirv(*variant.module)));
    ASSERT_TRUE(mlir::succeeded(mlir::verify(*variant.module)));
    std::string text;
    llvm::raw_string_ostream(text) << *variant.module;
    for (const char *expected :
         {"PhysicalStorageBuffer64 Vulkan requires #spirv.vce<v1.6",
          "CooperativeMatrixKHR", "VulkanMemoryModel",
          "SPV_KHR_cooperative_matrix",
          "@push, @shared0, @shared1, @shared2, @shared3",
          "spirv.KHR.CooperativeMatrixMulAdd",
          "!spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>",
          "!spirv.coopmatrix<16x16xf16, Subgroup, MatrixB>",
          "!spirv.coopmatrix<16x16xf32, Subgroup, MatrixAcc>"})
      EXPECT_NE(text.find(expected), std::string::npos) << expected;
  }
  EXPECT_TRUE(found);
  for (agt_dtype dtype : {AGT_F32, AGT_BF16})
    for (auto &variant :
         spirv::attention::buildVariants(mlir::UnknownLoc::get(&context),
                                         specOf(dtype, dtype, 64, 64, true, 8)))
      EXPECT_NE(variant.binary.profile, "gpu-matrix");
}

// The other vector widths of lavapipe have subgroups of 4 and 16.
TEST_F(AttentionKernels, OtherSubgroupSizes) {
  if (std::getenv("LP_NATIVE_VECTOR_WIDTH"))
    GTEST_SKIP() << "run from here";
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  ASSERT_GT(length, 0);
  self[length] = 0;
  for (const char *width : {"128", "512"}) {
    std::string command =
        std::string("LP_NATIVE_VECTOR_WIDTH=") + width + " '" + self +
        "' "
        "--gtest_filter='AttentionKernels.F32OddDims:AttentionKernels.F16Short:"
        "AttentionKernels.NotFinite' >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << width << " bits";
  }
}

} // namespace
