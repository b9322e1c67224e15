// Plans from recording to results, and what is refused before work starts.
#include "runtime/Null/NullDevice.h"
#include "runtime/Plan/Context.h"
#include "runtime/Plan/Execute.h"
#include "runtime/Plan/Layout.h"
#include "runtime/Support/Failure.h"
#include "unittests/Runtime/TestProgram.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace agt::rt;
using namespace agt::rt::test;

namespace {

struct Context {
  explicit Context(const char *device) {
    EXPECT_EQ(textOf(agt_context_create(device, &handle)), "");
  }
  explicit Context(const NullOptions &options)
      : handle(new agt_context(makeNullDevice(options))) {}
  ~Context() { agt_context_destroy(handle); }
  agt_context *handle = nullptr;
};

std::vector<int32_t> numbers(size_t n, int32_t from = 0) {
  std::vector<int32_t> values(n);
  std::iota(values.begin(), values.end(), from);
  return values;
}

std::string runGraph(Context &context, const char *name, const agt_tensor &in,
                     std::vector<int32_t> &result) {
  agt_tensor out{};
  std::string text = textOf(graph(name).run(context.handle, &in, 1, &out, 1));
  if (text.empty())
    result = take(out);
  return text;
}

TEST(Plan, AddsOne) {
  Context context("vulkan");
  for (size_t n : {0, 1, 63, 64, 65, 1000}) {
    Ints x(numbers(n));
    std::vector<int32_t> y;
    ASSERT_EQ(runGraph(context, "add_one", x.tensor, y), "");
    EXPECT_EQ(y, numbers(n, 1));
  }
}

// 65,535 workgroups along x are all that lavapipe has.
TEST(Plan, FoldsLargeLaunches) {
  Context context("vulkan");
  size_t n = size_t(65535) * 64 + 100;
  Ints x(numbers(n));
  std::vector<int32_t> y;
  ASSERT_EQ(runGraph(context, "add_one", x.tensor, y), "");
  EXPECT_EQ(y, numbers(n, 1));
}

TEST(Plan, ReusesRoomAndRepeats) {
  Context context("vulkan");
  context.handle->settings.repeat = 3;
  context.handle->settings.warmUp = true;
  context.handle->settings.launchTimes = true;
  Ints x(numbers(100000));
  std::vector<int32_t> y;
  ASSERT_EQ(runGraph(context, "chain", x.tensor, y), "");
  EXPECT_EQ(y, numbers(100000, 45));

  const RunReport &report = context.handle->report;
  EXPECT_EQ(report.times.size(), 3u);
  EXPECT_EQ(report.flops(), 1e6);
  ASSERT_EQ(report.positions.at(0).launches.size(), 10u);
  EXPECT_EQ(report.positions.at(0).launches[1].name, "odd");
  EXPECT_EQ(report.positions.at(0).launches[1].place, "add.agt:3:10");
  EXPECT_EQ(report.positions.at(0).launches[1].groups, 1563u);
  EXPECT_EQ(report.positions.at(0).launches[1].spans.size(), 3u);
  // The input, two temporaries in turn, and the scalars.
  uint64_t room = (400000 + 255) / 256 * 256;
  EXPECT_EQ(report.positions.at(0).peakBytes, 3 * room + 256);
}

TEST(Plan, StagesWhereMemoryIsUnseen) {
  setenv("AGT_STAGING", "1", 1);
  Context context("vulkan");
  unsetenv("AGT_STAGING");
  size_t n = 9 << 20; // 36 MiB: more than two slots
  Ints x(numbers(n));
  std::vector<int32_t> y;
  ASSERT_EQ(runGraph(context, "add_one", x.tensor, y), "");
  EXPECT_EQ(y, numbers(n, 1));
}

TEST(Plan, TakesStridesOfAnySign) {
  for (const char *staging : {"0", "1"}) {
    setenv("AGT_STAGING", staging, 1);
    Context context("vulkan");
    unsetenv("AGT_STAGING");
    std::vector<int32_t> values = numbers(20);
    int64_t shape[] = {7}, strides[] = {-3};
    agt_tensor x{&values[19], AGT_I32, 1, shape, strides};
    std::vector<int32_t> y;
    ASSERT_EQ(runGraph(context, "add_one", x, y), "");
    EXPECT_EQ(y, (std::vector<int32_t>{20, 17, 14, 11, 8, 5, 2}));
  }
}

TEST(Plan, AnInputCanBeAResult) {
  Context context("vulkan");
  float image[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[] = {2, 3}, strides[] = {1, 2};
  Ints count(numbers(3));
  agt_tensor in[] = {{image, AGT_F32, 2, shape, strides}, count.tensor};
  agt_tensor out[2];
  ASSERT_EQ(textOf(graph("two").run(context.handle, in, 2, out, 2)), "");
  auto *copy = static_cast<float *>(out[0].data);
  EXPECT_EQ(std::vector<float>(copy, copy + 6),
            (std::vector<float>{1, 3, 5, 2, 4, 6}));
  agt_tensor_release(&out[0]);
  EXPECT_EQ(take(out[1]), numbers(3, 5));
}

TEST(Plan, RefusesInputsThatDoNotFit) {
  Context context("null");
  Ints x(numbers(4));
  agt_tensor out[2];
  const agt_graph &addOne = graph("add_one");
  auto run = [&](agt_tensor in, size_t nIn = 1, size_t nOut = 1) {
    return textOf(addOne.run(context.handle, &in, nIn, out, nOut));
  };
  EXPECT_EQ(run(x.tensor, 0),
            "2 add.agt:1:7: expected 1 input for graph 'add_one', got 0");
  EXPECT_EQ(run(x.tensor, 1, 2),
            "2 add.agt:1:7: expected 1 result for graph 'add_one', got 2");
  agt_tensor wrong = x.tensor;
  wrong.dtype = AGT_F16;
  EXPECT_EQ(run(wrong), "2 add.agt:1:7: expected i32 for 'x', got f16");
  wrong = x.tensor;
  wrong.rank = 0;
  EXPECT_EQ(run(wrong), "2 add.agt:1:7: expected 1 dim for 'x', got 0");
  int64_t negative[] = {-1};
  wrong = x.tensor;
  wrong.shape = negative;
  EXPECT_EQ(run(wrong), "2 add.agt:1:7: the shape [-1] of 'x' is not one of a "
                        "tensor in memory");
  wrong = x.tensor;
  wrong.data = nullptr;
  EXPECT_EQ(run(wrong), "2 add.agt:1:7: the data of 'x' is NULL");
  Ints thirteen(numbers(13));
  EXPECT_EQ(run(thirteen.tensor),
            "2 add.agt:2:5: expected a length other than 13, got 13");
}

TEST(Plan, SaysThatMemoryIsShortBeforeTheWork) {
  NullOptions options;
  options.memory = 1 << 20;
  Context context(options);
  Ints x(numbers(100000));
  std::vector<int32_t> y;
  EXPECT_EQ(runGraph(context, "chain", x.tensor, y),
            "1 add.agt:5:7: not enough memory: graph 'chain' needs 1600640 "
            "bytes (1.5 MiB), the device 'null device' has 1048576 bytes (1.0 "
            "MiB) free of 1048576 bytes (1.0 MiB)");
}

TEST(Plan, NamesTheBufferThatIsTooLarge) {
  NullOptions options;
  options.maxAllocation = options.maxBuffer = 65536;
  Context context(options);
  Ints x(numbers(20000));
  std::vector<int32_t> y;
  EXPECT_EQ(runGraph(context, "add_one", x.tensor, y),
            "1 add.agt:1:7: not enough memory: the input 'x' takes 80000 bytes "
            "(78.1 KiB), the device 'null device' gives at most 65536 bytes "
            "(64.0 KiB) at once");
}

TEST(Plan, SplitsMemoryAtTheLargestAllocation) {
  NullOptions options;
  options.maxAllocation = 65536;
  Context context(options);
  Ints x(numbers(10000));
  std::vector<int32_t> y;
  EXPECT_EQ(runGraph(context, "chain", x.tensor, y), "");
  EXPECT_EQ(y, std::vector<int32_t>(10000, 0)); // no kernel ran
}

// Three of them together at most: the input and two temporaries.
TEST(Plan, GivesLargeBuffersChunksOfTheirOwn) {
  NullOptions options;
  options.maxAllocation = 65536;
  Context context(options);
  Ints x(numbers(20000));
  std::vector<int32_t> y;
  EXPECT_EQ(runGraph(context, "chain", x.tensor, y), "");
  EXPECT_EQ(context.handle->report.positions.at(0).peakBytes, 3 * 80128u + 256);
}

TEST(Plan, RefusesPlansThatAreWrong) {
  Context context("null");
  Ints x(numbers(4));
  const agt_graph &addOne = graph("add_one");
  agt_run *run;
  agt_buffer *in, *out, *small;
  auto begin = [&] {
    ASSERT_EQ(
        textOf(agt_graph_begin(context.handle, &addOne, &x.tensor, 1, 1, &run)),
        "");
    ASSERT_EQ(textOf(agt_graph_input(run, 0, &in)), "");
    ASSERT_EQ(textOf(agt_graph_alloc(run, 16, &out)), "");
    ASSERT_EQ(textOf(agt_graph_alloc(run, 8, &small)), "");
  };
  const std::string bad = "1 add.agt:1:7: bad plan for graph 'add_one': ";
  begin();
  agt_tensor result{};
  EXPECT_EQ(textOf(agt_graph_end(run, &result)), bad + "result 0 is missing");
  begin();
  EXPECT_EQ(textOf(agt_graph_output(run, 0, small, x.shape)),
            bad + "result 0 of shape [4] does not fit its buffer of 8 bytes");
  begin();
  EXPECT_EQ(textOf(agt_graph_free(run, out)), "");
  EXPECT_EQ(textOf(addLaunch(run, in, out, 4, 1, "add")),
            bad + "a buffer is used after it was freed");
  begin();
  EXPECT_EQ(textOf(addLaunch(run, in, out, 5'000'000'000, 1, "add")),
            "2 add.agt:3:10: the size 5000000000 in 'add' does not fit the 32 "
            "bits that kernels count in");
  // Plans that failed went with the next begin; one is left.
  EXPECT_EQ(context.handle->plans.size(), 1u);
}

static LaunchRecord launchOf(const agt_kernel &kernel, double flops,
                             int64_t rows = 1) {
  LaunchRecord launch = {};
  launch.kernel = &kernel;
  launch.flops = flops;
  launch.work[0] = rows;
  launch.place = "f.agt:1:1";
  return launch;
}

TEST(Plan, SaysWhatTheDeviceLacks) {
  agt_kernel_variant variants[2] = {addVariant, addVariant};
  variants[0].subgroup_size = 128;
  variants[1].features = AGT_FEATURE_COOPMAT | AGT_FEATURE_CPU_DRIVER;
  agt_kernel kernel = {"attend", variants, 2, 0, nullptr};
  DeviceProperties device;
  device.name = "GPU";
  device.subgroupSize = 32;
  try {
    chooseVariant(launchOf(kernel, 1), device);
    FAIL() << "a variant was chosen";
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code, AGT_MISSING);
    EXPECT_EQ(failure.place, "f.agt:1:1");
    EXPECT_EQ(failure.message,
              "kernel 'attend' cannot run on 'GPU': it needs subgroups of 128 "
              "(it has 32), or cooperative matrices and a driver that runs on "
              "the CPU");
  }
}

TEST(Plan, TakesTheFirstVariantThatFits) {
  agt_kernel_variant variants[4] = {addVariant, addVariant, addVariant,
                                    addVariant};
  variants[0].subgroup_size = 64;
  variants[1].features = AGT_FEATURE_COOPMAT;
  variants[2].min_flops = 1e6;
  agt_kernel kernel = {"attend", variants, 4, 0, nullptr};
  DeviceProperties device;
  device.subgroupSize = 32;
  EXPECT_EQ(chooseVariant(launchOf(kernel, 10), device), 3u);
  EXPECT_EQ(chooseVariant(launchOf(kernel, 1e6), device), 2u);
  variants[2].min_rows = 8;
  EXPECT_EQ(chooseVariant(launchOf(kernel, 1e6, 7), device), 3u);
  EXPECT_EQ(chooseVariant(launchOf(kernel, 1e6, 8), device), 2u);
  device.subgroupSize = 64;
  EXPECT_EQ(chooseVariant(launchOf(kernel, 10), device), 0u);
}

TEST(Plan, TakesTheFirstNativeVariantThatFits) {
  agt_cpu_variant variants[3] = {addCpuVariant, addCpuVariant, addCpuVariant};
  variants[0].isa = AGT_ISA_V4;
  variants[0].min_flops = 1e6;
  variants[0].tile[0] = 7;
  variants[1].isa = AGT_ISA_V4;
  agt_kernel kernel = {"attend", nullptr, 0, 3, variants};
  DeviceProperties device;
  device.name = "processor";
  device.isa = AGT_ISA_V4;
  EXPECT_EQ(chooseVariant(launchOf(kernel, 1e6), device), 0u);
  EXPECT_EQ(tileOf(kernel, 0, device)[0], 7);
  EXPECT_EQ(chooseVariant(launchOf(kernel, 10), device), 1u);
  device.isa = AGT_ISA_V3;
  EXPECT_EQ(chooseVariant(launchOf(kernel, 1e6), device), 2u);
  kernel.n_cpu_variants = 2;
  try {
    chooseVariant(launchOf(kernel, 1), device);
    FAIL() << "a variant was chosen";
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code, AGT_MISSING);
    EXPECT_EQ(failure.message, "kernel 'attend' cannot run on 'processor': it "
                               "needs a processor of x86-64-v4");
  }
}

TEST(Plan, FoldsGroups) {
  const uint32_t limits[2] = {65535, 65535};
  for (uint64_t groups : {1ull, 65535ull, 65536ull, 131071ull, 1000000007ull}) {
    Grid grid = foldGroups(groups, limits);
    EXPECT_LE(grid.x, limits[0]);
    EXPECT_LE(grid.y, limits[1]);
    EXPECT_GE(uint64_t(grid.x) * grid.y, groups);
    EXPECT_LT(uint64_t(grid.x) * grid.y, groups + grid.y);
  }
}

// No two buffers that are alive together may overlap, none may cross chunks.
// Shards of a ring: two are alive at a time, sizes differ by one token.
TEST(Layout, ShardsFollowEachOther) {
  std::vector<Lifetime> lives;
  for (uint32_t i = 0; i < 9; ++i)
    lives.push_back({i % 3 == 1 ? 2304u : 2048u, i, i + 1});
  EXPECT_EQ(layOut(lives, 256, 1 << 20).total(), 2 * 2304u);
}

TEST(Layout, NeverOverlapsWhatIsAlive) {
  uint64_t state = 12345;
  auto random = [&](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 200; ++round) {
    uint64_t maxChunk = 4096 << random(4);
    std::vector<Lifetime> lives;
    for (uint64_t i = 0, n = random(40); i < n; ++i) {
      uint32_t first = uint32_t(random(20));
      lives.push_back(
          {random(maxChunk + 1), first, first + uint32_t(random(10))});
    }
    Layout layout = layOut(lives, 256, maxChunk);
    for (size_t i = 0; i < lives.size(); ++i) {
      const Placement &a = layout.placements[i];
      EXPECT_EQ(a.offset % 256, 0u);
      EXPECT_LE(a.offset + lives[i].bytes, layout.chunks.at(a.chunk));
      if (lives[i].bytes <= maxChunk) {
        EXPECT_LE(layout.chunks[a.chunk], maxChunk);
      }
      for (size_t j = 0; j < i; ++j) {
        const Placement &b = layout.placements[j];
        bool together =
            lives[i].first <= lives[j].last && lives[j].first <= lives[i].last;
        bool apart = a.chunk != b.chunk ||
                     a.offset + lives[i].bytes <= b.offset ||
                     b.offset + lives[j].bytes <= a.offset;
        EXPECT_TRUE(!together || apart || lives[i].bytes == 0 ||
                    lives[j].bytes == 0);
      }
    }
  }
}

} // namespace
