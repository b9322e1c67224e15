// See Placed.h.
#include "runtime/Plan/Placed.h"

#include "runtime/Mesh/Split.h"
#include "runtime/Plan/Context.h"
#include "runtime/Plan/Execute.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Tensor.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace agt::rt {

// Offsets of buffers in a chunk: as much as any device asks for, and whole
// cache lines.
static constexpr uint64_t bufferAlignment = 256;
// Offsets of a launch's scalars in their common buffer.
static constexpr uint64_t scalarAlignment = 16;

// Of its buffers, each once.
static uint64_t bytesOf(const LaunchRecord &record) {
  uint64_t bytes = 0;
  const std::vector<agt_buffer *> &all = record.buffers;
  for (auto at = all.begin(); at != all.end(); ++at)
    if (std::find(all.begin(), at, *at) == at)
      bytes += (*at)->bytes;
  return bytes;
}

PlacedPlan::PlacedPlan(agt_run &plan, OpenDevice &opened)
    : plan(plan), opened(opened), device(opened.get()), transferer(device) {
  report.device = device.properties().name;
  prepareLaunches();
  gatherScalars();
  placeBuffers();
  if (neededBytes() > device.memoryBudget().free)
    borrowResidents();
}

void PlacedPlan::prepareLaunches() {
  const DeviceProperties &properties = device.properties();
  for (const LaunchRecord &record : plan.launches) {
    uint32_t variant = chooseVariant(record, properties);
    const int64_t *tile = tileOf(*record.kernel, variant, properties);
    uint64_t groups = 1;
    bool tooMany = false;
    for (int i = 0; i < 4; ++i) {
      uint64_t size = uint64_t(std::max<int64_t>(tile[i], 1));
      uint64_t count = (uint64_t(record.work[i]) + size - 1) / size;
      tooMany |= __builtin_mul_overflow(groups, count, &groups);
    }
    // The number of groups is a 32-bit scalar, their grid has two sides.
    uint64_t limit = std::min<uint64_t>(std::numeric_limits<int32_t>::max(),
                                        uint64_t(properties.maxGroups[0]) *
                                            properties.maxGroups[1]);
    if (tooMany || groups > limit)
      fail(AGT_FAILED,
           "'" + record.name + "' is too large for one launch on '" +
               properties.name + "': it can start " + std::to_string(limit) +
               " workgroups at once",
           record.place);
    prepared.push_back({&record, variant, groups, 0, nullptr});
    report.launches.push_back({record.name,
                               record.place,
                               record.kernel->name,
                               variant,
                               groups,
                               record.flops,
                               record.kvBytes,
                               bytesOf(record),
                               {}});
  }
}

// The scalars of all launches in one buffer, which the plan gets as if it were
// a constant of the program.
void PlacedPlan::gatherScalars() {
  std::vector<unsigned char> data;
  for (PreparedLaunch &launch : prepared) {
    data.resize((data.size() + scalarAlignment - 1) / scalarAlignment *
                scalarAlignment);
    launch.scalarsOffset = data.size();
    std::vector<uint32_t> words{uint32_t(launch.groups)};
    words.insert(words.end(), launch.record->scalars.begin(),
                 launch.record->scalars.end());
    auto *bytes = reinterpret_cast<const unsigned char *>(words.data());
    data.insert(data.end(), bytes, bytes + words.size() * sizeof(uint32_t));
  }
  if (data.empty())
    return;
  scalars = &plan.newBuffer(data.size());
  scalars->data = std::move(data);
  scalars->firstUse = 0;
}

std::string PlacedPlan::describe(const agt_buffer &buffer) const {
  if (buffer.input) {
    size_t index = size_t(buffer.input - plan.inputs.data());
    return std::string("the input '") + plan.graph.params[index].name + "'";
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i)
    if (plan.outputs[i].buffer == &buffer) {
      const char *name = plan.graph.results[i].name;
      return name && *name ? std::string("the result '") + name + "'"
                           : "the result";
    }
  if (buffer.firstUse >= plan.steps.size())
    return "a value";
  const PlanStep &step = plan.steps[buffer.firstUse];
  const std::string &name =
      step.kind == PlanStep::Launch   ? plan.launches[step.index].name
      : step.kind == PlanStep::Gather ? plan.gathers[step.index].name
                                      : plan.exchanges[step.index].name;
  return "a value of '" + name + "'";
}

