// EXE run GRAPH ...
#ifndef AGT_RUNTIME_CLI_RUN_H
#define AGT_RUNTIME_CLI_RUN_H

#include "runtime/Cli/RunOptions.h"
#include "runtime/Program/Manifest.h"

namespace agt::rt {

class MpiWorld;

/// Runs a graph as the options say: reads, computes, writes, reports. Fails
/// before the device is touched where the input is to blame. With `world` this
/// process is one rank of several, of which rank 0 reads, writes and reports.
void runGraph(const agt_program &program, const Manifest &manifest,
              const RunOptions &options, MpiWorld *world);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_RUN_H
