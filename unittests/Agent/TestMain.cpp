// Tools that tests start run below a supervisor, which is this very program.
#include "runtime/Tool/Process.h"

#include <gtest/gtest.h>

int main(int argc, char **argv) {
  agt::rt::superviseIfAsked(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
