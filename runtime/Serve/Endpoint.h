// The endpoint of `serve`: the part of OpenAI's HTTP API that is about models
// and completions, for the llms that the program holds.
//
//   GET  /v1/models
//   POST /v1/completions
//   POST /v1/chat/completions
//
// Requests that come at the same time share launches. A client that goes away
// stops its request at the next token.
#ifndef AGT_RUNTIME_SERVE_ENDPOINT_H
#define AGT_RUNTIME_SERVE_ENDPOINT_H

#include "runtime/Generate/SharedModel.h"
#include "runtime/Serve/Question.h"
#include "runtime/Web/WebServer.h"

namespace agt::rt {

class Endpoint {
public:
  /// By the names that clients use.
  using Models = std::map<std::string, std::unique_ptr<SharedModel>>;
  explicit Endpoint(Models models) : models(std::move(models)) {}

  /// Called on any thread.
  WebReply answer(const WebRequest &request);

private:
  WebReply complete(const WebRequest &request, bool chat);
  WebReply list() const;
  std::string newId(bool chat);

  Models models;
  std::atomic<uint64_t> counter{0};
};

} // namespace agt::rt

#endif // AGT_RUNTIME_SERVE_ENDPOINT_H
