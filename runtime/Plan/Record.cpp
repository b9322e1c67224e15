// The agt_graph_* functions: they check and record, and touch no device.
//
// What a user can get wrong (inputs) is said in the user's terms. What only
// the compiler can get wrong (a buffer used after it was freed, a result of
// the wrong size) is checked too, since a wrong plan would be a wrong answer.
#include "runtime/Plan/Record.h"
#include "runtime/Plan/Context.h"
#include "runtime/Plan/Execute.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Dtype.h"
#include "runtime/Tensor/Tensor.h"

#include <limits>

using namespace agt::rt;

// Addresses in the push constants: 128 bytes are promised by every device, the
// first 8 are the scalars'.
static constexpr uint64_t maxBuffers = 15;

void agt::rt::failPlan(const agt_run &run, const std::string &text) {
  fail(AGT_FAILED,
       std::string("bad plan for graph '") + run.graph.name + "': " + text,
       run.graph.place);
}

agt_buffer &agt_run::newBuffer(uint64_t bytes) {
  agt_buffer &buffer = buffers.emplace_back();
  buffer.number = uint32_t(buffers.size() - 1);
  buffer.bytes = bytes;
  return buffer;
}

void agt_run::use(agt_buffer &buffer) {
  if (buffer.freed)
    failPlan(*this, "a buffer is used after it was freed");
  uint32_t step = uint32_t(steps.size());
  if (buffer.firstUse == ~0u)
    buffer.firstUse = step;
  buffer.lastUse = step;
}

static void checkInput(const agt_graph &graph, const agt_param &param,
                       const agt_tensor &tensor, bool dataHere) {
  std::string name = std::string("'") + param.name + "'";
  auto refuse = [&](const std::string &text) {
    fail(AGT_BAD_INPUT, text, graph.place);
  };
  if (tensor.dtype != param.dtype)
    refuse(std::string("expected ") + dtypeName(param.dtype) + " for " + name +
           ", got " + dtypeName(tensor.dtype));
  if (tensor.rank != param.rank)
    refuse("expected " + std::to_string(param.rank) +
           (param.rank == 1 ? " dim for " : " dims for ") + name + ", got " +
           std::to_string(tensor.rank));
  if (tensor.rank && !tensor.shape)
    refuse("the shape of " + name + " is NULL");
  std::optional<uint64_t> bytes =
      tensorBytes(tensor.dtype, tensor.shape, tensor.rank);
  if (!bytes)
    refuse("the shape " + shapeText(tensor.shape, size_t(tensor.rank)) +
           " of " + name + " is not one of a tensor in memory");
  if (*bytes && !tensor.data && dataHere)
    refuse("the data of " + name + " is NULL");
}

void agt::rt::checkArguments(const agt_graph &graph, const agt_tensor *in,
                             size_t n_in, size_t n_out, bool dataHere) {
  auto checkCount = [&](const char *what, size_t expected, size_t got) {
    if (expected != got)
      fail(AGT_BAD_INPUT,
           "expected " + std::to_string(expected) + " " + what +
               (expected == 1 ? "" : "s") + " for graph '" + graph.name +
               "', got " + std::to_string(got),
           graph.place);
  };
  checkCount("input", graph.n_params, n_in);
  checkCount("result", graph.n_results, n_out);
  if (!in && n_in)
    fail(AGT_BAD_INPUT,
         "the inputs of graph '" + std::string(graph.name) + "' are NULL",
         graph.place);
  for (size_t i = 0; i < n_in; ++i)
    checkInput(graph, graph.params[i], in[i], dataHere);
}

agt_run &agt::rt::newPlan(agt_context &context, const agt_graph &graph,
                          const agt_tensor *in) {
  auto plan = std::make_unique<agt_run>(context, graph);
  plan->inputs.assign(in, in + graph.n_params);
  plan->inputBuffers.resize(graph.n_params, nullptr);
  plan->outputs.resize(graph.n_results);
  context.plans.push_back(std::move(plan));
  return *context.plans.back();
}

agt_status agt_graph_begin(agt_context *context, const agt_graph *graph,
                           const agt_tensor *in, size_t n_in, size_t n_out,
                           agt_run **run) {
  *run = nullptr;
  return guard([&] {
    if (!context)
      fail(AGT_BAD_INPUT, "the context is NULL", graph->place);
    checkArguments(*graph, in, n_in, n_out, true);
    context->dropFailed();
    *run = &newPlan(*context, *graph, in);
  });
}

agt_status agt_graph_fail(agt_run *run, int32_t code, const char *place,
                          const char *message, int64_t a, int64_t b) {
  return guardPlan(run, [&] {
    fail(static_cast<agt_code>(code), substitute(message, a, b),
         place ? place : "");
  });
}

agt_status agt_graph_input(agt_run *run, uint64_t index, agt_buffer **buffer) {
  return guardPlan(run, [&] {
    if (index >= run->inputs.size())
      failPlan(*run, "no input " + std::to_string(index));
    agt_buffer *&known = run->inputBuffers[index];
    if (!known) {
      const agt_tensor &tensor = run->inputs[index];
      known = &run->newBuffer(
          *tensorBytes(tensor.dtype, tensor.shape, tensor.rank));
      known->input = &tensor;
    }
    *buffer = known;
  });
}

static uint64_t checkedBytes(const agt_run &run, int64_t bytes) {
  if (bytes < 0)
    failPlan(run, "a buffer of " + std::to_string(bytes) + " bytes");
  return uint64_t(bytes);
}

