// Graphs on a mesh in one process: rings on several devices, what they report,
// and what happens when one position fails.
#include "runtime/Cpu/CpuDevice.h"
#include "runtime/Mesh/Choose.h"
#include "runtime/Null/NullDevice.h"
#include "runtime/Plan/Context.h"
#include "runtime/Support/Failure.h"
#include "unittests/Runtime/MeshProgram.h"
#include "unittests/Runtime/TestProgram.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace agt::rt;
using namespace agt::rt::test;

namespace {

std::vector<int32_t> numbers(size_t n) {
  std::vector<int32_t> values(n);
  std::iota(values.begin(), values.end(), 7);
  return values;
}

std::string runRing(agt_context &context, RingGraph &ring, size_t tokens,
                    std::vector<int32_t> &y) {
  Ints x(numbers(tokens));
  agt_tensor out{};
  std::string text = textOf(ring.run(&context, x.tensor, out));
  if (text.empty())
    y = take(out);
  return text;
}

class MeshTest : public testing::Test {
protected:
  void TearDown() override {
    balance = AGT_CONTIGUOUS;
    launchDelay = 0;
  }
};

TEST_F(MeshTest, RingsOfEverySize) {
  for (int64_t positions : {1, 2, 3, 4, 5, 8, 16})
    for (int32_t kind : {AGT_CONTIGUOUS, AGT_ZIGZAG, AGT_STRIPED})
      for (size_t tokens : {size_t(0), size_t(1), size_t(positions - 1),
                            size_t(2 * positions + 1), size_t(2999)}) {
        balance = kind;
        RingGraph ring(positions, recordRing);
        agt_context context(parseDevice("cpu"));
        std::vector<int32_t> y;
        ASSERT_EQ(runRing(context, ring, tokens, y), "");
        EXPECT_EQ(y, expectedRing(numbers(tokens), positions, kind))
            << positions << " positions, " << tokens << " tokens, balance "
            << kind;
      }
}

TEST_F(MeshTest, RandomDelaysChangeNothing) {
  launchDelay = 2000;
  RingGraph ring(5, recordRing);
  agt_context context(parseDevice("cpu"));
  context.settings.repeat = 10;
  context.settings.launchTimes = true;
  std::vector<int32_t> y;
  ASSERT_EQ(runRing(context, ring, 2999, y), "");
  EXPECT_EQ(y, expectedRing(numbers(2999), 5, AGT_CONTIGUOUS));
}

// Two shards at a time whatever the number of positions, to the byte.
TEST_F(MeshTest, HoldsTwoShardsAtMost) {
  constexpr size_t tokens = 8 * 1024 + 3;
  for (int64_t positions : {2, 5, 8}) {
    RingGraph ring(positions, recordRing);
    agt_context context(parseDevice("cpu"));
    std::vector<int32_t> y;
    ASSERT_EQ(runRing(context, ring, tokens, y), "");
    const RunReport &report = context.report;
    ASSERT_EQ(report.positions.size(), size_t(positions));
    uint64_t shard = 4 * ((tokens + size_t(positions) - 1) / size_t(positions));
    for (const PositionReport &position : report.positions) {
      EXPECT_LE(position.kvPeakBytes, 2 * shard);
      EXPECT_GE(position.kvPeakBytes, 2 * (shard - 4));
      // Besides: two accumulators, the scalars.
      uint64_t room = (shard + 255) / 256 * 256;
      EXPECT_LE(position.peakBytes, 4 * room + 256);
    }
  }
}

TEST_F(MeshTest, ReportsWhatMoves) {
  RingGraph ring(4, recordRing);
  agt_context context(parseDevice("cpu"));
  context.settings.repeat = 3;
  context.settings.launchTimes = true;
  std::vector<int32_t> y;
  ASSERT_EQ(runRing(context, ring, 1001, y), "");
  const RunReport &report = context.report;
  EXPECT_EQ(report.times.size(), 3u);
  uint64_t moved = 0;
  for (const PositionReport &position : report.positions) {
    ASSERT_EQ(position.transfers.size(), 3u);
    for (const TransferReport &transfer : position.transfers) {
      EXPECT_EQ(transfer.name, "shift");
      EXPECT_EQ(transfer.axis, "cp");
      EXPECT_EQ(transfer.move, AGT_MOVE_KV);
      ASSERT_EQ(transfer.spans.size(), 3u);
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_LE(transfer.spans[i].begin, transfer.spans[i].end);
        EXPECT_LE(transfer.spans[i].end, report.times[i] + 1e-4);
      }
      moved += transfer.bytes;
    }
    ASSERT_EQ(position.hops.size(), 4u);
    EXPECT_EQ(position.launches.size(), 4u);
    for (const LaunchReport &launch : position.launches)
      EXPECT_EQ(launch.spans.size(), 3u);
  }
  EXPECT_EQ(moved, 3 * 4 * 1001u);
  std::vector<int64_t> owners;
  for (const HopReport &hop : report.positions[1].hops)
    owners.push_back(hop.owner);
  EXPECT_EQ(owners, (std::vector<int64_t>{1, 0, 3, 2}));
}