void PlacedPlan::checkBuffer(const agt_buffer &buffer, uint64_t limit) const {
  if (buffer.bytes > limit)
    fail(AGT_FAILED,
         "not enough memory: " + describe(buffer) + " takes " +
             bytesText(buffer.bytes) + ", the device '" +
             device.properties().name + "' gives at most " + bytesText(limit) +
             " at once",
         plan.graph.place);
}

// What the host puts in is there from the start, what it takes out stays to
// the end. An output that no step writes has no first use.
Lifetime PlacedPlan::lifetimeOf(const agt_buffer &buffer) const {
  uint32_t end = uint32_t(plan.steps.size());
  bool pinned = !buffer.data.empty() || (buffer.input && !plan.isOnMesh());
  uint32_t first = pinned || buffer.input ? 0 : std::min(buffer.firstUse, end);
  uint32_t last = pinned || buffer.isOutput ? end : buffer.lastUse;
  return {buffer.bytes, first, last};
}

// The most bytes at once of those buffers that keys and values travel from
// and to.
static uint64_t travellingPeak(const agt_run &plan,
                               const std::vector<Lifetime> &lifetimes,
                               const std::vector<uint32_t> &slots) {
  std::vector<bool> travels(plan.buffers.size(), false);
  for (const ExchangeRecord &exchange : plan.exchanges)
    for (const agt_buffer *buffer : {exchange.send, exchange.receive})
      if (buffer && exchange.move == AGT_MOVE_KV)
        travels[buffer->number] = true;
  std::vector<int64_t> changes(plan.steps.size() + 2, 0);
  for (size_t i = 0; i < travels.size(); ++i) {
    if (!travels[i])
      continue;
    const Lifetime &life = lifetimes[slots[i]];
    changes[life.first] += int64_t(life.bytes);
    changes[life.last + 1] -= int64_t(life.bytes);
  }
  int64_t alive = 0;
  int64_t most = 0;
  for (int64_t change : changes)
    most = std::max(most, alive += change);
  return uint64_t(most);
}

void PlacedPlan::placeBuffers() {
  auto whole = [](uint64_t bytes) {
    return bytes / bufferAlignment * bufferAlignment;
  };
  uint64_t maxChunk = whole(device.properties().maxAllocation);
  uint64_t maxBuffer = whole(device.properties().maxBuffer);
  std::vector<Lifetime> lifetimes;
  for (const agt_buffer &buffer : plan.buffers) {
    slots.push_back(uint32_t(lifetimes.size()));
    if (!buffer.isUsed())
      continue;
    checkBuffer(buffer, maxBuffer);
    if (!residentOf(buffer))
      lifetimes.push_back(lifetimeOf(buffer));
  }
  layout = layOut(lifetimes, bufferAlignment, maxChunk);
  report.peakBytes = layout.total();
  report.kvPeakBytes = travellingPeak(plan, lifetimes, slots);
}

Residents::Entry *PlacedPlan::residentOf(const agt_buffer &buffer) const {
  return buffer.input && !plan.isOnMesh()
             ? plan.context.residents.find(*buffer.input)
             : nullptr;
}

// Where there is no room for copies. These are faster to read, being in large
// pages: a mapped file may be all over the memory.
void PlacedPlan::borrowResidents() {
  for (const agt_buffer &buffer : plan.buffers) {
    Residents::Entry *resident = residentOf(buffer);
    if (!resident || resident->buffer ||
        resident->content != Residents::Content::Uploaded)
      continue;
    const agt_tensor &tensor = *buffer.input;
    bool aligned = reinterpret_cast<uintptr_t>(tensor.data) % 4 == 0;
    if (!aligned || !isContiguous(tensor) || tensor.dtype == AGT_BOOL)
      continue;
    resident->buffer = device.lend(tensor.data, resident->bytes);
    resident->filled = resident->buffer != nullptr;
  }
}

