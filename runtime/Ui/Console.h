// The console of a program with agents: the page, its API and the metrics, on
// the loopback address.
#ifndef AGT_RUNTIME_UI_CONSOLE_H
#define AGT_RUNTIME_UI_CONSOLE_H

#include "runtime/Ui/Api.h"
#include "runtime/Ui/Metrics.h"

namespace agt::rt {

class Console {
public:
  /// `title`: the program's name. `spans`: as Api has it. Opens the log; fails
  /// as openStepLog() does.
  Console(const AgentProgram &program, const std::string &url,
          const std::string &title, SpanSink *spans);

  WebReply answer(const WebRequest &request);

private:
  LogAccess access;
  LogNews news;
  Api api;
  Metrics metrics;
  std::string title;
  const std::string token;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_UI_CONSOLE_H
