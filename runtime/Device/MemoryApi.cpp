// agt/memory.h.
#include "agt/memory.h"

#include "runtime/Device/SystemMemory.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

agt_status agt_memory_check(const char *who, uint64_t bytes,
                            const char *place) {
  using namespace agt::rt;
  return guard([&] {
    MemoryBudget budget = systemMemory();
    applyMemoryLimit(budget, 0);
    if (bytes > budget.free)
      fail(AGT_FAILED,
           std::string("not enough memory: ") + who + " needs " +
               bytesText(bytes) + ", there are " + bytesText(budget.free) +
               " free of " + bytesText(budget.total),
           place);
  });
}
