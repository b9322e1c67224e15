// .safetensors files: named tensors in C order, little endian.
#ifndef AGT_RUNTIME_TENSOR_SAFETENSORS_H
#define AGT_RUNTIME_TENSOR_SAFETENSORS_H

#include "runtime/Support/File.h"
#include "runtime/Tensor/Stored.h"

#include <string>
#include <vector>

namespace agt::rt {

struct NamedStored {
  std::string name;
  StoredTensor tensor;
};

/// The tensors in the `size` bytes of a file at `data`, which they point into.
/// Fails with AGT_BAD_INPUT; the text names `path`.
std::vector<NamedStored> readSafetensors(const unsigned char *data, size_t size,
                                         const std::string &path);

struct NamedTensor {
  std::string name;
  agt_tensor tensor; // in C order
};
void writeSafetensors(OutputFile &file,
                      const std::vector<NamedTensor> &tensors);

} // namespace agt::rt

#endif // AGT_RUNTIME_TENSOR_SAFETENSORS_H
