/* Calls a graph with NULL where something must be. */
#include "attention.h"

#include <stdio.h>

static void say(const char *what, agt_status status) {
  printf("%s: %s\n", what, status ? agt_status_message(status) : "fine");
  agt_status_release(status);
}

int main(void) {
  static float x[128];
  const int64_t shape[3] = {1, 1, 128};
  const agt_tensor in[3] = {{x, AGT_F32, 3, shape, NULL},
                            {x, AGT_F32, 3, shape, NULL},
                            {x, AGT_F32, 3, shape, NULL}};
  agt_tensor out[1];
  agt_context *context;
  if (agt_context_create("cpu", &context))
    return 1;
  say("context", attend_graph(NULL, in, 3, out, 1));
  say("inputs", attend_graph(context, NULL, 3, out, 1));
  say("results", attend_graph(context, in, 3, NULL, 1));
  say("create", agt_context_create("cpu", NULL));
  agt_context_destroy(context);
  return 0;
}
