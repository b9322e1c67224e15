//===- Bytes.h - Tensors as they lie in memory ------------------*- C++ -*-===//

#ifndef AGT_REFERENCE_BYTES_H
#define AGT_REFERENCE_BYTES_H

#include "reference/Tensor.h"

namespace agt::reference {

/// Bytes of an element in memory; a bool takes one.
size_t bytesOf(Element element);

/// Reads a tensor in this machine's byte order. Strides are in elements.
Tensor fromBytes(Element element, llvm::ArrayRef<int64_t> shape,
                 llvm::ArrayRef<int64_t> strides, const void *data);

/// The elements in C order, f32 rounded from float64.
std::vector<unsigned char> toBytes(const Tensor &tensor);

} // namespace agt::reference

#endif // AGT_REFERENCE_BYTES_H
