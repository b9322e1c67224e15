// One suite for every device: what the interface promises, on each of them and
// with device memory seen and unseen by the host. What needs a kernel to run
// is skipped on the null device, which says so by what it is.
#include "runtime/Cpu/CpuDevice.h"
#include "runtime/Device/Device.h"
#include "runtime/Null/NullDevice.h"
#include "runtime/Support/Failure.h"
#include "runtime/Vulkan/VulkanDevice.h"
#include "unittests/Runtime/TestProgram.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <set>

using namespace agt::rt;

namespace {

struct Maker {
  const char *name;
  bool runsKernels;
  bool visible;
  std::function<std::unique_ptr<Device>()> make;
};

std::unique_ptr<Device> makeVulkan(bool staging) {
  VulkanOptions options;
  options.forceStaging = staging;
  return std::make_unique<VulkanDevice>(VulkanInstance::get(), 0, options);
}

std::unique_ptr<Device> makeNull(bool visible) {
  NullOptions options;
  options.hostVisible = visible;
  return makeNullDevice(options);
}

class DeviceTest : public testing::TestWithParam<Maker> {
protected:
  void SetUp() override { device = GetParam().make(); }
  void TearDown() override {
    device->checkMistakes();
    device.reset();
    EXPECT_EQ(validationErrorCount(), 0u);
  }

  std::unique_ptr<Buffer> upload(const std::vector<uint32_t> &words) {
    auto buffer = device->allocate(words.size() * 4, MemoryKind::Upload);
    std::memcpy(buffer->host(), words.data(), words.size() * 4);
    return buffer;
  }
  void run(const std::vector<Command> &commands) {
    auto list = device->record(commands, false);
    device->wait(device->submit(*list));
  }
  std::vector<uint32_t> read(Buffer &buffer, size_t words) {
    auto visible = device->allocate(words * 4, MemoryKind::Download);
    run({CopyCommand{visible.get(), 0, &buffer, 0, words * 4}});
    std::vector<uint32_t> result(words);
    std::memcpy(result.data(), visible->host(), words * 4);
    return result;
  }

