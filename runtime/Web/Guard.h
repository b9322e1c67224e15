// Which requests are answered at all. The pages of other origins, and names
// that were made to point here (DNS rebinding), must neither read the console
// nor act through it.
#ifndef AGT_RUNTIME_WEB_GUARD_H
#define AGT_RUNTIME_WEB_GUARD_H

#include "runtime/Web/WebServer.h"

#include <optional>

namespace agt::rt {

/// Why the request is not answered:
/// - its Host is not 127.0.0.1, localhost or [::1], with any port;
/// - it comes from a page of another origin.
std::optional<WebReply> foreignRefusal(const WebRequest &request);

/// That, and:
/// - it would change something and does not carry `token` as X-Agt-Token, or
///   its body is not said to be JSON.
std::optional<WebReply> refusal(const WebRequest &request,
                                const std::string &token);

/// 64 hexadecimal digits that nobody can guess.
std::string newToken();

} // namespace agt::rt

#endif // AGT_RUNTIME_WEB_GUARD_H
