// What the compiler asks of files of weights.
#ifndef AGT_TOOLS_AGTC_WEIGHTS_H
#define AGT_TOOLS_AGTC_WEIGHTS_H

#include "frontend/Sema/Sema.h"

namespace agt::tool {

/// By the runtime's readers.
sema::WeightsHeader readWeights(const std::string &path,
                                const std::string &format);

} // namespace agt::tool

#endif
