// See Sandbox.h.
#include "runtime/Tool/Sandbox.h"

#include "runtime/Support/Failure.h"

#include <cstdlib>

namespace agt::rt {

std::vector<std::string> sandboxEnvironment(const SandboxDecl &box) {
  std::vector<std::string> all;
  for (const char *name : {"PATH", "LANG", "TZ"})
    if (const char *value = std::getenv(name))
      all.push_back(std::string(name) + "=" + value);
  for (const auto &[name, text] : box.env)
    all.push_back(name + "=" + text.resolve());
  return all;
}

void enterSandbox(const SandboxDecl &, const std::string &tool, ProcessSpec &) {
  fail(AGT_MISSING,
       "the tool '" + tool +
           "' asks for a sandbox, which this program cannot give "
           "yet; without its `sandbox` clause it would run as you");
}

} // namespace agt::rt
