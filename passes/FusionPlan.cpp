// See FusionPlan.h.
#include "passes/FusionPlan.h"

#include "dialect/Agt/Shapes.h"
#include "passes/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace agt {

// One buffer is for the result; and a kernel beyond this many ops gains nothing
// from growing and costs the driver's compiler time.
static constexpr unsigned kMostInputs = kKernelBuffers - 2;
static constexpr size_t kMostMembers = 64;
// A kernel computes a value at few places, since each is code of its own.
static constexpr size_t kMostPlaces = 16;
// An operand that is stretched by broadcasting is evaluated about this often.
static constexpr int64_t kStretched = 16;
// Operations that may be repeated to save a kernel and a tensor in memory.
static constexpr int64_t kMostRepeated = 24;

FusionKind fusionKind(Operation *op) {
  if (isa<ReshapeOp, tensor::CastOp>(op))
    return FusionKind::Alias;
  if (op->hasTrait<Anchor>())
    return FusionKind::Anchor;
  return op->hasTrait<Pulled>() ? FusionKind::Pulled : FusionKind::Outside;
}

static bool isStretched(Value operand, Operation *reader) {
  auto own = cast<RankedTensorType>(operand.getType());
  auto result = cast<RankedTensorType>(reader->getResult(0).getType());
  if (own.getRank() != result.getRank())
    return true;
  for (auto [a, b] : llvm::zip_equal(own.getShape(), result.getShape()))
    if (a == 1 && b != 1)
      return true;
  return false;
}

// How often an element of the operand is evaluated for one of the reader's, and
// more for readers that go over their input several times.
static int64_t evaluations(OpOperand &use) {
  Operation *reader = use.getOwner();
  unsigned number = use.getOperandNumber();
  return llvm::TypeSwitch<Operation *, int64_t>(reader)
      .Case([&](SoftmaxOp) { return 3; })
      .Case<RmsNormOp, LayerNormOp>([&](auto) {
        return number > 0 ? kStretched : isa<RmsNormOp>(reader) ? 2 : 3;
      })
      .Case([&](TopkOp op) { return 1 + static_cast<int64_t>(op.getK()); })
      .Case([&](QuantizeOp) { return 2; })
      .Case([&](RotateOp) { return number == 0 ? 2 : kStretched; })
      .Case<EmbedOp, DequantizeOp>(
          [&](auto) { return number == 1 ? kStretched : 1; })
      .Case([&](CacheAppendOp) { return number == 2 ? kStretched : 1; })
      .Default([&](Operation *) -> int64_t {
        if (reader->hasTrait<Elementwise>() && isStretched(use.get(), reader))
          return kStretched;
        return 1;
      });
}

static int64_t costOf(Operation *op) {
  if (isa<ExpOp, LogOp, TanhOp, SigmoidOp, SiluOp, GeluOp, GeluTanhOp, CosOp,
          SinOp>(op))
    return 10;
  if (isa<RotateOp>(op))
    return 40;
  if (isa<DivOp, RemOp, SqrtOp, RsqrtOp, EmbedOp>(op))
    return 3;
  if (isa<UnpackBlocksOp>(op))
    return 8;
  return 1;
}

FusionPlan::FusionPlan(GraphOp graph) {
  Block &body = graph.getBody().front();
  for (Operation &op : body)
    subtreeOf(&op);
  for (Operation &op : llvm::reverse(body))
    if (fusionKind(&op) != FusionKind::Outside && !op.use_empty())
      decide(&op);
  std::reverse(rootList.begin(), rootList.end());
}

// Costs of everything below, as if all of it were computed in place. Operands
// come before their readers, so theirs are known.
FusionPlan::Subtree FusionPlan::subtreeOf(Operation *op) {
  FusionKind kind = fusionKind(op);
  Subtree sum;
  if (kind == FusionKind::Pulled || kind == FusionKind::Alias) {
    sum.cost = costOf(op);
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      Operation *producer = operand.getDefiningOp();
      auto it = producer ? subtrees.find(producer) : subtrees.end();
      Subtree part = it == subtrees.end() ? Subtree{1, 1} : it->second;
      sum.cost = std::min<int64_t>(sum.cost + part.cost, 1 << 20);
      sum.loads = std::min<int64_t>(sum.loads + part.loads, 1 << 20);
    }
  } else {
    sum = {1, 1};
  }
  subtrees[op] = sum;
  return sum;
}

// ---- demand ----------------------------------------------------------------

// Element by element the operand's place is the reader's, and what is computed
// there once is known. Anything else moves it, to a place of its own.
void FusionPlan::addPlaces(Kernel &kernel, OpOperand &use, Places &places) {
  Operation *reader = use.getOwner();
  bool stays =
      isa<tensor::CastOp>(reader) ||
      (reader->hasTrait<Elementwise>() && !isStretched(use.get(), reader));
  for (unsigned place : kernel.places[reader]) {
    if (places.size() > kMostPlaces)
      return;
    if (!stays)
      place = kernel.moved.try_emplace({&use, place}, 1 + kernel.moved.size())
                  .first->second;
    places.insert(place);
  }
}

FusionPlan::Demand FusionPlan::demandOf(Operation *op) {
  Demand demand;
  for (OpOperand &use : op->getUses()) {
    Operation *reader = use.getOwner();
    if (isa<tensor::DimOp>(reader))
      continue;
    // What is appended to is memory.
    if (isa<CacheAppendOp>(reader) && use.getOperandNumber() == 0) {
      demand.memory = true;
      continue;
    }
    auto it = decisions.find(reader);
    if (it == decisions.end()) {
      // Dead readers want nothing; those outside kernels want memory.
      demand.memory |= fusionKind(reader) == FusionKind::Outside;
      continue;
    }
    const Decision &decision = it->second;
    if (decision.kernels.empty()) { // an alias in memory
      demand.memory = true;
      continue;
    }
    bool factor = isa<MatmulOp>(reader) ||
                  (isa<LinearOp>(reader) && use.getOperandNumber() < 2);
    demand.indexOnly |= factor || decision.indexOnly;
    for (Operation *kernel : decision.kernels) {
      int64_t &most = demand.kernels[kernel];
      most = std::max(most, evaluations(use));
      addPlaces(kernels[kernel], use, demand.places[kernel]);
    }
  }
  return demand;
}

