// What every transport promises, as bodies that each position runs with its
// own end: in threads of one process, or as ranks of MPI.
#ifndef AGT_UNITTESTS_RUNTIME_TRANSPORTCASES_H
#define AGT_UNITTESTS_RUNTIME_TRANSPORTCASES_H

#include "runtime/Mesh/Transport.h"

#include <string>
#include <vector>

namespace agt::rt::test {

struct TransportCase {
  const char *name;
  /// What went wrong, or "".
  std::string (*run)(Transport &end, int64_t self, int64_t positions);
};

/// For three positions and more.
const std::vector<TransportCase> &transportCases();

} // namespace agt::rt::test

#endif // AGT_UNITTESTS_RUNTIME_TRANSPORTCASES_H
