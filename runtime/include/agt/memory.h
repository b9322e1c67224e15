/* agt/memory.h - whether there is room for what is about to be held.
 *
 * The compiler's interpreter asks before it computes, by what a program goes by
 * before it runs: the memory that is left to this process.
 */
#ifndef AGT_MEMORY_H
#define AGT_MEMORY_H

#include "agt/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* AGT_FAILED at `place` where fewer than `bytes` are left: "not enough memory:
 * WHO needs ..., there are ... free of ...". */
AGT_API agt_status agt_memory_check(const char *who, uint64_t bytes,
                                    const char *place);

#ifdef __cplusplus
}
#endif

#endif /* AGT_MEMORY_H */
