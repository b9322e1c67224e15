// The CPU as a device: native variants of kernels, run by a pool of threads.
#ifndef AGT_RUNTIME_CPU_CPUDEVICE_H
#define AGT_RUNTIME_CPU_CPUDEVICE_H

#include "runtime/Device/Device.h"

namespace agt::rt {

/// Fails with AGT_MISSING where the processor runs no native variants.
std::unique_ptr<Device> makeCpuDevice();

/// True where makeCpuDevice succeeds.
bool hasCpuDevice();

} // namespace agt::rt

#endif // AGT_RUNTIME_CPU_CPUDEVICE_H
