// See Console.h.
#include "runtime/Ui/Console.h"

#include "runtime/Ui/Page.h"
#include "runtime/Web/Guard.h"

namespace agt::rt {

namespace {

const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

std::string escaped(const std::string &text) {
  std::string out;
  for (char letter : text)
    switch (letter) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += letter;
    }
  return out;
}

void replace(std::string &text, const std::string &mark,
             const std::string &value) {
  for (size_t at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at + value.size()))
    text.replace(at, mark.size(), value);
}

} // namespace

Console::Console(const AgentProgram &program, const std::string &url,
                 const std::string &title, SpanSink *spans)
    : access(url), news(access), api(program, access, news, title, spans),
      metrics(access, title, program.hash), title(title), token(newToken()) {}

WebReply Console::answer(const WebRequest &request) {
  WebReply reply;
  if (std::optional<WebReply> refused = refusal(request, token)) {
    reply = std::move(*refused);
  } else if (request.path.rfind("/api/", 0) == 0) {
    reply = api.answer(request);
  } else if (request.method == "POST") {
    reply = errorReply(405, "expected GET for '" + request.path + "'");
  } else if (request.path == "/metrics") {
    reply = metrics.reply();
  } else if (const PageFile *file =
                 findPageFile(request.path == "/"
                                  ? "console.html"
                                  : std::string_view(request.path).substr(1))) {
    reply.type = file->type;
    reply.body = file->content;
    if (request.path == "/") {
      replace(reply.body, "@TITLE@", escaped(title));
      replace(reply.body, "@TOKEN@", token);
    }
  } else {
    reply = errorReply(404, "there is no '" + request.path + "'");
  }
  reply.headers.emplace_back("Content-Security-Policy", policy);
  reply.headers.emplace_back("X-Frame-Options", "DENY");
  return reply;
}

} // namespace agt::rt
