//===- Footprint.cpp - How much memory a run takes ------------------------===//
//
// A run without data: the ops are gone through as the interpreter goes through
// them (Interpreter.cpp), with tensors that have a shape and no elements. Each
// counts as what it would hold for as long as the interpreter would hold it,
// which is what shared pointers say. Sizes come from the ops themselves: the
// size arithmetic they can write down is evaluated and thrown away.
//
// An element takes 8 bytes, and 8 more for its bound where it has one: floats
// that are computed do, copies of inputs do not.
//
//===----------------------------------------------------------------------===//

#include "reference/Footprint.h"
#include "reference/Interpreter.h"
#include "reference/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace agt;
using namespace agt::reference;
using llvm::ArrayRef;

namespace {

/// Bytes that are held, and the most that ever were.
class Tally {
public:
  void add(uint64_t bytes) {
    held = llvm::SaturatingAdd(held, bytes);
    most = std::max(most, held);
  }
  /// What is beyond counting stays so.
  void drop(uint64_t bytes) { held -= held == UINT64_MAX ? 0 : bytes; }
  uint64_t peak() const { return most; }

private:
  uint64_t held = 0, most = 0;
};

using Shape = std::vector<int64_t>;

class Walk {
public:
  explicit Walk(Tally &tally, unsigned depth = 0)
      : tally(tally), depth(depth) {}

  std::optional<Data> runBlock(Block &block, ArrayRef<Datum> arguments);
  Datum hold(Element element, Shape shape, bool exact);

private:
  std::optional<Data> evaluate(Operation *op);
  std::optional<Data> call(CallOp op);
  std::optional<Data> tensors(Operation *op, ArrayRef<Datum> operands);
  std::optional<std::vector<Shape>> shapesOf(Operation *op);

  Environment environment;
  Tally &tally;
  unsigned depth; // of calls
};

} // namespace

static uint64_t elementsOf(ArrayRef<int64_t> shape) {
  uint64_t count = 1;
  for (int64_t size : shape)
    count = llvm::SaturatingMultiply(count, uint64_t(size));
  return llvm::is_contained(shape, 0) ? 0 : count;
}

static uint64_t bytesOf(ArrayRef<int64_t> shape, bool exact) {
  return llvm::SaturatingMultiply(elementsOf(shape), uint64_t(exact ? 8 : 16));
}

/// A tensor without elements. That it is not exact is one bound.
Datum Walk::hold(Element element, Shape shape, bool exact) {
  uint64_t bytes = bytesOf(shape, exact);
  tally.add(bytes);
  auto *hollow = new Tensor();
  hollow->element = element;
  hollow->shape = std::move(shape);
  hollow->bounds.resize(exact ? 0 : 1);
  Datum datum;
  datum.tensor = std::shared_ptr<const Tensor>(
      hollow, [&tally = tally, bytes](const Tensor *tensor) {
        tally.drop(bytes);
        delete tensor;
      });
  return datum;
}

/// Ops whose results have bounds only where operands do.
static bool keepsBounds(Operation *op) {
  return isa<ReshapeOp, TransposeOp, SliceOp, ConcatOp, ShardOp, IotaOp, FullOp,
             ScalarOp, EmbedOp, CacheAppendOp, SelectOp, NegOp, AbsOp, ReluOp,
             MaxOp, MinOp, CastOp, tensor::CastOp>(op);
}

/// What an attention holds besides its operands and results: keys and values
/// times their scales, sums and what they may be off.
static uint64_t whileAtWork(AttentionOp op, ArrayRef<Datum> operands) {
  auto of = [&](unsigned number) {
    const Tensor &tensor = *operands[number].tensor;
    return bytesOf(tensor.shape, tensor.isExact());
  };
  Shape output = operands[AttentionOp::odsIndex_query].tensor->shape;
  output.back() =
      operands[AttentionOp::odsIndex_value].tensor->shape.back() + 1;
  uint64_t bytes = of(AttentionOp::odsIndex_key);
  bytes = llvm::SaturatingAdd(bytes, of(AttentionOp::odsIndex_value));
  return llvm::SaturatingAdd(bytes, bytesOf(output, /*exact=*/false));
}

