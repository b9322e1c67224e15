// agt-form-kernels: the plan (FusionPlan.h) turned into agt.kernel ops.
//
// Sizes of results become arithmetic on dims of the graph's arguments before
// the ops they are asked of go. Kernels are made from the first to the last,
// and one knows its sizes: each question is answered in as many steps as a
// kernel has ops.
#include "passes/Passes.h"

#include "dialect/Agt/Shapes.h"
#include "passes/FusionPlan.h"
#include "passes/Mesh/Shardings.h"

#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

namespace agt {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/Passes.h.inc"
} // namespace agt

using namespace mlir;
using namespace agt;

// A launch has room for so many inputs; a longer concat becomes a tree.
static void splitConcat(ConcatOp op, size_t most) {
  while (op.getInputs().size() > most) {
    OpBuilder b(op);
    SmallVector<Value> parts;
    OperandRange inputs = op.getInputs();
    for (size_t i = 0; i < inputs.size(); i += most) {
      OperandRange group = inputs.slice(i, std::min(most, inputs.size() - i));
      if (group.size() == 1) {
        parts.push_back(group.front());
        continue;
      }
      RankedTensorType type = tensorType(op.getResult());
      SmallVector<int64_t> shape(type.getShape());
      int64_t &length = shape[op.getAxis()];
      length = 0;
      for (Value input : group) {
        int64_t dim = tensorType(input).getDimSize(op.getAxis());
        length = ShapedType::isDynamic(dim) || ShapedType::isDynamic(length)
                     ? ShapedType::kDynamic
                     : length + dim;
      }
      parts.push_back(ConcatOp::create(
          b, op.getLoc(), RankedTensorType::get(shape, type.getElementType()),
          group, op.getAxisAttr()));
    }
    op.getInputsMutable().assign(parts);
  }
}

// The ops it is made of, in the order in which they compute.
static std::string labelOf(ArrayRef<Operation *> members) {
  std::string label;
  size_t parts = 0;
  for (Operation *op : members) {
    if (isa<ScalarOp, FullOp, ReshapeOp, tensor::CastOp>(op) &&
        members.size() > 1)
      continue;
    if (++parts > 4)
      return label + "_etc";
    StringRef name = op->getName().stripDialect();
    label += (label.empty() ? "" : "_") + name.str();
  }
  return label.empty() ? "reshape" : label;
}

namespace {

class FormKernelsPass : public agt::impl::FormKernelsBase<FormKernelsPass> {
public:
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    GraphOp graph = getOperation();
    if (graph.isExternal())
      return;
    for (ConcatOp op : llvm::to_vector(graph.getOps<ConcatOp>()))
      splitConcat(op, kKernelBuffers - 3);
    SmallVector<Operation *> dims;
    graph.walk([&](tensor::DimOp op) { dims.push_back(op); });
    if (failed(resolveDims(dims)))
      return signalPassFailure();

    said.clear();
    FusionPlan plan(graph);
    for (Operation *root : plan.roots()) {
      SmallVector<Operation *> holders;
      if (failed(makeSizes(root, holders)))
        return signalPassFailure();
      makeKernel(plan, root, holders);
    }
    eraseFused(graph);
  }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(set);
    // Calls that were inlined leave casts between tensors and their dims.
    tensor::DimOp::getCanonicalizationPatterns(set, context);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

private:
  LogicalResult resolveDims(ArrayRef<Operation *> dims);
  LogicalResult makeSizes(Operation *root,
                          SmallVectorImpl<Operation *> &holders);
  void makeKernel(FusionPlan &plan, Operation *root,
                  ArrayRef<Operation *> holders);
  void explainKernel(FusionPlan &plan, Operation *root,
                     ArrayRef<Operation *> members);
  void eraseFused(GraphOp graph);

  FrozenRewritePatternSet patterns;
  /// Remarks of the graph at hand, by place.
  std::set<std::pair<const void *, std::string>> said;
};

/// Fills the body of a kernel: what is not computed in it becomes an argument.
class BodyBuilder {
public:
  BodyBuilder(OpBuilder &b, Block *body) : b(b), body(body) {}

