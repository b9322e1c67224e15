/* agt/weights.h - what a file of weights holds.
 *
 * The compiler asks for the names, types and shapes of tensors when it compiles
 * a graph that uses them; the program reads the same files with the same code
 * when it starts. Calls return an agt_status as those of agt/runtime.h do.
 */
#ifndef AGT_WEIGHTS_H
#define AGT_WEIGHTS_H

#include "agt/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct agt_weights agt_weights;

/* Maps the file and checks all that it says of itself; `format` is the
 * language's word. AGT_BAD_INPUT where it is not such a file. */
AGT_API agt_status agt_weights_open(const char *path, const char *format,
                                    agt_weights **out);
AGT_API void agt_weights_close(agt_weights *weights); /* NULL is allowed */

AGT_API uint64_t agt_weights_count(const agt_weights *weights);

/* Texts and shape live as long as `weights`. */
typedef struct agt_weight {
  const char *name;  /* "" for the one tensor of an .npy file */
  const char *dtype; /* as the file has it: "f32", "u16", "q8_0", ... */
  const int64_t *shape;
  int32_t rank;
  int64_t
      row_bytes; /* of quantised blocks: the bytes of the last dim, else 0 */
} agt_weight;
AGT_API agt_weight agt_weights_tensor(const agt_weights *weights,
                                      uint64_t index);

#ifdef __cplusplus
}
#endif

#endif /* AGT_WEIGHTS_H */
