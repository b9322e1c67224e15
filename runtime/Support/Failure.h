// Failures inside the runtime and their way out through the C ABI.
//
// Inside, a failure is a C++ exception of type Failure. Every function of
// agt/runtime.h runs its body in guard(), which turns whatever is thrown into
// an agt_status: no exception crosses the header. A status owns its texts and
// lives until agt_status_release.
#ifndef AGT_RUNTIME_SUPPORT_FAILURE_H
#define AGT_RUNTIME_SUPPORT_FAILURE_H

#include "agt/runtime.h"

#include <exception>
#include <string>
#include <utility>

/// What an agt_status points to.
struct agt_failure {
  int code;
  std::string message;
  std::string place;
};

namespace agt::rt {

class Failure : public std::exception {
public:
  Failure(agt_code code, std::string message, std::string place = {})
      : code(code), message(std::move(message)), place(std::move(place)) {}
  const char *what() const noexcept override { return message.c_str(); }

  agt_code code;
  std::string message;
  std::string place; // file:line:column or ""
};

/// Throws a Failure.
[[noreturn]] void fail(agt_code code, std::string message,
                       std::string place = {});

/// The status for the exception being handled. Call in a catch block only.
agt_status statusOfCurrentException() noexcept;

/// Runs `body` and returns NULL, or the status for what it threw.
template <typename Body> agt_status guard(Body &&body) noexcept {
  try {
    body();
    return nullptr;
  } catch (...) {
    return statusOfCurrentException();
  }
}

/// Throws the Failure that `status` stands for and releases it; returns when
/// `status` is NULL.
void rethrow(agt_status status);

} // namespace agt::rt

#endif // AGT_RUNTIME_SUPPORT_FAILURE_H
