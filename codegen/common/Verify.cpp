// See Verify.h.
#include "codegen/common/Verify.h"

#include <cstdlib>
#include <string_view>

static bool asked = false;

bool agt::codegen::verifiesEachPass() {
  static const char *variable = std::getenv("AGT_VERIFY_EACH");
  return asked || (variable && std::string_view(variable) == "1");
}

void agt::codegen::verifyEachPass() { asked = true; }
