// A program with a ring of four positions, for tests of the command line and
// of MPI. AGT_TEST_HASH is another hash than the program's, as if it were
// another program; AGT_TEST_DELAY the most microseconds a launch waits.
#include "unittests/Runtime/MeshProgram.h"
#include "unittests/Runtime/TestProgram.h"

#include <cstdlib>
#include <string>

using namespace agt::rt::test;

static RingGraph &ring() {
  static RingGraph graph(4, recordRing);
  return graph;
}

static agt_status runRing(agt_context *context, const agt_tensor *in,
                          size_t nIn, agt_tensor *out, size_t nOut) {
  return agt_mesh_run(context, &ring().graph, recordRing, in, nIn, out, nOut);
}

int main(int argc, char **argv) {
  if (const char *delay = std::getenv("AGT_TEST_DELAY"))
    launchDelay = unsigned(std::atoi(delay));
  const char *hash = std::getenv("AGT_TEST_HASH");
  std::string manifest = R"({
  "program": "ring", "hash": ")" +
                         std::string(hash ? hash : "0123") + R"(",
  "graphs": [
    {"name": "ring", "mesh": "four",
     "params": [{"name": "x", "type": "tensor<i32, [S]>"}],
     "results": [{"name": "y", "type": "tensor<i32, [S]>"}]},
    {"name": "add_one",
     "params": [{"name": "x", "type": "tensor<i32, [N]>"}],
     "results": [{"name": "y", "type": "tensor<i32, [N]>"}]}
  ]})";
  agt_graph graphs[] = {ring().graph, graph("add_one")};
  graphs[0].run = runRing;
  agt_program program = {
      AGT_ABI_VERSION, manifest.c_str(), graphs, 2, nullptr, 0};
  return agt_main(argc, argv, &program);
}