TEST_F(MeshTest, GathersWholes) {
  for (int64_t positions : {1, 2, 3, 5})
    for (int32_t kind : {AGT_CONTIGUOUS, AGT_ZIGZAG, AGT_STRIPED})
      for (size_t tokens : {0, 1, 4, 100}) {
        balance = kind;
        RingGraph ring(positions, recordGather);
        agt_context context(parseDevice("cpu"));
        std::vector<int32_t> y, expected = numbers(tokens);
        for (int32_t &value : expected)
          ++value;
        ASSERT_EQ(runRing(context, ring, tokens, y), "");
        EXPECT_EQ(y, expected);
      }
}

// A way whose tensors are too large.
agt_status recordTooLarge(agt_run *run, const agt_tensor *) {
  return agt_graph_fail(run, AGT_BAD_INPUT, "ring.agt:4:10", "too large", 0, 0);
}
agt_status recordNonsense(agt_run *run, const agt_tensor *) {
  return agt_graph_fail(run, AGT_FAILED, "ring.agt:4:10", "nonsense", 0, 0);
}

// A ring of four moves three times 400 bytes, as a gather does, a shift 400.
TEST_F(MeshTest, TakesTheWayThatMovesLess) {
  RingGraph ring(4, recordRing);
  agt_context context(parseDevice("cpu"));
  auto run = [&](agt_record_fn passKv, agt_record_fn passQ, Policy forced) {
    context.settings.policy = forced;
    Ints x(numbers(100));
    agt_tensor out{};
    std::string text = textOf(agt_mesh_run_either(
        &context, &ring.graph, passKv, passQ, &x.tensor, 1, &out, 1));
    if (!text.empty())
      return text;
    take(out);
    text = policyName(context.report.policy);
    for (auto [policy, bytes] : context.report.policyBytes)
      text +=
          std::string(", ") + policyName(policy) + " " + std::to_string(bytes);
    return text;
  };
  EXPECT_EQ(run(recordRing, recordShift, Policy::None),
            "pass-q, pass-kv 1200, pass-q 400");
  EXPECT_EQ(run(recordShift, recordRing, Policy::None),
            "pass-kv, pass-kv 400, pass-q 1200");
  EXPECT_EQ(run(recordRing, recordGather, Policy::None),
            "pass-kv, pass-kv 1200, pass-q 1200");
  EXPECT_EQ(run(recordRing, recordShift, Policy::PassKV), "pass-kv");
  EXPECT_EQ(run(recordShift, recordRing, Policy::PassQ), "pass-q");
  EXPECT_EQ(run(recordRing, recordRing, Policy::None), "pass-kv");
  EXPECT_EQ(run(recordRing, recordRing, Policy::PassQ), "pass-q");

  EXPECT_EQ(run(recordRing, recordTooLarge, Policy::None),
            "pass-kv, pass-kv 1200");
  EXPECT_EQ(run(recordTooLarge, recordRing, Policy::None),
            "pass-q, pass-q 1200");
  EXPECT_EQ(run(recordTooLarge, recordRing, Policy::PassKV),
            "2 ring.agt:4:10: too large");
  EXPECT_EQ(run(recordTooLarge, recordTooLarge, Policy::None),
            "2 ring.agt:4:10: too large");
  EXPECT_EQ(run(recordRing, recordNonsense, Policy::None),
            "1 ring.agt:4:10: nonsense");
  EXPECT_EQ(context.plans.size(), 0u);
}

