// An HTTP request as it comes in, piece by piece.
#ifndef AGT_RUNTIME_WEB_WEBREQUEST_H
#define AGT_RUNTIME_WEB_WEBREQUEST_H

#include "runtime/Web/WebServer.h"

#include <http_parser.h>

namespace agt::rt {

class WebRequestReader {
public:
  WebRequestReader();
  WebRequestReader(const WebRequestReader &) = delete;

  enum State { More, Whole, Refused };
  State feed(const char *data, size_t bytes);

  WebRequest request; // once it is Whole
  int status = 400;   // why it is Refused
  std::string error;

private:
  static WebRequestReader &of(http_parser *parser) {
    return *static_cast<WebRequestReader *>(parser->data);
  }
  int refuse(int code, const char *why);
  int takeHeader();
  bool takeTarget();

  http_parser parser;
  std::string target, name, value;
  bool inValue = false, whole = false;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_WEB_WEBREQUEST_H
