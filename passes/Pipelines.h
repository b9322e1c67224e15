// The order of the passes, in the stretches between two levels of IR that
// people look at. agt-opt knows each by its name.
#ifndef AGT_PASSES_PIPELINES_H
#define AGT_PASSES_PIPELINES_H

namespace mlir {
class OpPassManager;
}

namespace agt {

/// agt-show-shardings: what was not said of shardings is written down, on the
/// author's own ops. For people.
void buildShardingPipeline(mlir::OpPassManager &passes);

/// agt-model-pipeline: graphs that the runtime asks for and the author did not
/// write. Before the manifest is made.
void buildModelPipeline(mlir::OpPassManager &passes, bool explain = false);

/// What passes are told of the whole program.
struct PipelineOptions {
  bool explain = false;      // say as remarks what is decided
  bool reproducible = false; // the same bits whatever the mesh
};

/// agt-ring-pipeline: agt IR as the front end gives it, calls inlined; graphs
/// on a mesh become the program of one position.
void buildRingPipeline(mlir::OpPassManager &passes,
                       const PipelineOptions &options = {});

/// agt-kernel-pipeline: that to graphs of agt.kernel and agt.attention, sizes
/// resolved.
void buildKernelPipeline(mlir::OpPassManager &passes, bool explain = false);

/// The last passes of a reproducible program. What they make is for the host
/// program alone: the oracle takes graphs as they were before.
void buildLeavesPipeline(mlir::OpPassManager &passes);

void registerAgtPipelines();

} // namespace agt

#endif // AGT_PASSES_PIPELINES_H
