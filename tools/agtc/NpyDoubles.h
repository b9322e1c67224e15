// float64 .npy files: what the language has no type for, and the oracle writes.
#ifndef AGT_TOOLS_AGTC_NPYDOUBLES_H
#define AGT_TOOLS_AGTC_NPYDOUBLES_H

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace agt::tool {

/// The bytes of an .npy file, version 1.0, little endian, C order.
std::string npyOfDoubles(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<double> values);

} // namespace agt::tool

#endif
