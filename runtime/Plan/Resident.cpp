// See Resident.h.
#include "runtime/Plan/Resident.h"

#include "runtime/Tensor/Tensor.h"

namespace agt::rt {

// Buffers are whole words.
void Residents::add(const agt_tensor &tensor, Content content) {
  uint64_t bytes = *tensorBytes(tensor.dtype, tensor.shape, tensor.rank);
  Entry entry{content, (bytes + 3) & ~uint64_t(3), nullptr,
              content == Content::Written};
  entries.insert_or_assign(tensor.data, std::move(entry));
}

Residents::Entry *Residents::find(const agt_tensor &tensor) {
  auto found = entries.find(tensor.data);
  return found == entries.end() ? nullptr : &found->second;
}

} // namespace agt::rt
