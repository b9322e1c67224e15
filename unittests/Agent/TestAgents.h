// Agents as the compiler makes them, written by hand: what the tests of the
// runtime run, in this process and as the program agt-test-agents.
#ifndef AGT_UNITTESTS_AGENT_TESTAGENTS_H
#define AGT_UNITTESTS_AGENT_TESTAGENTS_H

#include "agt/agent.h"

namespace agt::rt::test {

extern const agt_agents testAgents;
extern const agt_program testAgentProgram;

} // namespace agt::rt::test

#endif // AGT_UNITTESTS_AGENT_TESTAGENTS_H
