// The test agents as a program.
#include "unittests/Agent/TestAgents.h"

int main(int argc, char **argv) {
  return agt_main_agents(argc, argv, &agt::rt::test::testAgentProgram,
                         &agt::rt::test::testAgents);
}
