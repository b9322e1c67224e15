#include "tools/agtc/Weights.h"

#include "agt/weights.h"

agt::sema::WeightsHeader agt::tool::readWeights(const std::string &path,
                                                const std::string &format) {
  sema::WeightsHeader header;
  agt_weights *file = nullptr;
  if (agt_status status =
          agt_weights_open(path.c_str(), format.c_str(), &file)) {
    header.error = agt_status_message(status);
    agt_status_release(status);
    return header;
  }
  for (uint64_t i = 0; i < agt_weights_count(file); ++i) {
    agt_weight tensor = agt_weights_tensor(file, i);
    header.tensors.push_back({tensor.name,
                              tensor.dtype,
                              {tensor.shape, tensor.shape + tensor.rank},
                              tensor.row_bytes});
  }
  agt_weights_close(file);
  return header;
}
