// Writing to sockets.
#ifndef AGT_RUNTIME_SUPPORT_SOCKET_H
#define AGT_RUNTIME_SUPPORT_SOCKET_H

#include <string_view>

namespace agt::rt {

/// False, with errno, where not all can be sent; a reader that is gone is no
/// signal.
bool sendAll(int socket, std::string_view bytes);

} // namespace agt::rt

#endif // AGT_RUNTIME_SUPPORT_SOCKET_H
