// Which processors this process may use, and how many threads that makes.
#ifndef AGT_RUNTIME_CPU_PROCESSORS_H
#define AGT_RUNTIME_CPU_PROCESSORS_H

#include <pthread.h>
#include <vector>

namespace agt::rt {

/// The processors in the affinity mask of the calling thread.
std::vector<int> usableProcessors();

/// How many of them may run at once: fewer where a control group limits the
/// process (cpu.max), another number where AGT_CPU_THREADS says so.
unsigned threadCount();

void pinThread(pthread_t thread, int processor);

} // namespace agt::rt

#endif // AGT_RUNTIME_CPU_PROCESSORS_H
