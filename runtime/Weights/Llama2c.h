// llama2.c's checkpoints, "version 0": seven sizes, then float32 arrays.
#ifndef AGT_RUNTIME_WEIGHTS_LLAMA2C_H
#define AGT_RUNTIME_WEIGHTS_LLAMA2C_H

#include "runtime/Tensor/Safetensors.h"

namespace agt::rt {

/// The tensors in the `size` bytes of a file at `data`, which they point into,
/// under Meta's names; `output.weight` is the embedding where the file shares
/// it. Fails with AGT_BAD_INPUT; the text names `path`.
std::vector<NamedStored> readLlama2c(const unsigned char *data, size_t size,
                                     const std::string &path);

} // namespace agt::rt

#endif // AGT_RUNTIME_WEIGHTS_LLAMA2C_H
