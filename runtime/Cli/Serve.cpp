// See Serve.h.
#include "runtime/Cli/Serve.h"

#include "runtime/Cli/Ending.h"
#include "runtime/Cli/ModelOptions.h"
#include "runtime/Serve/Endpoint.h"
#include "runtime/Support/Failure.h"

#include <cstdio>

namespace agt::rt {

static std::string serveHelp(const std::string &exe) {
  return "usage: " + exe +
         " serve [OPTION...]\n\n"
         "Serves the program's llms on the loopback address as OpenAI's API "
         "does:\n"
         "/v1/models, /v1/completions and /v1/chat/completions. Requests that "
         "come at\n"
         "the same time share the model's launches.\n\n"
         "  --port N             the port (8080); 0 picks a free one\n"
         "  --device DEVICE      auto (default), vulkan, vulkan:N or cpu\n"
         "  --weights NAME=PATH  another file for the weights NAME\n";
}

void runServe(const std::vector<std::string> &arguments,
              const agt_program &program, const Manifest &manifest,
              const std::string &exe) {
  ModelCommand command;
  command.hasLlm = false;
  command.single = {"--port", "--device"};
  command.several = {"--weights"};
  ModelOptions options = parseModelOptions(arguments, command);
  if (options.help) {
    std::fputs(serveHelp(exe).c_str(), stdout);
    return;
  }
  if (manifest.llms.empty())
    fail(AGT_BAD_INPUT, "the program has no llms, which 'serve' is about");
  const std::string *port = options.find("--port");
  int number = parsePort("--port", port ? *port : "8080");
  const std::string *device = options.find("--device");
  DeviceChoice choice = parseDevice(device ? *device : "auto");
  std::map<std::string, std::string> weights =
      parseWeightPaths(options.list("--weights"), manifest);
  Endpoint::Models models;
  for (const ManifestLlm &llm : manifest.llms)
    models[llm.name] =
        std::make_unique<SharedModel>(program, manifest, llm, choice, weights);
  Endpoint endpoint(std::move(models));
  WebServer server(number, [&](const WebRequest &request) {
    return endpoint.answer(request);
  });
  awaitEnding();
  std::printf("http://127.0.0.1:%d/v1\n", server.port());
  if (std::fflush(stdout) != 0)
    fail(AGT_FAILED, "cannot write to the standard output");
  server.serve(toldToEnd);
}

} // namespace agt::rt
