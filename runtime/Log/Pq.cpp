// See Pq.h.
#include "runtime/Log/Pq.h"

#include "runtime/Support/Failure.h"

#include <dlfcn.h>
#include <string>

namespace agt::rt {

static Pq load() {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(AGT_MISSING, "libpq.so.5 is missing, which a step log on PostgreSQL "
                      "needs; install the package libpq5");
  Pq functions;
#define AGT_PQ_FIND(name)                                                      \
  functions.name =                                                             \
      reinterpret_cast<decltype(functions.name)>(dlsym(library, #name));       \
  if (!functions.name)                                                         \
    fail(AGT_MISSING, "libpq has no function " #name);
  AGT_PQ_FUNCTIONS(AGT_PQ_FIND)
#undef AGT_PQ_FIND
  return functions;
}

const Pq &pq() {
  static const Pq functions = load();
  return functions;
}

} // namespace agt::rt
