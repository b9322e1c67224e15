// The agt_graph_* functions of graphs on a mesh: they check and record the
// plan of one position. That the plans of all positions fit together is
// checked when all are there (Check.h).
#include "runtime/Plan/Record.h"

#include "runtime/Mesh/Mesh.h"
#include "runtime/Mesh/Split.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Dtype.h"
#include "runtime/Tensor/Tensor.h"

#include <cstring>

using namespace agt::rt;

template <typename Body>
static agt_status guardMesh(agt_run *run, Body &&body) {
  return guardPlan(run, [&] {
    if (!run->isOnMesh())
      failPlan(*run, "it is not recorded for a mesh");
    body();
  });
}

// The splits of a tensor of so many dims, each cutting a dim of its own.
static std::vector<agt_split> checkedSplits(const agt_run &run,
                                            const agt_split *splits,
                                            uint64_t count, int64_t rank) {
  std::vector<agt_split> result(splits, splits + count);
  for (size_t i = 0; i < result.size(); ++i) {
    const agt_split &split = result[i];
    if (split.dim < 0 || split.dim >= rank)
      failPlan(run, "a split of dim " + std::to_string(split.dim) +
                        " of a tensor of " + std::to_string(rank));
    if (split.parts < 1 || split.step < 1 || split.balance < AGT_CONTIGUOUS ||
        split.balance > AGT_ZIGZAG_LEAVES)
      failPlan(run, "a split in " + std::to_string(split.parts) +
                        " parts by steps of " + std::to_string(split.step) +
                        ", balance " + std::to_string(split.balance));
    for (size_t j = 0; j < i; ++j)
      if (result[j].dim == split.dim)
        failPlan(run, "dim " + std::to_string(split.dim) + " is split twice");
  }
  return result;
}

static uint32_t axisNamed(const agt_run &run, const char *name) {
  const agt_mesh &mesh = *run.graph.mesh;
  for (uint32_t i = 0; i < mesh.n_axes; ++i)
    if (name && std::strcmp(mesh.axes[i].name, name) == 0)
      return i;
  failPlan(run, std::string("mesh '") + mesh.name + "' has no axis '" +
                    (name ? name : "") + "'");
}

agt_status agt_graph_position(agt_run *run, int64_t *position) {
  return guardMesh(run, [&] { *position = run->position; });
}

agt_status agt_graph_input_part(agt_run *run, uint64_t index,
                                const agt_split *splits, uint64_t n_splits,
                                agt_buffer **buffer) {
  return guardMesh(run, [&] {
    if (index >= run->inputs.size())
      failPlan(*run, "no input " + std::to_string(index));
    const agt_tensor &tensor = run->inputs[index];
    std::vector<agt_split> checked =
        checkedSplits(*run, splits, n_splits, tensor.rank);
    for (agt_buffer &known : run->buffers)
      if (known.input == &tensor && sameSplits(known.splits, checked)) {
        *buffer = &known;
        return;
      }
    TensorPart part(tensor.shape, tensor.rank, checked,
                    partsOf(checked, run->position));
    *buffer =
        &run->newBuffer(uint64_t(part.elements()) * dtypeBytes(tensor.dtype));
    (*buffer)->input = &tensor;
    (*buffer)->splits = std::move(checked);
  });
}

agt_status agt_graph_output_part(agt_run *run, uint64_t index,
                                 agt_buffer *buffer, const int64_t *shape,
                                 const agt_split *splits, uint64_t n_splits) {
  return guardMesh(run, [&] {
    if (index >= run->outputs.size())
      failPlan(*run, "no result " + std::to_string(index));
    const agt_param &param = run->graph.results[index];
    std::vector<agt_split> checked =
        checkedSplits(*run, splits, n_splits, param.rank);
    if (!tensorBytes(param.dtype, shape, param.rank))
      failPlan(*run, "result " + std::to_string(index) + " of shape " +
                         shapeText(shape, size_t(param.rank)));
    TensorPart part(shape, param.rank, checked,
                    partsOf(checked, run->position));
    if (uint64_t(part.elements()) * dtypeBytes(param.dtype) > buffer->bytes)
      failPlan(*run, "part of result " + std::to_string(index) + " of shape " +
                         shapeText(part.shape().data(), part.shape().size()) +
                         " does not fit its buffer of " +
                         std::to_string(buffer->bytes) + " bytes");
    if (buffer->freed)
      failPlan(*run, "result " + std::to_string(index) + " was freed");
    buffer->isOutput = true;
    OutputRecord &output = run->outputs[index];
    output.buffer = buffer;
    output.shape.assign(shape, shape + param.rank);
    output.splits = std::move(checked);
  });
}

agt_status agt_graph_token_positions(agt_run *run, int64_t tokens,
                                     const agt_split *split, int64_t part,
                                     agt_buffer **buffer) {
  return guardMesh(run, [&] {
    agt_split along = *split;
    along.dim = 0;
    along.step = 1;
    checkedSplits(*run, &along, 1, 1);
    if (tokens < 0 || tokens > INT32_MAX || part < 0 || part >= along.parts)
      failPlan(*run, "positions of part " + std::to_string(part) + " of " +
                         std::to_string(along.parts) + " of " +
                         std::to_string(tokens) + " tokens");
    std::vector<int32_t> positions;
    for (const TokenRun &tokenRun : tokensOf(along, part, tokens))
      for (int64_t i = 0; i < tokenRun.count; ++i)
        positions.push_back(int32_t(tokenRun.begin + i * tokenRun.step));
    uint64_t bytes = positions.size() * sizeof(int32_t);
    *buffer = &run->newBuffer(bytes);
    auto *begin = reinterpret_cast<const unsigned char *>(positions.data());
    (*buffer)->data.assign(begin, begin + bytes);
  });
}

