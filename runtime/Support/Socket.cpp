// See Socket.h.
#include "runtime/Support/Socket.h"

#include <cerrno>
#include <sys/socket.h>
#include <sys/types.h>

namespace agt::rt {

bool sendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes.remove_prefix(size_t(n));
  }
  return true;
}

} // namespace agt::rt