// ---- decisions -------------------------------------------------------------

void FusionPlan::decide(Operation *op) {
  Demand demand = demandOf(op);
  FusionKind kind = fusionKind(op);
  if (kind == FusionKind::Alias && demand.memory) {
    decisions[op] = {};
    return;
  }
  StringRef why;
  if (isa<CacheAppendOp>(op))
    why = "it is written in place";
  else if (demand.memory)
    why = "it is read outside kernels";
  else if (kind == FusionKind::Anchor)
    why = whyNoEpilogue(op, demand);
  else
    why = whyNotPulled(op, demand);
  if (why.empty())
    why = whyFull(op, demand);
  if (why.empty())
    return join(op, demand);
  if (kind == FusionKind::Alias)
    decisions[op] = {};
  else
    makeRoot(op, why);
}

StringRef FusionPlan::whyNotPulled(Operation *op, const Demand &demand) {
  if (demand.kernels.empty())
    return "nothing reads it";
  // Quantised numbers take a quarter of the memory that others do, or less:
  // reading them is worth their arithmetic each time.
  if (isa<UnpackBlocksOp>(op))
    return "";
  if (demand.indexOnly &&
      !isa<ReshapeOp, TransposeOp, SliceOp, CastOp, tensor::CastOp>(op))
    return "a product reads it many times";
  int64_t times = 0;
  for (auto [kernel, evaluations] : demand.kernels)
    times += evaluations;
  Subtree below = subtrees.lookup(op);
  bool constant = below.loads == 0 && below.cost <= kMostRepeated;
  if (times == 1 || constant)
    return "";
  if (below.cost * (times - 1) > kMostRepeated && below.cost > 2)
    return "it would be computed several times";
  if (below.loads > 1 && demand.kernels.size() > 1)
    return "several kernels read it";
  return "";
}

// An anchor's readers can be computed as it stores when they all end in one
// kernel without another anchor, and take its elements where they are.
StringRef FusionPlan::whyNoEpilogue(Operation *op, const Demand &demand) {
  if (op->getNumResults() != 1)
    return "it has several results";
  if (demand.kernels.size() != 1)
    return demand.kernels.empty() ? "nothing reads it"
                                  : "several kernels read it";
  Operation *root = demand.kernels.front().first;
  if (kernels[root].anchored)
    return "its reader's kernel has a loop already";
  SmallVector<Operation *> front{op};
  SmallPtrSet<Operation *, 8> seen;
  while (!front.empty()) {
    Operation *next = front.pop_back_val();
    if (next == root)
      continue;
    for (OpOperand &use : next->getUses()) {
      Operation *reader = use.getOwner();
      if (isa<tensor::DimOp>(reader) || !decisions.count(reader))
        continue;
      bool cast = isa<tensor::CastOp>(reader);
      if ((!reader->hasTrait<Elementwise>() && !cast) ||
          isStretched(use.get(), reader))
        return "its reader moves elements";
      if (seen.insert(reader).second)
        front.push_back(reader);
    }
  }
  return "";
}

StringRef FusionPlan::whyFull(Operation *op, const Demand &demand) {
  for (auto [root, evaluations] : demand.kernels) {
    Kernel &kernel = kernels[root];
    if (kernel.members.size() >= kMostMembers)
      return "its reader's kernel is large enough";
    if (demand.places.lookup(root).size() > kMostPlaces)
      return "it would be computed at many places";
    size_t more = 0;
    for (Value operand : op->getOperands())
      more += isa<RankedTensorType>(operand.getType()) &&
              !kernel.open.contains(operand);
    if (kernel.open.size() - 1 + more > kMostInputs)
      return "its reader's kernel has as many inputs as it can have";
  }
  return "";
}

static void openOperands(Operation *op, SmallPtrSetImpl<Value> &open) {
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      open.insert(operand);
}

void FusionPlan::makeRoot(Operation *op, StringRef reason) {
  decisions[op] = {{op}, reason, false};
  Kernel &kernel = kernels[op];
  kernel.members.push_back(op);
  kernel.places[op].insert(0);
  kernel.anchored = fusionKind(op) == FusionKind::Anchor;
  openOperands(op, kernel.open);
  rootList.push_back(op);
}

void FusionPlan::join(Operation *op, const Demand &demand) {
  Decision &decision = decisions[op];
  decision.indexOnly = demand.indexOnly;
  for (auto [root, evaluations] : demand.kernels) {
    decision.kernels.push_back(root);
    Kernel &kernel = kernels[root];
    kernel.members.push_back(op);
    kernel.places[op] = demand.places.lookup(root);
    kernel.anchored |= fusionKind(op) == FusionKind::Anchor;
    kernel.open.erase(op->getResult(0));
    openOperands(op, kernel.open);
  }
}

SmallVector<Operation *> FusionPlan::members(Operation *root) const {
  SmallVector<Operation *> list(kernels.find(root)->second.members);
  std::reverse(list.begin(), list.end());
  return list;
}

StringRef FusionPlan::reason(Operation *op) const {
  auto it = decisions.find(op);
  return it == decisions.end() ? StringRef() : it->second.reason;
}

} // namespace agt
