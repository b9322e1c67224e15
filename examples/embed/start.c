/* A C program that runs the agent of examples/agents/bucket.agt.
 *
 *   agtc examples/agents/bucket.agt --emit=lib -o out/libbucket.so
 *   cc examples/embed/start.c -I build/include -I out -L out -lbucket \
 *      -Wl,-rpath,'$ORIGIN' -o out/start
 *   SERVICE_STATE=out/state out/start RUN_ID '{"project": "demo"}'
 *
 * The same RUN_ID again goes on where the run was left, whatever became of the
 * process in between.
 */
#include "bucket.h"

#include <stdio.h>

int main(int argc, char **argv) {
  char *result = NULL;
  agt_status status = provision_start(NULL, argc > 1 ? argv[1] : NULL,
                                      argc > 2 ? argv[2] : NULL, &result);
  if (status != NULL) {
    int code = agt_status_code(status);
    fprintf(stderr, "%s: %s\n", code == 3 ? "waiting" : "error",
            agt_status_message(status));
    agt_status_release(status);
    return code;
  }
  printf("%s\n", result);
  agt_text_release(result);
  return 0;
}