TEST_F(MeshTest, CostsTransfersByRatesThatAreKnown) {
  EXPECT_EQ(transferCost({600, 200}, {100, 50}), 10);
  EXPECT_EQ(transferCost({600, 0}, {100, 0}), 6);
  EXPECT_EQ(transferCost({600, 200}, {100, 0}), 800);
  EXPECT_EQ(transferCost({}, {}), 0);
}

TEST_F(MeshTest, RunsOnVulkanSeenOrUnseen) {
  for (const char *staging : {"0", "1"}) {
    setenv("AGT_STAGING", staging, 1);
    for (agt_record_fn record : {recordShift, recordGather}) {
      RingGraph ring(3, record);
      agt_context context(parseDevice("vulkan"));
      context.settings.launchTimes = true;
      context.settings.repeat = 2;
      std::vector<int32_t> y, expected = numbers(300);
      ASSERT_EQ(runRing(context, ring, 300, y), "");
      if (record == recordShift)
        std::rotate(expected.begin(), expected.begin() + 200, expected.end());
      for (int32_t &value : expected)
        ++value;
      EXPECT_EQ(y, expected);
    }
    unsetenv("AGT_STAGING");
  }
}

TEST_F(MeshTest, MixesDevices) {
  RingGraph ring(3, recordShift);
  agt_context context(std::vector<DeviceChoice>{
      parseDevice("cpu"), parseDevice("vulkan"), parseDevice("cpu")});
  std::vector<int32_t> y, expected = numbers(300);
  ASSERT_EQ(runRing(context, ring, 300, y), "");
  std::rotate(expected.begin(), expected.begin() + 200, expected.end());
  for (int32_t &value : expected)
    ++value;
  EXPECT_EQ(y, expected);
}

// A device that works like another until its `left` submissions are used up.
class Failing : public Device {
public:
  Failing(std::unique_ptr<Device> inner, int left)
      : inner(std::move(inner)), left(left) {}
  const DeviceProperties &properties() const override {
    return inner->properties();
  }
  MemoryBudget memoryBudget() override { return inner->memoryBudget(); }
  std::unique_ptr<Buffer> allocate(uint64_t bytes, MemoryKind kind) override {
    return inner->allocate(bytes, kind);
  }
  std::unique_ptr<Kernel> load(const agt_kernel &kernel, uint32_t variant,
                               uint32_t pushConstants) override {
    return inner->load(kernel, variant, pushConstants);
  }
  std::unique_ptr<CommandList> record(const std::vector<Command> &commands,
                                      bool withTimes) override {
    return inner->record(commands, withTimes);
  }
  TimelinePoint submit(CommandList &list) override {
    if (left-- == 0)
      fail(AGT_FAILED, "the device is lost");
    return inner->submit(list);
  }
  void wait(TimelinePoint point) override { inner->wait(point); }

private:
  std::unique_ptr<Device> inner;
  int left;
};

TEST_F(MeshTest, AFailureAtOnePositionEndsAll) {
  launchDelay = 1000;
  for (int left : {0, 1, 2, 3, 7}) {
    std::vector<std::unique_ptr<Device>> devices;
    for (int i = 0; i < 4; ++i)
      devices.push_back(
          std::make_unique<Failing>(makeCpuDevice(), i == 2 ? left : 1000));
    RingGraph ring(4, recordRing);
    agt_context context(std::move(devices));
    context.settings.repeat = 2;
    std::vector<int32_t> y;
    EXPECT_EQ(runRing(context, ring, 1001, y),
              "1 position 2: the device is lost");
  }
}

// The same where messages go through copies of the host's.
TEST_F(MeshTest, AFailureEndsStagedTransfers) {
  setenv("AGT_STAGING", "1", 1);
  for (int left : {2, 5, 8}) {
    std::vector<std::unique_ptr<Device>> devices;
    for (int i = 0; i < 4; ++i)
      devices.push_back(std::make_unique<Failing>(
          openDevice(parseDevice("vulkan")), i == 2 ? left : 1000));
    RingGraph ring(4, recordShift);
    agt_context context(std::move(devices));
    context.settings.repeat = 5;
    std::vector<int32_t> y;
    EXPECT_EQ(runRing(context, ring, 400000, y),
              "1 position 2: the device is lost");
  }
  unsetenv("AGT_STAGING");
}

