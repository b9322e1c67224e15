// EXE run GRAPH ...
#ifndef AGT_RUNTIME_CLI_RUN_H
#define AGT_RUNTIME_CLI_RUN_H

#include "runtime/Cli/Manifest.h"
#include "runtime/Cli/RunOptions.h"

namespace agt::rt {

/// Runs a graph as the options say: reads, computes, writes, reports. Fails
/// before the device is touched where the input is to blame.
void runGraph(const agt_program &program, const Manifest &manifest,
              const RunOptions &options);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_RUN_H
