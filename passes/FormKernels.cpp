// agt-form-kernels: the plan (FusionPlan.h) turned into agt.kernel ops.
//
// Sizes of results are made before anything moves, as arithmetic on dims of
// the graph's arguments: the ops they were asked of are gone afterwards.
#include "passes/Passes.h"

#include "dialect/Agt/Shapes.h"
#include "passes/FusionPlan.h"

#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

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
      OperandRange group =
          inputs.slice(i, std::min(most, inputs.size() - i));
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

// tensor.dim of results becomes arithmetic on dims of arguments.
static LogicalResult resolveDims(GraphOp graph) {
  SmallVector<Operation *> dims;
  graph.walk([&](tensor::DimOp op) { dims.push_back(op); });
  RewritePatternSet patterns(graph.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(dims, std::move(patterns), config);
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

class FormKernelsPass
    : public agt::impl::FormKernelsBase<FormKernelsPass> {
public:
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    GraphOp graph = getOperation();
    if (graph.isExternal())
      return;
    for (ConcatOp op : llvm::to_vector(graph.getOps<ConcatOp>()))
      splitConcat(op, kKernelBuffers - 3);
    if (failed(resolveDims(graph)))
      return signalPassFailure();

    FusionPlan plan(graph);
    for (Operation *root : plan.roots())
      if (failed(makeSizes(root)))
        return signalPassFailure();
    if (failed(resolveDims(graph)))
      return signalPassFailure();
    for (Operation *root : plan.roots())
      makeKernel(plan, root);
    eraseFused(graph);
  }

private:
  LogicalResult makeSizes(Operation *root);
  void makeKernel(FusionPlan &plan, Operation *root);
  void explainKernel(FusionPlan &plan, Operation *root,
                     ArrayRef<Operation *> members);
  void eraseFused(GraphOp graph);

  // Through a cast: values stay alive and are replaced as dims are resolved.
  llvm::DenseMap<Operation *, SmallVector<Operation *>> sizes;
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

// A value that keeps its place while what it stands on is rewritten: the size
// as operand of an op that is erased in the end.
LogicalResult FormKernelsPass::makeSizes(Operation *root) {
  bool open = llvm::any_of(root->getResultTypes(), [](Type type) {
    return !cast<RankedTensorType>(type).hasStaticShape();
  });
  if (!open)
    return success();
  OpBuilder b(root);
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(b, root, shapes)))
    return root->emitOpError("has dims that nothing gives a size");
  for (auto [result, dims] : llvm::zip_equal(root->getResults(), shapes))
    for (auto [i, dim] : llvm::enumerate(dims))
      if (cast<RankedTensorType>(result.getType()).isDynamicDim(i)) {
        auto holder = UnrealizedConversionCastOp::create(
            b, root->getLoc(), b.getIndexType(),
            asValue(b, root->getLoc(), dim));
        sizes[root].push_back(holder);
      }
  return success();
}

void FormKernelsPass::makeKernel(FusionPlan &plan, Operation *root) {
  SmallVector<Operation *> members = plan.members(root);
  explainKernel(plan, root, members);
  SmallVector<Value> open;
  for (Operation *holder : sizes[root])
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
  for (Operation *holder : sizes[root])
    holder->erase();
  ++kernels;
  fusedOps += members.size() - 1;
}

void FormKernelsPass::explainKernel(FusionPlan &plan, Operation *root,
                                    ArrayRef<Operation *> members) {
  if (!explain)
    return;
  InFlightDiagnostic remark = root->emitRemark("kernel '")
                              << labelOf(members) << "' of " << members.size()
                              << (members.size() == 1 ? " op" : " ops")
                              << "; '" << root->getName().stripDialect()
                              << "' has memory because " << plan.reason(root);
  for (Operation *op : members)
    if (op != root)
      remark.attachNote(op->getLoc())
          << "'" << op->getName().stripDialect() << "' is computed in it";
}

// Everything that a kernel has taken in is without readers by now.
void FormKernelsPass::eraseFused(GraphOp graph) {
  for (Operation &op : llvm::make_early_inc_range(
           llvm::reverse(graph.getBody().front())))
    if (fusionKind(&op) != FusionKind::Outside && op.use_empty())
      op.erase();
}
