// Stages of `agtc FILE.agt` that need the checked program.
#ifndef AGT_TOOLS_AGTC_EMITAGT_H
#define AGT_TOOLS_AGTC_EMITAGT_H

#include "tools/agtc/Commands.h"
#include "tools/agtc/Source.h"

namespace agt::tool {

int emitAgt(const CompileOptions &options, Source &source);

} // namespace agt::tool

#endif
