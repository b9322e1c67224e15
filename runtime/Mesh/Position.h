// One position of a mesh at work: its plan, step by step, on a device of its
// own in a thread of its own. It meets the others only in the transport.
//
// Launches between two other steps are one list of commands. Before bytes
// leave the device is waited for, since the launches before have written them
// or have used the room that others are to fill; what comes behind is submitted
// while they travel.
#ifndef AGT_RUNTIME_MESH_POSITION_H
#define AGT_RUNTIME_MESH_POSITION_H

#include "runtime/Mesh/Gather.h"
#include "runtime/Mesh/Transport.h"
#include "runtime/Plan/Placed.h"

namespace agt::rt {

class PositionRun {
public:
  /// `axisRates` by axis of the mesh; 0 is as fast as it goes. With `times`
  /// the placed plan's report gets the spans of each repeat that counts.
  PositionRun(PlacedPlan &placed, Transport &transport, int64_t positions,
              const std::vector<double> &axisRates, bool times);
  ~PositionRun();

  /// Records the lists of commands; kernels are loaded, memory is allocated.
  void prepare();
  /// Runs the plan once. Spans are counted from `start`; with `keep` they are
  /// added to the report. Throws Cancelled when another position has failed.
  void run(double start, bool keep);

private:
  // A step of the plan, or some launches in a row.
  struct Stage {
    PlanStep::Kind kind;
    uint32_t index; // of the first launch, or the step's
    uint32_t count; // of launches
    std::vector<std::unique_ptr<CommandList>> lists;
  };
  // A list under way.
  struct Submitted {
    CommandList *list;
    uint32_t firstLaunch;
    TimelinePoint point;
    double begin;
  };
  // Bytes of a buffer as a transport takes them: the buffer itself, or a copy.
  struct HostBytes {
    unsigned char *data = nullptr;
    std::vector<unsigned char> copy;
  };
  struct Exchange {
    Transport::Request send = 0; // 0: nothing goes that way
    Transport::Request receive = 0;
    HostBytes sent;
    HostBytes received;
    size_t transfer = 0; // its number in the report
  };

  // What a gather works on outside the device. Where it is cut short it stays
  // until the transport is gone, which may still be copying.
  struct Gathering {
    HostBytes whole;
    HostBytes part;
    std::vector<std::vector<unsigned char>> copies; // of parts in pieces
    std::vector<Transport::Request> receives;
    std::vector<Transport::Request> sends;
  };

  void addTransfer(const std::string &name, const std::string &place,
                   uint32_t axis, int64_t from, int32_t move, uint64_t bytes);
  void recordStage(Stage &stage);
  void compute(const Stage &stage);
  void settle();
  void post(uint32_t index);
  void await(uint32_t index);
  void gather(uint32_t index);
  void postGather(uint32_t index);
  HostBytes bytesToSend(const agt_buffer &buffer, uint64_t bytes);
  void noteSpan(size_t transfer, Span span);
  Link link(uint32_t axis) const { return {axis, axisRates[axis]}; }

  PlacedPlan &placed;
  const agt_run &plan;
  Transport &transport;
  const std::vector<double> &axisRates;
  bool times;

  std::vector<Stage> stages;
  std::vector<Submitted> submitted;
  std::vector<Exchange> exchanges; // as many as the plan's
  std::vector<GatherMessages> gathers;
  Gathering gathering;
  std::vector<size_t> gatherTransfers; // of each gather the first
  double start = 0;
  double lastEnd = 0; // of the device's work
  bool keep = false;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_POSITION_H