/// The shapes of the results, all of them tensors.
std::optional<std::vector<Shape>> Walk::shapesOf(Operation *op) {
  std::vector<Shape> shapes;
  bool open = false;
  for (Type type : op->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    shapes.push_back(tensor.getShape());
    open |= !tensor.hasStaticShape();
  }
  if (!open)
    return shapes;
  auto reifies = dyn_cast<ReifyRankedShapedTypeOpInterface>(op);
  Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&scratch);
  ReifiedRankedShapedTypeDims reified;
  if (!reifies || failed(reifies.reifyResultShapes(builder, reified)))
    return std::nullopt;
  llvm::DenseMap<Value, int64_t> made;
  for (Operation &size : scratch) {
    Data operands;
    for (Value value : size.getOperands())
      operands.push_back(made.count(value)
                             ? Datum::ofInteger(made.lookup(value))
                             : environment.at(value));
    std::optional<Data> results = evaluateScalar(&size, operands);
    if (!results)
      return std::nullopt;
    made[size.getResult(0)] = results->front().integer;
  }
  for (auto [shape, dims] : llvm::zip_equal(shapes, reified))
    for (auto [size, dim] : llvm::zip_equal(shape, dims)) {
      if (auto value = dyn_cast<Value>(dim))
        size = made.count(value) ? made.lookup(value)
                                 : environment.at(value).integer;
      else
        size = cast<IntegerAttr>(cast<Attribute>(dim)).getInt();
      if (size < 0)
        return std::nullopt;
    }
  return shapes;
}

std::optional<Data> Walk::tensors(Operation *op, ArrayRef<Datum> operands) {
  auto shapes = shapesOf(op);
  if (!shapes)
    return std::nullopt;
  bool exactOperands = llvm::all_of(operands, [](const Datum &datum) {
    return !datum.tensor || datum.tensor->isExact();
  });
  Data results;
  for (auto [type, shape] : llvm::zip_equal(op->getResultTypes(), *shapes)) {
    Element element = elementOf(type);
    bool exact = !isFloat(element) || (keepsBounds(op) && exactOperands);
    results.push_back(hold(element, std::move(shape), exact));
  }
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    uint64_t bytes = whileAtWork(attention, operands);
    tally.add(bytes);
    tally.drop(bytes);
  }
  return results;
}

std::optional<Data> Walk::call(CallOp op) {
  if (depth == kDeepestCalls)
    return std::nullopt;
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getCalleeAttr());
  return Walk(tally, depth + 1)
      .runBlock(graph.getBody().front(), environment.lookup(op.getOperands()));
}

std::optional<Data> Walk::evaluate(Operation *op) {
  if (auto check = dyn_cast<RequireOp>(op))
    return environment.at(check.getCondition()).integer ? std::optional(Data())
                                                        : std::nullopt;
  if (auto callOp = dyn_cast<CallOp>(op))
    return call(callOp);
  if (auto kernel = dyn_cast<KernelOp>(op))
    return runBlock(kernel.getBody().front(),
                    environment.lookup(kernel.getInputs()));
  Data operands = environment.lookup(op->getOperands());
  bool givesTensors = op->getNumResults() > 0 &&
                      llvm::all_of(op->getResultTypes(), [](Type type) {
                        return isa<RankedTensorType>(type);
                      });
  return givesTensors ? tensors(op, operands) : evaluateScalar(op, operands);
}

std::optional<Data> Walk::runBlock(Block &block, ArrayRef<Datum> arguments) {
  for (auto [argument, datum] :
       llvm::zip_equal(block.getArguments(), arguments))
    environment[argument] = datum;
  for (Operation &op : block.without_terminator()) {
    std::optional<Data> results = evaluate(&op);
    if (!results)
      return std::nullopt;
    for (auto [result, datum] : llvm::zip_equal(op.getResults(), *results))
      environment[result] = datum;
  }
  return environment.lookup(block.getTerminator()->getOperands());
}

std::optional<uint64_t>
agt::reference::footprint(GraphOp graph,
                          ArrayRef<std::vector<int64_t>> shapes) {
  // The run says so of inputs that do not fit.
  if (shapes.size() != graph.getNumArguments())
    return std::nullopt;
  for (auto [type, shape] : llvm::zip_equal(graph.getArgumentTypes(), shapes))
    if (failed(verifyCompatibleShape(cast<ShapedType>(type).getShape(),
                                     ArrayRef<int64_t>(shape))))
      return std::nullopt;
  Tally tally;
  {
    Walk walk(tally);
    Data arguments;
    for (auto [type, shape] : llvm::zip_equal(graph.getArgumentTypes(), shapes))
      arguments.push_back(walk.hold(elementOf(type), shape, /*exact=*/true));
    if (!walk.runBlock(graph.getBody().front(), arguments))
      return std::nullopt;
  }
  return tally.peak();
}
