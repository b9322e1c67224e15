// Data between the host and buffers, whether the host sees their memory or
// not. Unseen memory is reached through two visible buffers in turn: while the
// device copies out of one, the host fills the other.
#ifndef AGT_RUNTIME_PLAN_TRANSFER_H
#define AGT_RUNTIME_PLAN_TRANSFER_H

#include "runtime/Device/Device.h"

#include <array>
#include <functional>

namespace agt::rt {

class Transfer {
public:
  explicit Transfer(Device &device) : device(device) {}
  /// Waits for copies under way.
  ~Transfer();

  /// Copies `bytes` bytes to the buffer. Launches submitted later see them.
  void upload(Buffer &to, uint64_t offset, const void *data, uint64_t bytes);
  /// Returns when the data is there.
  void download(Buffer &from, uint64_t offset, void *data, uint64_t bytes);

  static constexpr uint64_t slotBytes = uint64_t(16) << 20;

private:
  struct Slot {
    std::unique_ptr<Buffer> buffer;
    std::unique_ptr<CommandList> copy;
    TimelinePoint point = 0; // of the copy, 0: none under way
    std::function<void()> arrived;
  };
  Slot &nextSlot(MemoryKind kind);
  void start(Slot &slot, const CopyCommand &copy);
  void finish(Slot &slot);

  Device &device;
  std::array<Slot, 2> uploads;
  std::array<Slot, 2> downloads;
  size_t turn = 0;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_PLAN_TRANSFER_H
