// NumPy's .npy files, versions 1 to 3.
#ifndef AGT_RUNTIME_TENSOR_NPY_H
#define AGT_RUNTIME_TENSOR_NPY_H

#include "runtime/Support/File.h"
#include "runtime/Tensor/Stored.h"

#include <string>

namespace agt::rt {

/// The tensor in the `size` bytes of a file at `data`, which it points into.
/// Fails with AGT_BAD_INPUT; the text names `path`.
StoredTensor readNpy(const unsigned char *data, size_t size,
                     const std::string &path);

/// Writes the tensor (C order) as version 1.0, little endian; bf16 and f8e4m3
/// as raw unsigned integers.
void writeNpy(OutputFile &file, const agt_tensor &tensor);

} // namespace agt::rt

#endif // AGT_RUNTIME_TENSOR_NPY_H
