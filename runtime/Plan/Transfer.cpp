// See Transfer.h.
#include "runtime/Plan/Transfer.h"

#include <algorithm>
#include <cstring>

namespace agt::rt {

Transfer::~Transfer() {
  for (auto *slots : {&uploads, &downloads})
    for (Slot &slot : *slots) {
      // A failing device has been reported already, by what failed first.
      try {
        slot.arrived = nullptr;
        finish(slot);
      } catch (...) {
        continue;
      }
    }
}

Transfer::Slot &Transfer::nextSlot(MemoryKind kind) {
  auto &slots = kind == MemoryKind::Upload ? uploads : downloads;
  Slot &slot = slots[turn++ % slots.size()];
  finish(slot);
  if (!slot.buffer)
    slot.buffer = device.allocate(slotBytes, kind);
  return slot;
}

void Transfer::start(Slot &slot, const CopyCommand &copy) {
  slot.copy = device.record({copy}, false);
  slot.point = device.submit(*slot.copy);
}

void Transfer::finish(Slot &slot) {
  if (!slot.point)
    return;
  device.wait(slot.point);
  slot.point = 0;
  slot.copy.reset();
  if (slot.arrived)
    slot.arrived();
  slot.arrived = nullptr;
}

void Transfer::upload(Buffer &to, uint64_t offset, const void *data,
                      uint64_t bytes) {
  if (bytes == 0)
    return;
  if (unsigned char *host = to.host()) {
    std::memcpy(host + offset, data, bytes);
    return;
  }
  auto *from = static_cast<const unsigned char *>(data);
  for (uint64_t done = 0; done < bytes; done += slotBytes) {
    uint64_t part = std::min(slotBytes, bytes - done);
    Slot &slot = nextSlot(MemoryKind::Upload);
    std::memcpy(slot.buffer->host(), from + done, part);
    start(slot, {&to, offset + done, slot.buffer.get(), 0, part});
  }
}

void Transfer::download(Buffer &from, uint64_t offset, void *data,
                        uint64_t bytes) {
  if (bytes == 0)
    return;
  if (unsigned char *host = from.host()) {
    std::memcpy(data, host + offset, bytes);
    return;
  }
  auto *to = static_cast<unsigned char *>(data);
  for (uint64_t done = 0; done < bytes; done += slotBytes) {
    uint64_t part = std::min(slotBytes, bytes - done);
    Slot &slot = nextSlot(MemoryKind::Download);
    slot.arrived = [&slot, target = to + done, part] {
      std::memcpy(target, slot.buffer->host(), part);
    };
    start(slot, {slot.buffer.get(), 0, &from, offset + done, part});
  }
  for (Slot &slot : downloads)
    finish(slot);
}

} // namespace agt::rt