  void add(Operation *op) {
    for (Value operand : op->getOperands())
      import(operand);
    b.clone(*op, mapping);
  }
  Value mapped(Value value) { return mapping.lookup(value); }
  ArrayRef<Value> inputs() const { return captured; }

private:
  void import(Value value) {
    if (mapping.contains(value))
      return;
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant))) {
      b.clone(*value.getDefiningOp(), mapping);
      return;
    }
    mapping.map(value, body->addArgument(value.getType(), value.getLoc()));
    captured.push_back(value);
  }

  OpBuilder &b;
  Block *body;
  IRMapping mapping;
  SmallVector<Value> captured;
};

} // namespace

// tensor.dim of results becomes arithmetic on dims of arguments.
LogicalResult FormKernelsPass::resolveDims(ArrayRef<Operation *> dims) {
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(dims, patterns, config);
}

// The sizes of the root's open dims, as operands of ops that hold them while
// what they are computed from is rewritten.
LogicalResult
FormKernelsPass::makeSizes(Operation *root,
                           SmallVectorImpl<Operation *> &holders) {
  bool open = llvm::any_of(root->getResultTypes(), [](Type type) {
    return !cast<RankedTensorType>(type).hasStaticShape();
  });
  if (!open)
    return success();
  Operation *before = root->getPrevNode();
  OpBuilder b(root);
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(b, root, shapes)))
    return root->emitOpError("has dims that nothing gives a size");
  for (auto [result, sizes] : llvm::zip_equal(root->getResults(), shapes))
    for (auto [i, size] : llvm::enumerate(sizes))
      if (cast<RankedTensorType>(result.getType()).isDynamicDim(i))
        holders.push_back(UnrealizedConversionCastOp::create(
            b, root->getLoc(), b.getIndexType(),
            asValue(b, root->getLoc(), size)));
  SmallVector<Operation *> dims;
  for (Operation *op = root->getPrevNode(); op != before;
       op = op->getPrevNode())
    if (isa<tensor::DimOp>(op))
      dims.push_back(op);
  return resolveDims(dims);
}

void FormKernelsPass::makeKernel(FusionPlan &plan, Operation *root,
                                 ArrayRef<Operation *> holders) {
  SmallVector<Operation *> members = plan.members(root);
  explainKernel(plan, root, members);
  SmallVector<Value> open;
  for (Operation *holder : holders)
    open.push_back(holder->getOperand(0));

  OpBuilder b(root);
  auto body = std::make_unique<Region>();
  Block *block = &body->emplaceBlock();
  b.setInsertionPointToStart(block);
  BodyBuilder builder(b, block);
  for (Operation *op : members)
    builder.add(op);
  SmallVector<Value> results;
  for (Value result : root->getResults())
    results.push_back(builder.mapped(result));
  YieldOp::create(b, root->getLoc(), results);

  b.setInsertionPoint(root);
  auto kernel = KernelOp::create(b, root->getLoc(), root->getResultTypes(),
                                 labelOf(members), builder.inputs(), open);
  kernel.getBody().takeBody(*body);
  root->replaceAllUsesWith(kernel);
  for (Operation *holder : holders)
    holder->erase();
  ++kernels;
  fusedOps += members.size() - 1;
}

void FormKernelsPass::explainKernel(FusionPlan &plan, Operation *root,
                                    ArrayRef<Operation *> members) {
  // Of a graph that is there twice one speaks.
  if (!explain || root->getParentOfType<GraphOp>()->hasAttr(kPolicyOf))
    return;
  std::string text = llvm::formatv(
      "kernel '{0}' of {1} {2}; '{3}' has memory because {4}", labelOf(members),
      members.size(), members.size() == 1 ? "op" : "ops",
      root->getName().stripDialect(), plan.reason(root));
  // The steps of a ring are one line of the source, and alike.
  if (!said.insert({root->getLoc().getAsOpaquePointer(), text}).second)
    return;
  InFlightDiagnostic remark = root->emitRemark(text);
  for (Operation *op : members)
    if (op->getLoc() != root->getLoc())
      remark.attachNote(op->getLoc())
          << "'" << op->getName().stripDialect() << "' is computed in it";
}

// Everything that a kernel has taken in is without readers by now.
void FormKernelsPass::eraseFused(GraphOp graph) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(graph.getBody().front())))
    if (fusionKind(&op) != FusionKind::Outside && op.use_empty())
      op.erase();
}
