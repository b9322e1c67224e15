// ui and worker --metrics: what a program serves over HTTP, on the loopback
// address alone.
#include "runtime/Cli/AgentCommands.h"
#include "runtime/Cli/Ending.h"
#include "runtime/Cli/MetricsServer.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Ui/Console.h"

#include <cstdio>
#include <cstring>

namespace agt::rt {

std::string titleOf(const AgentProgram &program) {
  return program.program ? parseManifest(*program.program).program : "agents";
}

// `--metrics 9100`, or with an address that is this machine's own: what is
// served is for whoever is on this machine.
static int metricsPort(const std::string &text) {
  for (const char *host : {"127.0.0.1:", "localhost:"})
    if (text.rfind(host, 0) == 0)
      return parsePort("--metrics", text.substr(std::strlen(host)));
  if (text.find(':') != std::string::npos ||
      text.find('.') != std::string::npos)
    fail(
        AGT_BAD_INPUT,
        "expected --metrics as a port of the loopback address, such as 9100 or "
        "127.0.0.1:9100, got '" +
            text + "'");
  return parsePort("--metrics", text);
}

MetricsServer::MetricsServer(const AgentProgram &program,
                             const AgentOptions &options, const Worker &worker)
    : access(options.db),
      metrics(access, titleOf(program), program.hash, &worker),
      server(metricsPort(options.metrics), [this](const WebRequest &request) {
        return answerMetrics(metrics, request);
      }) {
  std::fprintf(stderr, "metrics at http://127.0.0.1:%d/metrics\n",
               server.port());
  thread = std::thread([this] { server.serve([] { return false; }); });
}

MetricsServer::~MetricsServer() {
  server.end();
  thread.join();
}

int uiCommand(const AgentProgram &program, const AgentOptions &options,
              SpanSink *spans) {
  int port = options.port.empty() ? 0 : parsePort("--port", options.port);
  Console console(program, options.db, titleOf(program), spans);
  WebServer server(
      port, [&](const WebRequest &request) { return console.answer(request); });
  awaitEnding();
  printText("http://127.0.0.1:" + std::to_string(server.port()) + "/\n");
  if (std::fflush(stdout) != 0)
    fail(AGT_FAILED, "cannot write to the standard output");
  server.serve(toldToEnd);
  return AGT_OK;
}

} // namespace agt::rt
