// Statuses are allocated one by one; the one that says that memory is used up
// is static, since there may be no memory to say it in.
#include "runtime/Support/Failure.h"

#include <new>
#include <system_error>

namespace agt::rt {

static agt_failure &outOfMemory() {
  static agt_failure failure{AGT_FAILED, "out of memory", ""};
  return failure;
}

void fail(agt_code code, std::string message, std::string place) {
  throw Failure(code, std::move(message), std::move(place));
}

static agt_status makeStatus(int code, std::string message, std::string place) {
  return new agt_failure{code, std::move(message), std::move(place)};
}

agt_status statusOfCurrentException() noexcept {
  try {
    try {
      throw;
    } catch (Failure &failure) {
      return makeStatus(failure.code, std::move(failure.message),
                        std::move(failure.place));
    } catch (const std::bad_alloc &) {
      return &outOfMemory();
    } catch (const std::system_error &error) {
      bool isThread = error.code() == std::errc::resource_unavailable_try_again;
      return makeStatus(AGT_FAILED,
                        std::string(isThread ? "cannot start a thread: " : "") +
                            error.what(),
                        "");
    } catch (const std::exception &error) {
      return makeStatus(AGT_FAILED, error.what(), "");
    } catch (...) {
      return makeStatus(AGT_FAILED, "unknown failure in the runtime", "");
    }
  } catch (...) {
    return &outOfMemory();
  }
}

void rethrow(agt_status status) {
  if (!status)
    return;
  Failure failure(static_cast<agt_code>(status->code), status->message,
                  status->place);
  agt_status_release(status);
  throw failure;
}

} // namespace agt::rt

using namespace agt::rt;

int agt_status_code(agt_status status) {
  return status ? status->code : AGT_OK;
}

const char *agt_status_message(agt_status status) {
  return status ? status->message.c_str() : "";
}

const char *agt_status_place(agt_status status) {
  return status ? status->place.c_str() : "";
}

void agt_status_release(agt_status status) {
  if (status != &outOfMemory())
    delete status;
}
