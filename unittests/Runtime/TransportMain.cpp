// One case of the transports' suite as a rank of MPI: prints what went wrong,
// or "passed".
#include "runtime/Mesh/Mpi.h"
#include "unittests/Runtime/TransportCases.h"

#include <cstdio>
#include <cstring>

using namespace agt::rt;
using namespace agt::rt::test;

int main(int argc, char **argv) {
  MpiWorld world;
  for (const TransportCase &each : transportCases()) {
    if (argc < 2 || std::strcmp(each.name, argv[1]) != 0)
      continue;
    std::string text = each.run(world, world.rank(), world.ranks());
    // One line at a time, and all of them before a rank ends.
    std::printf("rank %lld %s\n", static_cast<long long>(world.rank()),
                text.empty() ? "passed" : text.c_str());
    std::fflush(stdout);
    world.gatherAll("");
    if (world.isCancelled())
      world.stop();
  }
}
