// See MeshProgram.h.
#include "unittests/Runtime/MeshProgram.h"

#include "runtime/Mesh/Split.h"
#include "unittests/Runtime/TestProgram.h"

#include <mutex>
#include <random>
#include <thread>

namespace agt::rt::test {

int32_t balance = AGT_CONTIGUOUS;
unsigned launchDelay = 0;
// Compiled code knows it.
static int64_t ringPositions = 1;

#define AGT_TRY(CALL)                                                          \
  if (agt_status status = (CALL))                                              \
  return status

static const agt_param ringParams[] = {{"x", AGT_I32, 1}};
static const agt_param ringResults[] = {{"y", AGT_I32, 1}};

RingGraph::RingGraph(int64_t positions, agt_record_fn record)
    : graph{"ring", "ring.agt:3:7", ringParams, ringResults, 1,
            1,      nullptr,        &mesh},
      axis{"cp", positions, 0}, mesh{"four", "ring.agt:1:6", &axis, 1},
      record(record) {
  ringPositions = positions;
}

agt_status RingGraph::run(agt_context *context, const agt_tensor &in,
                          agt_tensor &out) {
  return agt_mesh_run(context, &graph, record, &in, 1, &out, 1);
}

static void waitALittle() {
  static std::mutex lock;
  static std::mt19937 random(1);
  unsigned microseconds = 0;
  {
    std::lock_guard<std::mutex> hold(lock);
    if (launchDelay)
      microseconds = random() % launchDelay;
  }
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

// to[i] = from[i] * 31 + sum of the shard, for all of `scalars[1]` tokens.
static void meetNative(const int32_t *scalars, void *const *buffers, int64_t,
                       void *) {
  auto *from = static_cast<const uint32_t *>(buffers[0]);
  auto *shard = static_cast<const uint32_t *>(buffers[1]);
  auto *to = static_cast<uint32_t *>(buffers[2]);
  waitALittle();
  uint32_t sum = 0;
  for (int32_t i = 0; i < scalars[2]; ++i)
    sum += shard[i];
  for (int32_t i = 0; i < scalars[1]; ++i)
    to[i] = from[i] * 31 + sum;
}
static const agt_cpu_variant meetVariant = {
    meetNative, AGT_ISA_NONE, 64, 0, {int64_t(1) << 40, 1, 1, 1}};
static const agt_kernel meetKernel = {"meet", nullptr, 0, 1, &meetVariant};

std::vector<int32_t> expectedRing(const std::vector<int32_t> &x,
                                  int64_t positions, int32_t balance) {
  agt_split split{0, int32_t(positions), 1, balance};
  std::vector<std::vector<size_t>> tokens;
  std::vector<uint32_t> sums;
  for (int64_t p = 0; p < positions; ++p) {
    tokens.emplace_back();
    sums.push_back(0);
    for (const TokenRun &run : tokensOf(split, p, int64_t(x.size())))
      for (int64_t i = 0; i < run.count; ++i) {
        tokens.back().push_back(size_t(run.begin + i * run.step));
        sums.back() += uint32_t(x[tokens.back().back()]);
      }
  }
  std::vector<int32_t> y(x.size());
  for (int64_t p = 0; p < positions; ++p)
    for (size_t token : tokens[size_t(p)]) {
      uint32_t value = uint32_t(x[token]);
      for (int64_t step = 0; step < positions; ++step)
        value = value * 31 + sums[size_t((p + positions - step) % positions)];
      y[token] = int32_t(value);
    }
  return y;
}

agt_status recordRing(agt_run *run, const agt_tensor *in) {
  int64_t self, tokens = in[0].shape[0];
  AGT_TRY(agt_graph_position(run, &self));
  int64_t count = ringPositions;
  agt_split split{0, int32_t(count), 1, balance};
  auto tokensAt = [&](int64_t p) {
    return countOf(tokensOf(split, (p + count) % count, tokens));
  };
  int64_t own = tokensAt(self);
  agt_buffer *shard, *from;
  AGT_TRY(agt_graph_input_part(run, 0, &split, 1, &shard));
  from = shard;
  for (int64_t step = 0; step < count; ++step) {
    int64_t owner = (self - step + count) % count;
    int64_t held = tokensAt(owner), next = tokensAt(owner - 1);
    agt_buffer *arriving = nullptr, *to;
    int64_t ticket = -1;
    if (step + 1 < count) {
      AGT_TRY(agt_graph_alloc(run, 4 * next, &arriving));
      AGT_TRY(agt_graph_exchange(run, shard, (self + 1) % count, 4 * held,
                                 arriving, (self + count - 1) % count, 4 * next,
                                 AGT_MOVE_KV, "cp", "shift", "ring.agt:4:10",
                                 &ticket));
    }
    AGT_TRY(agt_graph_alloc(run, 4 * own, &to));
    agt_buffer *buffers[] = {from, shard, to};
    int64_t scalars[] = {own, held}, work[4] = {own, 1, 1, 1};
    AGT_TRY(agt_graph_hop(run, step, owner, held > 0, "meet"));
    AGT_TRY(agt_graph_launch(run, &meetKernel, buffers, 3, scalars, 2, work,
                             double(own) * 1e6, "meet", "ring.agt:4:10"));
    if (from != shard)
      AGT_TRY(agt_graph_free(run, from));
    if (ticket >= 0)
      AGT_TRY(agt_graph_await(run, ticket));
    from = to;
    shard = arriving;
  }
  return agt_graph_output_part(run, 0, from, in[0].shape, &split, 1);
}

agt_status recordShift(agt_run *run, const agt_tensor *in) {
  int64_t self, ticket, tokens = in[0].shape[0], count = ringPositions;
  AGT_TRY(agt_graph_position(run, &self));
  agt_split split{0, int32_t(count), 1, AGT_CONTIGUOUS};
  int64_t each = tokens / count; // the tests take multiples
  agt_buffer *part, *arriving, *sum;
  AGT_TRY(agt_graph_input_part(run, 0, &split, 1, &part));
  AGT_TRY(agt_graph_alloc(run, 4 * each, &arriving));
  AGT_TRY(agt_graph_exchange(run, part, (self + 1) % count, 4 * each, arriving,
                             (self + count - 1) % count, 4 * each,
                             AGT_MOVE_VALUE, "cp", "shift", "", &ticket));
  AGT_TRY(agt_graph_await(run, ticket));
  AGT_TRY(agt_graph_alloc(run, 4 * each, &sum));
  AGT_TRY(addLaunch(run, arriving, sum, each, 1, "add"));
  return agt_graph_output_part(run, 0, sum, in[0].shape, &split, 1);
}

agt_status recordGather(agt_run *run, const agt_tensor *in) {
  agt_split split{0, int32_t(ringPositions), 1, balance};
  agt_buffer *part, *whole, *copy;
  AGT_TRY(agt_graph_input_part(run, 0, &split, 1, &part));
  AGT_TRY(agt_graph_gather(run, part, in[0].shape, 1, 4, &split, 1, "cp",
                           "gather", "ring.agt:4:10", &whole));
  int64_t tokens = in[0].shape[0];
  AGT_TRY(agt_graph_alloc(run, 4 * tokens, &copy));
  AGT_TRY(addLaunch(run, whole, copy, tokens, 1, "add"));
  return agt_graph_output_part(run, 0, copy, in[0].shape, nullptr, 0);
}

} // namespace agt::rt::test