TEST_F(MeshTest, SaysHowMuchMemoryIsMissing) {
  setenv("AGT_MEMORY", "100000", 1);
  RingGraph ring(4, recordRing);
  agt_context context(parseDevice("cpu"));
  std::vector<int32_t> y;
  std::string text = runRing(context, ring, 10000, y);
  unsetenv("AGT_MEMORY");
  std::string device = context.device().properties().name;
  EXPECT_EQ(text, "2 ring.agt:3:7: not enough memory: graph 'ring' needs "
                  "204864 bytes (200.1 KiB) for 4 positions, the device '" +
                      device +
                      "' has 100000 bytes (97.7 KiB) free of 100000 bytes "
                      "(97.7 KiB)");
}

TEST_F(MeshTest, RefusesMeshesOfNothing) {
  RingGraph none(0, recordRing);
  agt_context context(parseDevice("cpu"));
  std::vector<int32_t> y;
  EXPECT_EQ(runRing(context, none, 4, y),
            "2 ring.agt:1:6: axis 'cp' of mesh 'four' has 0 positions");
  RingGraph many(5000, recordRing);
  EXPECT_EQ(runRing(context, many, 4, y),
            "2 ring.agt:1:6: mesh 'four' has more than 4096 positions, which "
            "is what one program can hold");
}

// ---- plans that the compiler should not have made -------------------------

#define AGT_TRY(CALL)                                                          \
  if (agt_status status = (CALL))                                              \
  return status

// Two positions; `send` and `receive` are the bytes of each side.
template <int64_t Send, int64_t Receive, bool Awaits>
agt_status recordPair(agt_run *run, const agt_tensor *in) {
  int64_t self, ticket;
  agt_buffer *a, *b;
  AGT_TRY(agt_graph_position(run, &self));
  AGT_TRY(agt_graph_alloc(run, 64, &a));
  AGT_TRY(agt_graph_alloc(run, 64, &b));
  AGT_TRY(agt_graph_exchange(run, a, 1 - self, self ? 0 : Send, b, 1 - self,
                             self ? Receive : 0, AGT_MOVE_KV, "cp", "shift", "",
                             &ticket));
  if (Awaits)
    AGT_TRY(agt_graph_await(run, ticket));
  return agt_graph_output_part(run, 0, a, in[0].shape, nullptr, 0);
}

agt_status recordCrossed(agt_run *run, const agt_tensor *in) {
  int64_t self, ticket;
  agt_buffer *a, *b;
  AGT_TRY(agt_graph_position(run, &self));
  AGT_TRY(agt_graph_alloc(run, 64, &a));
  AGT_TRY(agt_graph_alloc(run, 64, &b));
  // Each awaits the other's message before it sends its own.
  AGT_TRY(agt_graph_exchange(run, nullptr, 0, 0, b, 1 - self, 64, AGT_MOVE_KV,
                             "cp", "shift", "", &ticket));
  AGT_TRY(agt_graph_await(run, ticket));
  AGT_TRY(agt_graph_exchange(run, a, 1 - self, 64, nullptr, 0, 0, AGT_MOVE_KV,
                             "cp", "shift", "", &ticket));
  AGT_TRY(agt_graph_await(run, ticket));
  return agt_graph_output_part(run, 0, a, in[0].shape, nullptr, 0);
}

TEST_F(MeshTest, RefusesPlansThatDoNotFit) {
  auto textFor = [](agt_record_fn record) {
    RingGraph ring(2, record);
    agt_context context(parseDevice("cpu"));
    std::vector<int32_t> y;
    return runRing(context, ring, 4, y);
  };
  std::string begin = "1 ring.agt:3:7: bad plan for graph 'ring': ";
  EXPECT_EQ(textFor(recordPair<64, 64, true>), "");
  EXPECT_EQ(textFor(recordPair<64, 32, true>),
            begin + "position 0 sends 64 bytes to position 1, which receives "
                    "32");
  EXPECT_EQ(textFor(recordPair<64, 0, true>),
            begin + "position 0 would wait for ever in 'shift'");
  EXPECT_EQ(textFor(recordPair<64, 64, false>),
            begin + "'shift' is never awaited");
  EXPECT_EQ(textFor(recordPair<65, 65, true>),
            begin + "'shift' moves 65 bytes of a buffer of 64");
  EXPECT_EQ(textFor(recordCrossed),
            begin + "position 0 would wait for ever in 'shift'");
}

} // namespace
