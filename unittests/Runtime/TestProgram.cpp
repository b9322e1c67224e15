// See TestProgram.h. The graph functions are written as compiled ones are:
// check dims, record, return the first status that is not NULL.
#include "unittests/Runtime/TestProgram.h"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace agt::rt::test {

// Every test runs under the validation layer.
static const int validates = setenv("AGT_VALIDATE", "1", 1);

static const uint32_t addCode[] = {
#include "add.spv.inc"
};

const agt_kernel_variant addVariant = {addCode, sizeof addCode, 0, 0,
                                       0,       {64, 1, 1, 1},  0};

static void addNative(const int32_t *scalars, void *const *buffers,
                      int64_t group, void *) {
  auto *from = static_cast<const int32_t *>(buffers[0]);
  auto *to = static_cast<int32_t *>(buffers[1]);
  for (int64_t i = group * 64; i < group * 64 + 64 && i < scalars[1]; ++i)
    to[i] = int32_t(uint32_t(from[i]) + uint32_t(scalars[2]));
}

const agt_cpu_variant addCpuVariant = {
    addNative, AGT_ISA_NONE, 0, 0, {64, 1, 1, 1}};
const agt_kernel addKernel = {"add", &addVariant, 1, 1, &addCpuVariant};

#define AGT_TRY(CALL)                                                          \
  if (agt_status status = (CALL))                                              \
  return status

agt_status addLaunch(agt_run *run, agt_buffer *from, agt_buffer *to, int64_t n,
                     int64_t value, const char *name) {
  agt_buffer *buffers[] = {from, to};
  int64_t scalars[] = {n, value};
  int64_t work[4] = {n, 1, 1, 1};
  return agt_graph_launch(run, &addKernel, buffers, 2, scalars, 2, work,
                          double(n), name, "add.agt:3:10");
}

static agt_status begin(agt_context *context, const char *name,
                        const agt_tensor *in, size_t nIn, size_t nOut,
                        agt_run **run) {
  return agt_graph_begin(context, &graph(name), in, nIn, nOut, run);
}

static agt_status runAddOne(agt_context *context, const agt_tensor *in,
                            size_t nIn, agt_tensor *out, size_t nOut) {
  agt_run *run;
  AGT_TRY(begin(context, "add_one", in, nIn, nOut, &run));
  int64_t n = in[0].shape[0];
  if (n == 13)
    return agt_graph_fail(run, AGT_BAD_INPUT, "add.agt:2:5",
                          "expected a length other than {0}, got {1}", 13, n);
  agt_buffer *x, *y;
  AGT_TRY(agt_graph_input(run, 0, &x));
  AGT_TRY(agt_graph_alloc(run, 4 * n, &y));
  AGT_TRY(addLaunch(run, x, y, n, 1, "add"));
  AGT_TRY(agt_graph_output(run, 0, y, &n));
  return agt_graph_end(run, out);
}

// Ten launches one after the other, each into a buffer of its own, each freed
// after its last use: two of them are enough.
static agt_status runChain(agt_context *context, const agt_tensor *in,
                           size_t nIn, agt_tensor *out, size_t nOut) {
  agt_run *run;
  AGT_TRY(begin(context, "chain", in, nIn, nOut, &run));
  int64_t n = in[0].shape[0];
  agt_buffer *from, *to;
  AGT_TRY(agt_graph_input(run, 0, &from));
  for (int i = 0; i < 10; ++i) {
    AGT_TRY(agt_graph_alloc(run, 4 * n, &to));
    AGT_TRY(addLaunch(run, from, to, n, i, i % 2 ? "odd" : "even"));
    if (i)
      AGT_TRY(agt_graph_free(run, from));
    from = to;
  }
  AGT_TRY(agt_graph_output(run, 0, from, &n));
  return agt_graph_end(run, out);
}

static agt_status runTwo(agt_context *context, const agt_tensor *in, size_t nIn,
                         agt_tensor *out, size_t nOut) {
  agt_run *run;
  AGT_TRY(begin(context, "two", in, nIn, nOut, &run));
  int64_t n = in[1].shape[0];
  agt_buffer *a, *b, *sum;
  AGT_TRY(agt_graph_input(run, 0, &a));
  AGT_TRY(agt_graph_input(run, 1, &b));
  AGT_TRY(agt_graph_alloc(run, 4 * n, &sum));
  AGT_TRY(addLaunch(run, b, sum, n, 5, "add"));
  AGT_TRY(agt_graph_output(run, 0, a, in[0].shape));
  AGT_TRY(agt_graph_output(run, 1, sum, &n));
  return agt_graph_end(run, out);
}

static const agt_param oneParam[] = {{"x", AGT_I32, 1}};
static const agt_param oneResult[] = {{"y", AGT_I32, 1}};
static const agt_param twoParams[] = {{"image", AGT_F32, 2},
                                      {"count", AGT_I32, 1}};
static const agt_param twoResults[] = {{"copy", AGT_F32, 2},
                                       {"sum", AGT_I32, 1}};
static const agt_graph graphs[] = {
    {"add_one", "add.agt:1:7", oneParam, oneResult, 1, 1, runAddOne, nullptr},
    {"chain", "add.agt:5:7", oneParam, oneResult, 1, 1, runChain, nullptr},
    {"two", "add.agt:9:7", twoParams, twoResults, 2, 2, runTwo, nullptr},
};

static const char manifest[] = R"({
  "program": "add", "hash": "0123456789abcdef",
  "graphs": [
    {"name": "add_one", "doc": "Adds one.\nTo each.",
     "params": [{"name": "x", "type": "tensor<i32, [N]>"}],
     "results": [{"name": "y", "type": "tensor<i32, [N]>"}]},
    {"name": "chain",
     "params": [{"name": "x", "type": "tensor<i32, [N]>"}],
     "results": [{"name": "y", "type": "tensor<i32, [N]>"}]},
    {"name": "two",
     "params": [{"name": "image", "type": "tensor<f32, [H, W]>"},
                {"name": "count", "type": "tensor<i32, [N]>"}],
     "results": [{"name": "copy", "type": "tensor<f32, [H, W]>"},
                 {"name": "sum", "type": "tensor<i32, [N]>"}]}
  ]})";

const agt_program program = {AGT_ABI_VERSION, manifest, graphs, 3, nullptr, 0};

const agt_graph &graph(const std::string &name) {
  (void)validates;
  for (const agt_graph &graph : graphs)
    if (graph.name == name)
      return graph;
  throw std::runtime_error("no graph " + name);
}

Ints::Ints(std::vector<int32_t> list)
    : values(std::move(list)), shape{int64_t(values.size())} {
  tensor = {values.data(), AGT_I32, 1, shape, nullptr};
}

std::vector<int32_t> take(agt_tensor &tensor) {
  std::vector<int32_t> values(size_t(tensor.shape[0]));
  if (!values.empty())
    std::memcpy(values.data(), tensor.data, values.size() * sizeof(int32_t));
  agt_tensor_release(&tensor);
  return values;
}

std::string textOf(agt_status status) {
  if (!status)
    return "";
  std::string place = agt_status_place(status);
  std::string text = std::to_string(agt_status_code(status)) + " " +
                     (place.empty() ? "" : place + ": ") +
                     agt_status_message(status);
  agt_status_release(status);
  return text;
}

} // namespace agt::rt::test
