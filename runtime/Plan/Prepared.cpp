// See Prepared.h.
#include "runtime/Plan/Prepared.h"

#include "runtime/Support/Failure.h"

namespace agt::rt {

PreparedPlan::PreparedPlan(agt_context &context, const agt_graph &graph,
                           const std::vector<agt_tensor> &in) {
  context.settings.keep = [&](std::unique_ptr<agt_run> kept) {
    plan = std::move(kept);
  };
  std::vector<agt_tensor> none(graph.n_results);
  agt_status status =
      graph.run(&context, in.data(), in.size(), none.data(), none.size());
  context.settings.keep = nullptr;
  rethrow(status);
  // The recording compared the inputs' shapes; their data is read at each run.
  OpenDevice &opened = context.openDeviceFor(*plan);
  placed = std::make_unique<PlacedPlan>(*plan, opened);
  placed->checkMemory();
  placed->loadKernels();
  placed->allocate();
  placed->uploadConstants();
  if (placed->launches() == 0)
    return;
  std::vector<Command> all;
  for (size_t i = 0; i < placed->launches(); ++i)
    all.push_back(placed->command(i));
  list = placed->device.record(all, false);
}

void PreparedPlan::run() {
  placed->uploadInputs();
  if (list)
    placed->device.wait(placed->device.submit(*list));
  placed->device.checkMistakes();
}

void PreparedPlan::read(size_t result, uint64_t offset, void *to,
                        uint64_t bytes) {
  PlacedPlan::Room room = placed->roomOf(*plan->outputs[result].buffer);
  placed->transfer().download(room.chunk, room.offset + offset, to, bytes);
}

const std::vector<int64_t> &PreparedPlan::shape(size_t result) const {
  return plan->outputs[result].shape;
}

} // namespace agt::rt