  std::unique_ptr<Device> device;
};

TEST_P(DeviceTest, SaysWhatItIs) {
  const DeviceProperties &properties = device->properties();
  EXPECT_FALSE(properties.name.empty());
  EXPECT_GE(properties.subgroupSize, 1u);
  EXPECT_GE(properties.maxAllocation, uint64_t(1) << 27);
  EXPECT_GE(properties.maxGroups[0], 65535u);
  EXPECT_GE(properties.maxGroups[1], 65535u);
}

TEST_P(DeviceTest, TellsItsMemory) {
  MemoryBudget budget = device->memoryBudget();
  EXPECT_GT(budget.free, 0u);
  EXPECT_LE(budget.free, budget.total);
}

TEST_P(DeviceTest, BuffersHaveSizeAddressAndVisibility) {
  std::set<uint64_t> addresses;
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (MemoryKind kind :
       {MemoryKind::Device, MemoryKind::Upload, MemoryKind::Download}) {
    buffers.push_back(device->allocate(1000, kind));
    EXPECT_EQ(buffers.back()->size(), 1000u);
    EXPECT_TRUE(addresses.insert(buffers.back()->address()).second);
    bool visible = kind != MemoryKind::Device || GetParam().visible;
    EXPECT_EQ(buffers.back()->host() != nullptr, visible);
  }
}

TEST_P(DeviceTest, CopiesRunInOrderAtTheirOffsets) {
  auto source = upload({1, 2, 3, 4});
  auto memory = device->allocate(16, MemoryKind::Device);
  run({CopyCommand{memory.get(), 0, source.get(), 0, 16},
       CopyCommand{memory.get(), 4, source.get(), 0, 8},
       CopyCommand{memory.get(), 12, source.get(), 8, 4}});
  EXPECT_EQ(read(*memory, 4), (std::vector<uint32_t>{1, 1, 2, 3}));
}

TEST_P(DeviceTest, LendsTheHostsMemoryOrSaysThatItDoesNot) {
  std::vector<uint32_t> words(4 + AGT_CPU_SLACK / 4, 9);
  auto lent = device->lend(words.data(), 16);
  // One that runs native code reads where the host does.
  ASSERT_EQ(lent != nullptr, device->properties().isa != AGT_ISA_NONE);
  if (!lent)
    return;
  EXPECT_EQ(lent->size(), 16u);
  words[2] = 7;
  EXPECT_EQ(read(*lent, 4), (std::vector<uint32_t>{9, 9, 7, 9}));
  lent.reset();
  EXPECT_EQ(words[3], 9u);
  // It takes nothing of the device's memory.
  ASSERT_EQ(setenv("AGT_MEMORY", "1000000", 1), 0);
  uint64_t before = device->memoryBudget().free;
  lent = device->lend(words.data(), 16);
  uint64_t with = device->memoryBudget().free;
  auto own = device->allocate(16, MemoryKind::Device);
  uint64_t less = device->memoryBudget().free;
  unsetenv("AGT_MEMORY");
  EXPECT_EQ(with, before);
  EXPECT_EQ(less, before - 16);
}

TEST_P(DeviceTest, TimelinePointsGrowAndListsRunAgain) {
  auto source = upload({7});
  auto memory = device->allocate(4, MemoryKind::Device);
  auto list =
      device->record({CopyCommand{memory.get(), 0, source.get(), 0, 4}}, false);
  TimelinePoint first = device->submit(*list);
  device->wait(first);
  std::memset(source->host(), 0, 4);
  TimelinePoint second = device->submit(*list);
  EXPECT_GT(second, first);
  device->wait(second);
  device->wait(first); // reached long ago
  EXPECT_EQ(read(*memory, 1), std::vector<uint32_t>{0});
}

TEST_P(DeviceTest, TimesHaveOneSpanACommand) {
  auto source = upload({1, 2});
  auto memory = device->allocate(8, MemoryKind::Device);
  CopyCommand copy{memory.get(), 0, source.get(), 0, 8};
  auto list = device->record({copy, copy, copy}, true);
  device->wait(device->submit(*list));
  std::vector<Span> spans = list->times();
  ASSERT_EQ(spans.size(), device->properties().timestamps ? 3u : 0u);
  double last = 0;
  for (const Span &span : spans) {
    EXPECT_GE(span.begin, last);
    EXPECT_GE(span.end, span.begin);
    EXPECT_LT(span.end, 60);
    last = span.end;
  }
  auto untimed = device->record({copy}, false);
  device->wait(device->submit(*untimed));
  EXPECT_TRUE(untimed->times().empty());
}

TEST_P(DeviceTest, AnEmptyListIsDoneAtOnce) {
  auto list = device->record({}, false);
  device->wait(device->submit(*list));
}

TEST_P(DeviceTest, KernelsSeeEarlierLaunches) {
  auto kernel = device->load(test::addKernel, 0, 3);
  auto scalars = upload({2, 100, 3});
  auto from = upload(std::vector<uint32_t>(100, 5));
  auto to = device->allocate(400, MemoryKind::Device);
  LaunchCommand first{
      kernel.get(), {scalars->address(), from->address(), to->address()}, 2, 1};
  LaunchCommand again{
      kernel.get(), {scalars->address(), to->address(), to->address()}, 2, 1};
  run({first, again, again});
  uint32_t expected = GetParam().runsKernels ? 5 + 3 * 3 : 0;
  EXPECT_EQ(read(*to, 100), std::vector<uint32_t>(100, expected));
}

TEST_P(DeviceTest, GroupsFoldIntoTheSecondDimension) {
  auto kernel = device->load(test::addKernel, 0, 3);
  uint32_t n = 64 * 5;
  auto scalars = upload({5, n, 1});
  auto from = upload(std::vector<uint32_t>(n, 1));
  auto to = device->allocate(n * 4, MemoryKind::Device);
  run({LaunchCommand{kernel.get(),
                     {scalars->address(), from->address(), to->address()},
                     3,
                     2}});
  uint32_t expected = GetParam().runsKernels ? 2 : 0;
  EXPECT_EQ(read(*to, n), std::vector<uint32_t>(n, expected));
}

TEST_P(DeviceTest, EveryGroupOfALargeLaunchRuns) {
  auto kernel = device->load(test::addKernel, 0, 3);
  uint32_t n = 64 * 5000;
  auto scalars = upload({5000, n, 1});
  auto words = upload(std::vector<uint32_t>(n, 1));
  LaunchCommand launch{kernel.get(),
                       {scalars->address(), words->address(), words->address()},
                       5000,
                       1,
                       1e9};
  run(std::vector<Command>(50, launch));
  uint32_t expected = GetParam().runsKernels ? 51 : 1;
  EXPECT_EQ(read(*words, n), std::vector<uint32_t>(n, expected));
}

TEST_P(DeviceTest, RefusesMemoryThereIsNot) {
  try {
    device->allocate(uint64_t(1) << 46, MemoryKind::Device);
    FAIL() << "64 TiB were allocated";
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code, AGT_FAILED);
    EXPECT_EQ(failure.message.rfind("out of memory: ", 0), 0u)
        << failure.message;
  }
}

// That the checks check: a copy past the end of a buffer, in a process of its
// own, is found by the validation layer and told.
TEST(VulkanDeathTest, MistakesAreFound) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        auto device = makeVulkan(false);
        auto from = device->allocate(64, MemoryKind::Upload);
        auto to = device->allocate(64, MemoryKind::Device);
        device->record({CopyCommand{to.get(), 32, from.get(), 0, 64}}, false);
        try {
          device->checkMistakes();
        } catch (const Failure &failure) {
          std::fprintf(stderr, "told: %s\n", failure.what());
          std::_Exit(3);
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(3),
      "told: the Vulkan validation layer found 1 error");
}

INSTANTIATE_TEST_SUITE_P(
    All, DeviceTest,
    testing::Values(
        Maker{"null", false, true, [] { return makeNull(true); }},
        Maker{"null_staged", false, false, [] { return makeNull(false); }},
        Maker{"cpu", true, true, [] { return makeCpuDevice(); }},
        Maker{"vulkan", true, true, [] { return makeVulkan(false); }},
        Maker{"vulkan_staged", true, false, [] { return makeVulkan(true); }}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
