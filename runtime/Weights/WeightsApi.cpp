// agt/weights.h.
#include "agt/weights.h"

#include "runtime/Support/Failure.h"
#include "runtime/Weights/Weights.h"

struct agt_weights {
  agt::rt::WeightsFile file;
};

agt_status agt_weights_open(const char *path, const char *format,
                            agt_weights **out) {
  *out = nullptr;
  return agt::rt::guard(
      [&] { *out = new agt_weights{agt::rt::WeightsFile(path, format)}; });
}

void agt_weights_close(agt_weights *weights) { delete weights; }

uint64_t agt_weights_count(const agt_weights *weights) {
  return weights->file.tensors().size();
}

agt_weight agt_weights_tensor(const agt_weights *weights, uint64_t index) {
  const agt::rt::NamedStored &entry = weights->file.tensors()[index];
  return {entry.name.c_str(),
          entry.tensor.typeName.empty()
              ? agt::rt::storageName(entry.tensor.storage)
              : entry.tensor.typeName.c_str(),
          entry.tensor.shape.data(), int32_t(entry.tensor.shape.size()),
          agt::rt::rowBytes(entry.tensor)};
}
