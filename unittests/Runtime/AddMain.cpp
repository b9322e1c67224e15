// The test program as an executable, for tests of the command line.
#include "unittests/Runtime/TestProgram.h"

int main(int argc, char **argv) {
  return agt_main(argc, argv, &agt::rt::test::program);
}
