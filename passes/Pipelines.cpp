// See Pipelines.h.
#include "passes/Pipelines.h"

#include "passes/Passes.h"

#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace agt;

/// Sizes as numbers, everything else as small as it gets.
static void addCleanUp(OpPassManager &passes) {
  passes.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void agt::buildShardingPipeline(OpPassManager &passes) {
  // Packed sequences on a mesh become segments before anything is sharded.
  ExpandAttentionOptions packed;
  packed.packedOnMesh = true;
  passes.addPass(createExpandAttention(packed));
  passes.addNestedPass<GraphOp>(createPropagateShardings());
}

void agt::buildModelPipeline(OpPassManager &passes, bool explain) {
  passes.addPass(createPinContexts({explain}));
  passes.addPass(createPageCaches());
}

void agt::buildRingPipeline(OpPassManager &passes,
                            const PipelineOptions &options) {
  passes.addPass(createInlinerPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  buildShardingPipeline(passes);
  if (options.reproducible)
    passes.addNestedPass<GraphOp>(createCutAtLeaves());
  passes.addPass(createAddPolicies());
  passes.addNestedPass<GraphOp>(createConvertToRing({options.explain}));
  addCleanUp(passes);
}

void agt::buildKernelPipeline(OpPassManager &passes, bool explain) {
  passes.addNestedPass<GraphOp>(createLowerRing());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createSplitRope());
  passes.addPass(createExpandAttention());
  passes.addNestedPass<GraphOp>(createFormKernels({explain}));
  addCleanUp(passes);
  passes.addNestedPass<GraphOp>(createVerifyKernels());
}

void agt::buildLeavesPipeline(OpPassManager &passes) {
  passes.addNestedPass<GraphOp>(createSplitIntoLeaves());
}

namespace {
struct ReproducibleOption : PassPipelineOptions<ReproducibleOption> {
  Option<bool> reproducible{*this, "reproducible",
                            llvm::cl::desc("as agtc --reproducible"),
                            llvm::cl::init(false)};
};
} // namespace

void agt::registerAgtPipelines() {
  PassPipelineRegistration<>("agt-show-shardings",
                             "shardings that are not said, written down",
                             buildShardingPipeline);
  PassPipelineRegistration<>(
      "agt-model-pipeline", "graphs that the runtime asks for",
      [](OpPassManager &passes) { buildModelPipeline(passes); });
  PassPipelineRegistration<ReproducibleOption>(
      "agt-ring-pipeline", "agt as the front end gives it, to ring",
      [](OpPassManager &passes, const ReproducibleOption &option) {
        buildRingPipeline(passes, {/*explain=*/false, option.reproducible});
      });
  PassPipelineRegistration<>(
      "agt-kernel-pipeline", "ring to graphs of kernels",
      [](OpPassManager &passes) { buildKernelPipeline(passes); });
}
