// Operations on the tensors that cross the C ABI.
#ifndef AGT_RUNTIME_TENSOR_TENSOR_H
#define AGT_RUNTIME_TENSOR_TENSOR_H

#include "agt/runtime.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace agt::rt {

/// Product of the dims times the size of an element; nothing when a dim is
/// negative or the product does not fit.
std::optional<uint64_t> tensorBytes(agt_dtype dtype, const int64_t *shape,
                                    int rank);

/// True when the elements lie in C order without gaps.
bool isContiguous(const agt_tensor &tensor);

/// Copies all elements to `to` in C order. A bool that is neither 0 nor 1 in
/// the tensor becomes 1. `to` has tensorBytes() bytes.
void copyContiguous(const agt_tensor &tensor, unsigned char *to);

/// Gives `tensor` a shape and uninitialised data of its own, in C order.
void allocateTensor(agt_tensor &tensor, agt_dtype dtype, const int64_t *shape,
                    int rank);

/// Room for the results of a graph, released whatever happens.
struct Results {
  explicit Results(size_t count) : tensors(count) {}
  Results(const Results &) = delete;
  ~Results() {
    for (agt_tensor &tensor : tensors)
      agt_tensor_release(&tensor);
  }
  std::vector<agt_tensor> tensors;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_TENSOR_TENSOR_H
