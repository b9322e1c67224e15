// What is refused, and why.
#ifndef AGT_UNITTESTS_RUNTIME_REFUSAL_H
#define AGT_UNITTESTS_RUNTIME_REFUSAL_H

#include "runtime/Support/Failure.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>

namespace agt::rt::test {

/// The message of the AGT_BAD_INPUT that `body` fails with; "" where it does
/// not.
inline std::string messageOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code, AGT_BAD_INPUT);
    return failure.message;
  }
  return "";
}

} // namespace agt::rt::test

#endif // AGT_UNITTESTS_RUNTIME_REFUSAL_H
