// One element of a tensor as a number, whatever its type.
#ifndef AGT_RUNTIME_TENSOR_ELEMENT_H
#define AGT_RUNTIME_TENSOR_ELEMENT_H

#include "agt/runtime.h"

#include <cstdint>

namespace agt::rt {

bool isInteger(agt_dtype dtype); // bool is one

/// Element `index` in C order of `data`. Exact but for i64 beyond 2^53.
double realElement(agt_dtype dtype, const void *data, uint64_t index);
/// The same of an integer type.
int64_t integerElement(agt_dtype dtype, const void *data, uint64_t index);

} // namespace agt::rt

#endif // AGT_RUNTIME_TENSOR_ELEMENT_H
