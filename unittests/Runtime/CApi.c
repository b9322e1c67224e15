/* The C header as a C program sees it: an embedder that runs a graph. */
#include "agt/runtime.h"

int add_one_from_c(agt_graph_fn graph, const char *device, int32_t *values,
                   int64_t n, int32_t *result);

/* The code of the first status that is not fine. */
int add_one_from_c(agt_graph_fn graph, const char *device, int32_t *values,
                   int64_t n, int32_t *result) {
  agt_context *context = NULL;
  agt_tensor in = {values, AGT_I32, 1, &n, NULL};
  agt_tensor out;
  agt_status status = agt_context_create(device, &context);
  int code;
  if (!status)
    status = graph(context, &in, 1, &out, 1);
  code = agt_status_code(status);
  if (!status) {
    for (int64_t i = 0; i < out.shape[0]; ++i)
      result[i] = ((int32_t *)out.data)[i];
    agt_tensor_release(&out);
  }
  agt_status_release(status);
  agt_context_destroy(context);
  return code;
}
