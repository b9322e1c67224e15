// `worker --metrics PORT`: the metrics of a worker, on the loopback address.
#ifndef AGT_RUNTIME_CLI_METRICSSERVER_H
#define AGT_RUNTIME_CLI_METRICSSERVER_H

#include "runtime/Agent/Worker.h"
#include "runtime/Cli/AgentOptions.h"
#include "runtime/Ui/Metrics.h"

namespace agt::rt {

/// Serves on a thread of its own, and reads the log on a connection of its own,
/// while it lives. Says on stderr where. Fails as WebServer and LogAccess do.
class MetricsServer {
public:
  MetricsServer(const AgentProgram &program, const AgentOptions &options,
                const Worker &worker);
  ~MetricsServer();

private:
  LogAccess access;
  Metrics metrics;
  WebServer server;
  std::thread thread;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_METRICSSERVER_H
