// See Secrets.h. Values of fewer than 4 characters are not looked for: they
// would turn up everywhere and hide nothing.
#include "runtime/Agent/Secrets.h"

#include "runtime/Value/Value.h"

#include <cstdlib>
#include <mutex>
#include <set>

namespace agt::rt {

namespace {
std::mutex &mutex() {
  static std::mutex instance;
  return instance;
}
std::set<std::string> &values() {
  static std::set<std::string> instance;
  return instance;
}
} // namespace

std::string readSecret(const std::string &name) {
  const char *value = std::getenv(name.c_str());
  if (!value)
    throw StepFailure("the secret " + name + " is not set in the environment");
  std::string text = value;
  if (text.size() >= 4) {
    std::lock_guard<std::mutex> held(mutex());
    values().insert(text);
  }
  return text;
}

std::string redact(std::string text) {
  std::lock_guard<std::mutex> held(mutex());
  for (const std::string &secret : values())
    for (size_t at = 0; (at = text.find(secret, at)) != std::string::npos;
         at += 3)
      text.replace(at, secret.size(), "***");
  return text;
}

bool holdsSecret(const std::string &text) {
  std::lock_guard<std::mutex> held(mutex());
  for (const std::string &secret : values())
    if (text.find(secret) != std::string::npos)
      return true;
  return false;
}

} // namespace agt::rt
