/* A C program that calls a graph of examples/attention.agt.
 *
 *   agtc examples/attention.agt --emit=lib -o out/libattention.so
 *   cc examples/embed/embed.c -I build/include -I out -L out -lattention \
 *      -Wl,-rpath,'$ORIGIN' -lm -o out/embed
 *   out/embed
 *
 * Four tokens, one head. Token t has the value t everywhere, so an output is
 * the mean token number that a query attends to.
 */
#include "attention.h"

#include <stdio.h>
#include <stdlib.h>

enum { TOKENS = 4, DIM = 128 };

static void check(agt_status status) {
  if (status == NULL)
    return;
  fprintf(stderr, "error: %s\n", agt_status_message(status));
  int code = agt_status_code(status);
  agt_status_release(status);
  exit(code);
}

int main(void) {
  static float q[TOKENS * DIM], k[TOKENS * DIM], v[TOKENS * DIM];
  for (int i = 0; i < TOKENS * DIM; ++i) {
    q[i] = (float)(i % 7) / 7.0f;
    k[i] = (float)(i % 5) / 5.0f;
    v[i] = (float)(i / DIM);
  }
  const int64_t shape[3] = {1, TOKENS, DIM};
  const agt_tensor in[3] = {{q, AGT_F32, 3, shape, NULL},
                            {k, AGT_F32, 3, shape, NULL},
                            {v, AGT_F32, 3, shape, NULL}};
  agt_context *context;
  check(agt_context_create("auto", &context));
  agt_tensor out[1];
  check(attend_graph(context, in, 3, out, 1));

  const float *o = out[0].data;
  printf("%lld x %lld x %lld:", (long long)out[0].shape[0],
         (long long)out[0].shape[1], (long long)out[0].shape[2]);
  for (int token = 0; token < TOKENS; ++token)
    printf(" %.4f", o[token * DIM]);
  printf("\n");

  /* What is wrong with the arguments is said, not suffered. */
  agt_status status = attend_graph(context, in, 2, out, 1);
  printf("two inputs: %s\n", agt_status_message(status));
  agt_status_release(status);

  agt_tensor_release(&out[0]);
  agt_context_destroy(context);
  return 0;
}