agt_status agt_graph_alloc(agt_run *run, int64_t bytes, agt_buffer **buffer) {
  return guardPlan(
      run, [&] { *buffer = &run->newBuffer(checkedBytes(*run, bytes)); });
}

agt_status agt_graph_constant(agt_run *run, const void *data, int64_t bytes,
                              agt_buffer **buffer) {
  return guardPlan(run, [&] {
    agt_buffer &made = run->newBuffer(checkedBytes(*run, bytes));
    auto *begin = static_cast<const unsigned char *>(data);
    made.data.assign(begin, begin + bytes);
    *buffer = &made;
  });
}

agt_status agt_graph_free(agt_run *run, agt_buffer *buffer) {
  return guardPlan(run, [&] {
    if (buffer->freed)
      failPlan(*run, "a buffer is freed twice");
    buffer->freed = true;
  });
}

static uint32_t checkedScalar(int64_t value, const std::string &name,
                              const std::string &place) {
  if (value < std::numeric_limits<int32_t>::min() ||
      value > std::numeric_limits<int32_t>::max())
    fail(AGT_BAD_INPUT,
         "the size " + std::to_string(value) + " in '" + name +
             "' does not fit the 32 bits that kernels count in",
         place);
  return uint32_t(value);
}

agt_status agt_graph_launch(agt_run *run, const agt_kernel *kernel,
                            agt_buffer *const *buffers, uint64_t n_buffers,
                            const int64_t *scalars, uint64_t n_scalars,
                            const int64_t work[4], double flops,
                            const char *name, const char *place) {
  return guardPlan(run, [&] {
    if (n_buffers > maxBuffers)
      failPlan(*run, std::string("kernel '") + kernel->name + "' takes " +
                         std::to_string(n_buffers) + " buffers, at most " +
                         std::to_string(maxBuffers) + " can be passed");
    LaunchRecord launch;
    launch.kernel = kernel;
    launch.name = name ? name : kernel->name;
    launch.place = place ? place : "";
    launch.flops = flops;
    bool empty = false;
    for (int i = 0; i < 4; ++i) {
      if (work[i] < 0)
        failPlan(*run, "negative work in '" + launch.name + "'");
      launch.work[i] = work[i];
      empty |= work[i] == 0;
    }
    // Nothing to do, and so nothing that needs its buffers or its kernel.
    run->lastIsEmpty = empty;
    if (empty)
      return;
    for (uint64_t i = 0; i < n_buffers; ++i) {
      run->use(*buffers[i]);
      launch.buffers.push_back(buffers[i]);
    }
    for (uint64_t i = 0; i < n_scalars; ++i)
      launch.scalars.push_back(
          checkedScalar(scalars[i], launch.name, launch.place));
    run->addStep(PlanStep::Launch, run->launches.size());
    run->launches.push_back(std::move(launch));
  });
}

agt_status agt_graph_kv_read(agt_run *run, double bytes) {
  return guardPlan(run, [&] {
    if (run->lastIsEmpty)
      return;
    if (run->launches.empty())
      failPlan(*run, "keys are read before anything is launched");
    run->launches.back().kvBytes = bytes;
  });
}

agt_status agt_graph_value(agt_run *run, agt_buffer *buffer) {
  return guardPlan(
      run, [&] { run->values.push_back({buffer, run->launches.size()}); });
}

agt_status agt_graph_output(agt_run *run, uint64_t index, agt_buffer *buffer,
                            const int64_t *shape) {
  return guardPlan(run, [&] {
    if (index >= run->outputs.size())
      failPlan(*run, "no result " + std::to_string(index));
    const agt_param &param = run->graph.results[index];
    std::optional<uint64_t> bytes = tensorBytes(param.dtype, shape, param.rank);
    if (!bytes || *bytes > buffer->bytes)
      failPlan(*run, "result " + std::to_string(index) + " of shape " +
                         shapeText(shape, size_t(param.rank)) +
                         " does not fit its buffer of " +
                         std::to_string(buffer->bytes) + " bytes");
    if (buffer->freed)
      failPlan(*run, "result " + std::to_string(index) + " was freed");
    buffer->isOutput = true;
    run->outputs[index].buffer = buffer;
    run->outputs[index].shape.assign(shape, shape + param.rank);
  });
}

void agt::rt::checkOutputs(const agt_run &run) {
  for (size_t i = 0; i < run.outputs.size(); ++i)
    if (!run.outputs[i].buffer)
      failPlan(run, "result " + std::to_string(i) + " is missing");
}

agt_status agt_graph_end(agt_run *run, agt_tensor *out) {
  agt_context &context = run->context;
  agt_status status = guard([&] {
    checkOutputs(*run);
    if (context.settings.keep)
      context.settings.keep(context.take(run));
    else if (!out && run->graph.n_results)
      fail(AGT_BAD_INPUT, "there is no room for the results: out is NULL",
           run->graph.place);
    else
      execute(*run, out);
  });
  context.drop(run);
  return status;
}

// ---- contexts ------------------------------------------------------------

agt_status agt_context_create(const char *device, agt_context **out) {
  if (!out)
    return guard([] {
      fail(AGT_BAD_INPUT, "there is no room for the context: out is NULL");
    });
  *out = nullptr;
  return guard([&] {
    auto context =
        std::make_unique<agt_context>(parseDevice(device ? device : "auto"));
    context->device();
    *out = context.release();
  });
}

void agt_context_destroy(agt_context *context) { delete context; }
