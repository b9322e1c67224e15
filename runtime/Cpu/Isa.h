// What the processor can run (agt_isa).
#ifndef AGT_RUNTIME_CPU_ISA_H
#define AGT_RUNTIME_CPU_ISA_H

#include <cstdint>
#include <string>

namespace agt::rt {

/// The highest level of the x86-64 psABI that this processor and its system
/// run; AGT_ISA_NONE where there is no native code for it. AGT_CPU_ISA=v3
/// lowers it, for tests.
uint32_t processorIsa();

/// The processor's name, for people.
std::string processorName();

} // namespace agt::rt

#endif // AGT_RUNTIME_CPU_ISA_H
