// ui and worker --metrics: what a program serves over HTTP, on the loopback
// address alone.
#include "runtime/Cli/AgentCommands.h"
#include "runtime/Cli/Ending.h"
#include "runtime/Cli/MetricsServer.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Ui/Console.h"

#include <cstdio>

namespace agt::rt {

std::string titleOf(const AgentProgram &program) {
  return program.program ? parseManifest(*program.program).program : "agents";
}

MetricsServer::MetricsServer(const AgentProgram &program,
                             const AgentOptions &options, const Worker &worker)
    : access(options.db),
      metrics(access, titleOf(program), program.hash, &worker),
      server(parsePort("--metrics", options.metrics),
             [this](const WebRequest &request) {
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