uint64_t PlacedPlan::neededBytes() const {
  uint64_t needed = layout.total();
  for (const agt_buffer &buffer : plan.buffers)
    if (const Residents::Entry *resident = residentOf(buffer))
      needed += resident->buffer ? 0 : resident->bytes;
  if (!device.properties().cpuDriver)
    return needed;
  for (size_t i = 0; i < plan.outputs.size(); ++i)
    if (!plan.isOnMesh() || plan.position == 0)
      needed += *tensorBytes(plan.graph.results[i].dtype,
                             plan.outputs[i].shape.data(),
                             plan.graph.results[i].rank);
  return needed;
}

void PlacedPlan::checkMemory() const {
  uint64_t needed = neededBytes();
  MemoryBudget budget = device.memoryBudget();
  if (needed <= budget.free)
    return;
  fail(AGT_FAILED,
       std::string("not enough memory: graph '") + plan.graph.name +
           "' needs " + bytesText(needed) + ", the device '" +
           device.properties().name + "' has " + bytesText(budget.free) +
           " free of " + bytesText(budget.total),
       plan.graph.place);
}

void PlacedPlan::loadKernels() {
  for (PreparedLaunch &launch : prepared) {
    uint32_t pushConstants = uint32_t(launch.record->buffers.size()) + 1;
    launch.kernel =
        &opened.kernel(*launch.record->kernel, launch.variant, pushConstants);
  }
}

void PlacedPlan::allocate() {
  for (uint64_t bytes : layout.chunks)
    chunks.push_back(
        device.allocate(std::max(bytes, bufferAlignment), MemoryKind::Device));
  for (const agt_buffer &buffer : plan.buffers) {
    Residents::Entry *resident = residentOf(buffer);
    if (resident && !resident->buffer)
      resident->buffer = device.allocate(
          std::max(resident->bytes, bufferAlignment), MemoryKind::Device);
  }
}

void PlacedPlan::upload(const agt_buffer &buffer) {
  if (!buffer.isUsed() || buffer.bytes == 0)
    return;
  Residents::Entry *resident = residentOf(buffer);
  if (resident && std::exchange(resident->filled, true))
    return;
  Room room = roomOf(buffer);
  if (!buffer.data.empty())
    return transferer.upload(room.chunk, room.offset, buffer.data.data(),
                             buffer.bytes);
  if (buffer.part)
    return transferer.upload(room.chunk, room.offset, buffer.part,
                             buffer.bytes);
  const agt_tensor &tensor = *buffer.input;
  TensorPart part(tensor.shape, tensor.rank, buffer.splits,
                  partsOf(buffer.splits, plan.position));
  if (unsigned char *host = room.host())
    return part.read(tensor, host);
  if (buffer.splits.empty() && isContiguous(tensor) && tensor.dtype != AGT_BOOL)
    return transferer.upload(room.chunk, room.offset, tensor.data,
                             buffer.bytes);
  std::vector<unsigned char> copy(buffer.bytes);
  part.read(tensor, copy.data());
  transferer.upload(room.chunk, room.offset, copy.data(), copy.size());
}

void PlacedPlan::uploadConstants() {
  for (const agt_buffer &buffer : plan.buffers)
    if (!buffer.data.empty())
      upload(buffer);
}

void PlacedPlan::uploadInputs() {
  for (const agt_buffer &buffer : plan.buffers)
    if (buffer.input)
      upload(buffer);
}

PlacedPlan::Room PlacedPlan::roomOf(const agt_buffer &buffer) const {
  if (const Residents::Entry *resident = residentOf(buffer))
    return {*resident->buffer, 0};
  Placement place = layout.placements[slots[buffer.number]];
  return {*chunks[place.chunk], place.offset};
}

uint64_t PlacedPlan::addressOf(const agt_buffer &buffer) const {
  Room room = roomOf(buffer);
  return room.chunk.address() + room.offset;
}

LaunchCommand PlacedPlan::command(size_t index) const {
  const PreparedLaunch &launch = prepared[index];
  Grid grid = foldGroups(launch.groups, device.properties().maxGroups);
  LaunchCommand command{
      launch.kernel, {}, grid.x, grid.y, launch.record->flops};
  command.addresses.push_back(addressOf(*scalars) + launch.scalarsOffset);
  for (agt_buffer *buffer : launch.record->buffers)
    command.addresses.push_back(addressOf(*buffer));
  return command;
}

} // namespace agt::rt
