// What the processor can run (agt_isa).
#ifndef AGT_RUNTIME_CPU_ISA_H
#define AGT_RUNTIME_CPU_ISA_H

#include <cstdint>
#include <string>

namespace agt::rt {

/// The most that this processor and its system run; AGT_ISA_NONE where there is
/// no native code for them. AGT_CPU_ISA=v3 or v4 lowers it, for tests.
uint32_t processorIsa();

/// The processor's name, for people.
std::string processorName();

} // namespace agt::rt

#endif // AGT_RUNTIME_CPU_ISA_H
