// A plan is run in this order, so that what can be refused is refused before
// work starts: choose variants, lay out memory, compare with what the device
// has, build kernels, allocate, upload, run (and repeat), download.
//
// All addresses are known once memory is allocated; the commands are recorded
// once and submitted for each repeat. Inputs, constants and scalars keep their
// room for the whole plan, so that a repeat finds them as they were.
#include "runtime/Plan/Execute.h"

#include "runtime/Plan/Context.h"
#include "runtime/Plan/Layout.h"
#include "runtime/Plan/Transfer.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Tensor.h"

#include <algorithm>
#include <limits>

namespace agt::rt {
namespace {

// Offsets of buffers in a chunk: as much as any device asks for, and whole
// cache lines.
constexpr uint64_t bufferAlignment = 256;
// Offsets of a launch's scalars in their common buffer.
constexpr uint64_t scalarAlignment = 16;

class Execution {
public:
  explicit Execution(agt_run &plan)
      : plan(plan), context(plan.context), device(context.deviceFor(plan)),
        transfer(device) {}

  void run(agt_tensor *out) {
    context.step("plan memory", [&] {
      prepareLaunches();
      gatherScalars();
      placeBuffers();
      checkMemory();
    });
    context.step("build kernels", [&] { loadKernels(); });
    context.step("load inputs", [&] {
      allocate();
      upload();
    });
    recordCommands();
    if (context.settings.warmUp)
      context.step("warm up", [&] { runOnce(); });
    for (uint32_t i = 0; i < context.settings.repeat; ++i)
      measure(i);
    device.checkMistakes();
    context.step("fetch results", [&] { download(out); });
  }

private:
  struct PreparedLaunch {
    const LaunchRecord *record;
    uint32_t variant;
    uint64_t groups;
    uint64_t scalarsOffset;
    Kernel *kernel;
  };

  void prepareLaunches();
  void gatherScalars();
  void placeBuffers();
  void checkBuffer(const agt_buffer &buffer, uint64_t limit) const;
  std::string describe(const agt_buffer &buffer) const;
  void checkMemory();
  void loadKernels();
  void allocate();
  void upload();
  void recordCommands();
  std::vector<Command> commands() const;
  double runOnce();
  double runTimed();
  void measure(uint32_t repeat);
  void download(agt_tensor *out);

  Placement placeOf(const agt_buffer &buffer) const {
    return layout.placements[slots[buffer.number]];
  }
  uint64_t addressOf(const agt_buffer &buffer) const {
    Placement place = placeOf(buffer);
    return chunks[place.chunk]->address() + place.offset;
  }

