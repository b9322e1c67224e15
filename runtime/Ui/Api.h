// The JSON API of the console page: docs/Console.md. Everything the page shows
// comes from here, and the actions are those of the command line.
#ifndef AGT_RUNTIME_UI_API_H
#define AGT_RUNTIME_UI_API_H

#include "runtime/Agent/Execution.h"
#include "runtime/Ui/LogAccess.h"
#include "runtime/Web/WebServer.h"

namespace agt::rt {

class Api {
public:
  /// `spans`: where traces of what it ends go; NULL: nowhere.
  Api(const AgentProgram &program, LogAccess &access, LogNews &news,
      std::string title, SpanSink *spans)
      : program(program), access(access), news(news), title(std::move(title)),
        spans(spans) {}

  /// Answers a request whose path begins with /api/. Never throws for what
  /// somebody asks; failures are JSON with the status that fits.
  WebReply answer(const WebRequest &request);

private:
  WebReply route(const WebRequest &request);
  WebReply about();
  WebReply runs(const WebRequest &request);
  WebReply run(const std::string &id, const WebRequest &request);
  WebReply events(const std::string &id, const WebRequest &request);
  WebReply value(const std::string &id, const std::string &handle);
  WebReply act(const std::string &id, const std::string &action,
               const WebRequest &request);
  WebReply liveRuns();
  WebReply liveEvents(const std::string &id, int64_t after);

  const AgentProgram &program;
  LogAccess &access;
  LogNews &news;
  std::string title;
  SpanSink *spans;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_UI_API_H
