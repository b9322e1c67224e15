// A plan on a device: each launch has its variant, each buffer its place, and
// nothing has been done yet. allocate() and the uploads make it ready to run.
//
// On one device inputs, constants and scalars keep their room for the whole
// plan, so that a repeat finds them as they were. On a mesh only constants and
// scalars do: the room of an input is used again after its last use (a shard
// that has been given up makes room for the next), so inputs are uploaded again
// for each repeat.
#ifndef AGT_RUNTIME_PLAN_PLACED_H
#define AGT_RUNTIME_PLAN_PLACED_H

#include "runtime/Plan/Layout.h"
#include "runtime/Plan/OpenDevice.h"
#include "runtime/Plan/Plan.h"
#include "runtime/Plan/Report.h"
#include "runtime/Plan/Resident.h"
#include "runtime/Plan/Transfer.h"

namespace agt::rt {

class PlacedPlan {
public:
  /// Fails where the device has no variant of a kernel, or a buffer or launch
  /// is larger than it takes. `plan` and `opened` outlive the object.
  PlacedPlan(agt_run &plan, OpenDevice &opened);

  /// Bytes the plan takes where its device's memory is: its buffers, and its
  /// results once more where the host has the same memory.
  uint64_t neededBytes() const;
  /// Fails when the device has less.
  void checkMemory() const;
  void loadKernels();
  void allocate();
  void uploadConstants();
  void uploadInputs();
  /// The command for launch number `index`; memory is allocated.
  LaunchCommand command(size_t index) const;
  size_t launches() const { return prepared.size(); }

  /// A buffer's chunk and offset.
  struct Room {
    Buffer &chunk;
    uint64_t offset;
    /// The host's view, NULL where it has none.
    unsigned char *host() const {
      return chunk.host() ? chunk.host() + offset : nullptr;
    }
  };
  Room roomOf(const agt_buffer &buffer) const;
  /// Copies for buffers that the host does not see.
  Transfer &transfer() { return transferer; }

  agt_run &plan;
  OpenDevice &opened;
  Device &device;
  PositionReport report;

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
  void borrowResidents();
  Lifetime lifetimeOf(const agt_buffer &buffer) const;
  void checkBuffer(const agt_buffer &buffer, uint64_t limit) const;
  std::string describe(const agt_buffer &buffer) const;
  void upload(const agt_buffer &buffer);
  /// Null for a buffer that is the plan's own.
  Residents::Entry *residentOf(const agt_buffer &buffer) const;
  uint64_t addressOf(const agt_buffer &buffer) const;

  std::vector<PreparedLaunch> prepared;
  agt_buffer *scalars = nullptr;
  std::vector<uint32_t> slots; // by buffer: its lifetime's position
  Layout layout;
  std::vector<std::unique_ptr<Buffer>> chunks;
  Transfer transferer; // goes before the chunks it copies to
};

} // namespace agt::rt

#endif // AGT_RUNTIME_PLAN_PLACED_H