  agt_run &plan;
  agt_context &context;
  Device &device;
  std::vector<PreparedLaunch> launches;
  agt_buffer *scalars = nullptr;
  std::vector<uint32_t> slots; // by buffer: its lifetime's position
  Layout layout;
  std::vector<std::unique_ptr<Buffer>> chunks;
  std::unique_ptr<CommandList> list; // NULL when there is no launch
  std::vector<std::unique_ptr<CommandList>> timedLists;
  Transfer transfer; // goes before the chunks it copies to
};

void Execution::prepareLaunches() {
  const DeviceProperties &properties = device.properties();
  for (const LaunchRecord &record : plan.launches) {
    uint32_t variant =
        chooseVariant(record, properties);
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
    launches.push_back({&record, variant, groups, 0, nullptr});
    context.report.flops += record.flops;
    context.report.launches.push_back({record.name,
                                       record.place,
                                       record.kernel->name,
                                       variant,
                                       groups,
                                       record.flops,
                                       {}});
  }
}

// The scalars of all launches in one buffer, which the plan gets as if it were
// a constant of the program.
void Execution::gatherScalars() {
  std::vector<unsigned char> data;
  for (PreparedLaunch &launch : launches) {
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

std::string Execution::describe(const agt_buffer &buffer) const {
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
  if (buffer.firstUse < plan.launches.size())
    return "a value of '" + plan.launches[buffer.firstUse].name + "'";
  return "a value";
}

void Execution::checkBuffer(const agt_buffer &buffer, uint64_t limit) const {
  if (buffer.bytes > limit)
    fail(AGT_FAILED,
         "not enough memory: " + describe(buffer) + " takes " +
             bytesText(buffer.bytes) + ", the device '" +
             device.properties().name + "' gives at most " + bytesText(limit) +
             " at once",
         plan.graph.place);
}

void Execution::placeBuffers() {
  auto whole = [](uint64_t bytes) {
    return bytes / bufferAlignment * bufferAlignment;
  };
  uint64_t maxChunk = whole(device.properties().maxAllocation);
  uint64_t maxBuffer = whole(device.properties().maxBuffer);
  uint32_t end = uint32_t(plan.launches.size());
  std::vector<Lifetime> lifetimes;
  for (const agt_buffer &buffer : plan.buffers) {
    slots.push_back(uint32_t(lifetimes.size()));
    if (!buffer.isUsed())
      continue;
    checkBuffer(buffer, maxBuffer);
    // What the host puts in is there from the start, what it takes out stays
    // to the end. An output that no launch writes has no first use.
    bool pinned = buffer.isPinned();
    uint32_t first = pinned ? 0 : std::min(buffer.firstUse, end);
    uint32_t last = pinned || buffer.isOutput ? end : buffer.lastUse;
    lifetimes.push_back({buffer.bytes, first, last});
  }
  layout = layOut(lifetimes, bufferAlignment, maxChunk);
  context.report.peakBytes = layout.total();
}

void Execution::checkMemory() {
  uint64_t needed = layout.total();
  // Where host and device share memory the results take room twice.
  if (device.properties().cpuDriver)
    for (size_t i = 0; i < plan.outputs.size(); ++i)
      needed += *tensorBytes(plan.graph.results[i].dtype,
                             plan.outputs[i].shape.data(),
                             plan.graph.results[i].rank);
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

void Execution::loadKernels() {
  for (PreparedLaunch &launch : launches) {
    uint32_t pushConstants = uint32_t(launch.record->buffers.size()) + 1;
    launch.kernel =
        &context.kernel(*launch.record->kernel, launch.variant, pushConstants);
  }
}

void Execution::allocate() {
  for (uint64_t bytes : layout.chunks)
    chunks.push_back(
        device.allocate(std::max(bytes, bufferAlignment), MemoryKind::Device));
}

void Execution::upload() {
  for (const agt_buffer &buffer : plan.buffers) {
    if (!buffer.isUsed() || buffer.bytes == 0)
      continue;
    Placement place = placeOf(buffer);
    Buffer &chunk = *chunks[place.chunk];
    if (!buffer.data.empty()) {
      transfer.upload(chunk, place.offset, buffer.data.data(), buffer.bytes);
    } else if (buffer.input && chunk.host()) {
      copyContiguous(*buffer.input, chunk.host() + place.offset);
    } else if (buffer.input && isContiguous(*buffer.input) &&
               buffer.input->dtype != AGT_BOOL) {
      transfer.upload(chunk, place.offset, buffer.input->data, buffer.bytes);
    } else if (buffer.input) {
      std::vector<unsigned char> copy(buffer.bytes);
      copyContiguous(*buffer.input, copy.data());
      transfer.upload(chunk, place.offset, copy.data(), copy.size());
    }
  }
}

std::vector<Command> Execution::commands() const {
  std::vector<Command> result;
  for (const PreparedLaunch &launch : launches) {
    Grid grid = foldGroups(launch.groups, device.properties().maxGroups);
    LaunchCommand command{
        launch.kernel, {}, grid.x, grid.y, launch.record->flops};
    command.addresses.push_back(addressOf(*scalars) + launch.scalarsOffset);
    for (agt_buffer *buffer : launch.record->buffers)
      command.addresses.push_back(addressOf(*buffer));
    result.push_back(std::move(command));
  }
  return result;
}

// Where launch times are wanted, there are lists for them besides: one with
// times, or one for each launch where the device has no clock.
void Execution::recordCommands() {
  if (launches.empty())
    return;
  std::vector<Command> all = commands();
  list = device.record(all, false);
  if (!context.settings.launchTimes)
    return;
  if (device.properties().timestamps) {
    timedLists.push_back(device.record(all, true));
    return;
  }
  for (Command &command : all)
    timedLists.push_back(device.record({command}, false));
}

// Runs the plan once; how long it took.
double Execution::runOnce() {
  double begin = context.now();
  if (list)
    device.wait(device.submit(*list));
  return context.now() - begin;
}

// The same with times for each launch.
double Execution::runTimed() {
  double begin = context.now();
  std::vector<Span> spans;
  for (auto &timed : timedLists) {
    double from = context.now() - begin;
    device.wait(device.submit(*timed));
    spans.push_back({from, context.now() - begin});
  }
  double time = context.now() - begin;
  if (device.properties().timestamps && !timedLists.empty())
    spans = timedLists.front()->times();
  context.report.begins.push_back(begin);
  for (size_t i = 0; i < launches.size(); ++i)
    context.report.launches[i].spans.push_back(spans.at(i));
  return time;
}

// Taking times costs a little at each launch (the driver finishes one before
// it reads the clock for the next). Where that shows beside the work, the
// plan's own time is taken from a run without.
void Execution::measure(uint32_t repeat) {
  const RunSettings &settings = context.settings;
  if (settings.progress)
    settings.progress(settings.repeat == 1
                          ? "compute"
                          : "compute, " + std::to_string(repeat + 1) + " of " +
                                std::to_string(settings.repeat));
  constexpr double costOfTimes = 1e-4; // seconds a launch, lavapipe's
  double time = 0;
  bool shows = true;
  if (settings.launchTimes) {
    time = runTimed();
    shows = costOfTimes * double(launches.size()) > 0.01 * time;
  }
  if (shows)
    time = runOnce();
  context.report.times.push_back(time);
}

void Execution::download(agt_tensor *out) {
  size_t done = 0;
  try {
    for (; done < plan.outputs.size(); ++done) {
      const OutputRecord &output = plan.outputs[done];
      const agt_param &result = plan.graph.results[done];
      allocateTensor(out[done], result.dtype, output.shape.data(), result.rank);
      uint64_t bytes =
          *tensorBytes(result.dtype, output.shape.data(), result.rank);
      Placement place = placeOf(*output.buffer);
      transfer.download(*chunks[place.chunk], place.offset, out[done].data,
                        bytes);
    }
  } catch (...) {
    for (size_t i = 0; i <= done && i < plan.outputs.size(); ++i)
      agt_tensor_release(&out[i]);
    throw;
  }
}

} // namespace

void execute(agt_run &plan, agt_tensor *out) {
  std::fill_n(out, plan.outputs.size(), agt_tensor{});
  plan.context.report = {};
  Execution(plan).run(out);
}

} // namespace agt::rt
