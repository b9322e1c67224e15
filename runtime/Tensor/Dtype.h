// Facts about element types.
#ifndef AGT_RUNTIME_TENSOR_DTYPE_H
#define AGT_RUNTIME_TENSOR_DTYPE_H

#include "agt/runtime.h"

#include <cstddef>

namespace agt::rt {

/// The language's name: "f32".
const char *dtypeName(agt_dtype dtype);
/// Bytes of one element; 0 for a value that is no dtype.
size_t dtypeBytes(agt_dtype dtype);

} // namespace agt::rt

#endif // AGT_RUNTIME_TENSOR_DTYPE_H