// One side of an exchange: the buffer, or NULL where nothing goes that way.
static agt_buffer *checkedSide(agt_run &run, agt_buffer *buffer, int64_t peer,
                               int64_t bytes, const std::string &name) {
  if (bytes < 0)
    failPlan(run, "'" + name + "' moves " + std::to_string(bytes) + " bytes");
  if (bytes == 0)
    return nullptr;
  if (peer < 0 || peer >= positionsOf(*run.graph.mesh))
    failPlan(run, "'" + name + "' is with position " + std::to_string(peer) +
                      " of " + std::to_string(positionsOf(*run.graph.mesh)));
  if (!buffer || buffer->bytes < uint64_t(bytes))
    failPlan(run, "'" + name + "' moves " + std::to_string(bytes) +
                      " bytes of a buffer of " +
                      std::to_string(buffer ? buffer->bytes : 0));
  run.use(*buffer);
  return buffer;
}

agt_status agt_graph_exchange(agt_run *run, agt_buffer *send, int64_t to,
                              int64_t send_bytes, agt_buffer *receive,
                              int64_t from, int64_t receive_bytes, int32_t move,
                              const char *axis, const char *name,
                              const char *place, int64_t *ticket) {
  return guardMesh(run, [&] {
    ExchangeRecord exchange;
    exchange.name = name ? name : "exchange";
    exchange.place = place ? place : "";
    if (move < AGT_MOVE_KV || move > AGT_MOVE_VALUE)
      failPlan(*run, "'" + exchange.name + "' carries " + std::to_string(move));
    exchange.move = move;
    exchange.axis = axisNamed(*run, axis);
    exchange.send = checkedSide(*run, send, to, send_bytes, exchange.name);
    exchange.to = to;
    exchange.sendBytes = uint64_t(send_bytes);
    exchange.receive =
        checkedSide(*run, receive, from, receive_bytes, exchange.name);
    exchange.from = from;
    exchange.receiveBytes = uint64_t(receive_bytes);
    if (exchange.send && exchange.send == exchange.receive)
      failPlan(*run, "'" + exchange.name + "' sends what it receives");
    *ticket = int64_t(run->exchanges.size());
    run->addStep(PlanStep::Exchange, run->exchanges.size());
    run->exchanges.push_back(std::move(exchange));
  });
}

agt_status agt_graph_await(agt_run *run, int64_t ticket) {
  return guardMesh(run, [&] {
    if (ticket < 0 || uint64_t(ticket) >= run->exchanges.size())
      failPlan(*run, "no exchange " + std::to_string(ticket));
    ExchangeRecord &exchange = run->exchanges[size_t(ticket)];
    if (exchange.awaited)
      failPlan(*run, "'" + exchange.name + "' is awaited twice");
    exchange.awaited = true;
    // Until here the buffers are in use, freed or not.
    for (agt_buffer *buffer : {exchange.send, exchange.receive})
      if (buffer)
        buffer->lastUse = uint32_t(run->steps.size());
    run->addStep(PlanStep::Await, size_t(ticket));
  });
}

agt_status agt_graph_gather(agt_run *run, agt_buffer *part,
                            const int64_t *shape, int64_t rank,
                            int64_t element_bytes, const agt_split *splits,
                            uint64_t n_splits, const char *axis,
                            const char *name, const char *place,
                            agt_buffer **whole) {
  return guardMesh(run, [&] {
    GatherRecord gather;
    gather.name = name ? name : "gather";
    gather.place = place ? place : "";
    gather.axis = axisNamed(*run, axis);
    std::vector<agt_split> cutting;
    for (const agt_split &split :
         std::vector<agt_split>(splits, splits + n_splits))
      (split.dim < 0 ? gather.kept : cutting).push_back(split);
    gather.splits = checkedSplits(*run, cutting.data(), cutting.size(), rank);
    if (element_bytes < 1)
      failPlan(*run, "'" + gather.name + "' gathers elements of " +
                         std::to_string(element_bytes) + " bytes");
    gather.elementBytes = uint64_t(element_bytes);
    gather.shape.assign(shape, shape + rank);
    int64_t bytes = element_bytes;
    for (int64_t size : gather.shape)
      if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes))
        failPlan(*run, "'" + gather.name + "' gathers a tensor of shape " +
                           shapeText(shape, size_t(rank)));
    TensorPart own(shape, int(rank), gather.splits,
                   partsOf(gather.splits, run->position));
    if (uint64_t(own.elements()) * gather.elementBytes > part->bytes)
      failPlan(*run, "'" + gather.name + "' gathers a part of " +
                         std::to_string(own.elements()) +
                         " elements from a buffer of " +
                         std::to_string(part->bytes) + " bytes");
    gather.part = part;
    gather.whole = &run->newBuffer(uint64_t(bytes));
    run->use(*part);
    run->use(*gather.whole);
    *whole = gather.whole;
    run->addStep(PlanStep::Gather, run->gathers.size());
    run->gathers.push_back(std::move(gather));
  });
}

agt_status agt_graph_hop(agt_run *run, int64_t step, int64_t owner,
                         int64_t attended, const char *name) {
  return guardMesh(run, [&] {
    run->addStep(PlanStep::Hop, run->hops.size());
    run->hops.push_back({step, owner, attended != 0, name ? name : "hop"});
  });
}
