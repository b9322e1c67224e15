// See ScheduleText.h.
#include "passes/Mesh/ScheduleText.h"

#include "dialect/Ring/Ring.h"

using namespace mlir;
using namespace agt;

void agt::printSchedules(ModuleOp module, llvm::raw_ostream &out) {
  for (GraphOp graph : module.getOps<GraphOp>())
    for (auto schedule : graph.getOps<ring::ScheduleOp>()) {
      out << "// attention of '" << graph.getSymName() << "' over "
          << schedule.getMeets().size() << " places, "
          << schedule.getDirection() << "\n";
      for (auto [place, row] : llvm::enumerate(schedule.getMeets())) {
        out << "//   position " << place << " meets shards ";
        llvm::interleaveComma(cast<DenseI64ArrayAttr>(row).asArrayRef(), out);
        out << "\n";
      }
    }
}
