// A program that mpirun has started several times over.
#ifndef AGT_RUNTIME_CLI_RANKS_H
#define AGT_RUNTIME_CLI_RANKS_H

#include "runtime/Mesh/Mpi.h"
#include "runtime/Program/Manifest.h"

#include <functional>

namespace agt::rt {

/// Joins the ranks and makes sure that all run the same program with the same
/// words behind it; NULL where mpirun has started one rank or is not there.
std::unique_ptr<MpiWorld> joinRanks(const Manifest &manifest,
                                    const std::vector<std::string> &words);

/// Fails where the graph does not have a position for each rank.
void checkRanks(const agt_graph &graph);

/// On all ranks the inputs that rank 0 has read: only there their data, on the
/// others their types and shapes.
class SharedInputs {
public:
  /// `read` is called on rank 0 only; what it returns lives as long as its
  /// owner does.
  SharedInputs(MpiWorld &world,
               const std::function<std::vector<agt_tensor>()> &read);
  const std::vector<agt_tensor> &tensors() const { return values; }

private:
  std::vector<std::vector<int64_t>> shapes;
  std::vector<agt_tensor> values;
};

/// True where another rank says what went wrong.
bool isSilentRank();

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_RANKS_H
