//===- GraphEmitter.cpp - One graph as a host function --------------------===//
//
// Ops are taken in order. Arithmetic on sizes is copied as it is; everything
// that computes becomes an allocation and a launch; a tensor's buffer is given
// back after the last op that reads it, so that the plan's peak is that of the
// graph and not the sum of its values.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/GraphEmitter.h"
#include "codegen/host/HostAbi.h"
#include "codegen/kernels/KernelVariants.h"
#include "codegen/spirv/Kernels.h"
#include "runtime/include/agt/runtime.h"

#include "dialect/Agt/Attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace agt;
using namespace agt::host;

namespace {

// Slots of the frame that every launch uses again.
enum Slot : unsigned {
  BufferSlot,
  ScalarSlot,
  WorkSlot,
  HandleSlot,
  ShapeSlot
};

bool isNumber(Type type) {
  return isa<IndexType, FloatType, IntegerType>(type);
}

} // namespace

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The cache into which a kernel writes this result of it; null where the
/// result has memory of its own.
static Value cacheOf(Value tensor) {
  auto kernel = tensor.getDefiningOp<KernelOp>();
  if (!kernel)
    return {};
  Operation *end = kernel.getBody().front().getTerminator();
  Value yielded = end->getOperand(cast<OpResult>(tensor).getResultNumber());
  auto append = yielded.getDefiningOp<CacheAppendOp>();
  if (!append)
    return {};
  auto argument = cast<BlockArgument>(append.getCache());
  return kernel.getInputs()[argument.getArgNumber()];
}

Value GraphEmitter::root(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (isa<ReshapeOp, tensor::CastOp, ring::WholeOp>(op))
      tensor = op->getOperand(0);
    else if (auto step = dyn_cast<AttentionOp>(op); step && step.getInto())
      tensor = step.getInto();
    else if (Value cache = cacheOf(tensor))
      tensor = cache;
    else
      break;
  }
  return tensor;
}

/// What is written in place has no reader but the kernel that writes it.
static LogicalResult checkReaders(KernelOp writer, Value cache) {
  Operation *reader = writer;
  while (cache) {
    for (Operation *user : cache.getUsers())
      if (user != reader && !isa<tensor::DimOp>(user))
        return writer
                   .emitOpError("appends to a cache that something else "
                                "reads")
                   .attachNote(user->getLoc())
               << "it is read here";
    reader = cache.getDefiningOp();
    auto cast = dyn_cast_or_null<tensor::CastOp>(reader);
    cache = cast ? cast.getSource() : Value();
  }
  return success();
}

static bool isInBuffer(Value value) {
  return isa<RankedTensorType, LeavesType>(value.getType());
}

void GraphEmitter::planLifetimes() {
  // In order, so that equal programs give equal code.
  llvm::MapVector<Value, Operation *> last;
  for (Operation &op : graph.getBody().front()) {
    if (isa<ReshapeOp, tensor::CastOp, ring::WholeOp, tensor::DimOp>(op))
      continue;
    for (Value result : op.getResults())
      if (isInBuffer(result))
        last[result] = &op;
    for (Value operand : op.getOperands())
      if (isInBuffer(operand))
        last[root(operand)] = &op;
    // What is sent on stays until it is gone.
    if (auto await = dyn_cast<ring::AwaitOp>(op))
      last[root(await.getToken().getDefiningOp<ring::ShiftOp>().getInput())] =
          &op;
  }
  for (auto [value, op] : last)
    if (!isa<ReturnOp>(op))
      lastUses[op].push_back(value);
}

void GraphEmitter::freeAfter(Operation *op) {
  auto dead = lastUses.find(op);
  if (dead == lastUses.end())
    return;
  for (Value tensor : dead->second)
    if (Value held = buffers.lookup(tensor))
      b.call("agt_graph_free", {runHandle, held});
}

Value GraphEmitter::buffer(Value tensor) {
  Value held = root(tensor);
  if (Value known = buffers.lookup(held))
    return known;
  auto input = cast<BlockArgument>(held);
  requireIndexable(input.getLoc(), dims(input));
  Value slot = b.array(HandleSlot, {b.null()});
  b.call("agt_graph_input", {runHandle, b.i64(input.getArgNumber()), slot});
  return buffers[held] = b.load(slot, 0, b.ptr());
}

void GraphEmitter::requireIndexable(Location loc, llvm::ArrayRef<Value> dims) {
  // The product of dims need not be a size of anything that exists: compare in
  // floating point, where it cannot wrap around.
  Value count = b.f64(1);
  for (Value dim : dims)
    count = b.ir().createOrFold<arith::MulFOp>(loc, count, b.toF64(dim));
  constexpr double limit = 2147483648.0;
  llvm::APFloat known(0.0);
  if (matchPattern(count, m_ConstantFloat(&known)) &&
      known.convertToDouble() < limit)
    return;
  Value fits = arith::CmpFOp::create(b.ir(), loc, arith::CmpFPredicate::OLT,
                                     count, b.f64(limit));
  b.require(fits, {runHandle, b.i32(AGT_BAD_INPUT), b.text(agt::placeOf(loc)),
                   b.text("a tensor of this graph would have 2^31 elements "
                          "or more"),
                   b.i64(0), b.i64(0)});
}

Value GraphEmitter::allocate(Location loc, llvm::ArrayRef<Value> dims,
                             Type element) {
  requireIndexable(loc, dims);
  Value slot = b.array(HandleSlot, {b.null()});
  b.call("agt_graph_alloc", {runHandle, bytesOf(dims, element), slot});
  return b.load(slot, 0, b.ptr());
}

Value GraphEmitter::allocate(Value tensor, llvm::ArrayRef<Value> dims) {
  shapes[tensor].assign(dims.begin(), dims.end());
  auto type = cast<RankedTensorType>(tensor.getType());
  return buffers[tensor] =
             allocate(tensor.getLoc(), dims, type.getElementType());
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Value GraphEmitter::size(Value index) { return b.toI64(numbers.lookup(index)); }

Value GraphEmitter::dim(Value tensor, int64_t axis) {
  return dims(tensor)[axis];
}

llvm::SmallVector<Value> GraphEmitter::dims(Value tensor, ValueRange sizes) {
  llvm::SmallVector<Value> result;
  for (int64_t dim : cast<RankedTensorType>(tensor.getType()).getShape()) {
    if (!ShapedType::isDynamic(dim)) {
      result.push_back(b.i64(dim));
      continue;
    }
    result.push_back(size(sizes.front()));
    sizes = sizes.drop_front();
  }
  return result;
}

Value GraphEmitter::inputDim(unsigned number, int64_t axis) {
  Value shape =
      b.load(b.argument(1), TensorLayout::size * number + TensorLayout::shape,
             b.ptr());
  return b.load(shape, 8 * axis, b.ir().getI64Type());
}

llvm::SmallVector<Value> GraphEmitter::dims(Value tensor) {
  if (auto known = shapes.find(tensor); known != shapes.end())
    return known->second;
  llvm::SmallVector<Value> result;
  if (auto renamed = tensor.getDefiningOp<tensor::CastOp>()) {
    result = dims(renamed.getSource());
  } else if (auto reshape = tensor.getDefiningOp<ReshapeOp>()) {
    result = dims(tensor, reshape.getSizes());
  } else {
    auto input = cast<BlockArgument>(tensor);
    auto type = cast<RankedTensorType>(tensor.getType());
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      result.push_back(type.isDynamicDim(axis)
                           ? inputDim(input.getArgNumber(), axis)
                           : b.i64(type.getDimSize(axis)));
  }
  shapes[tensor] = result;
  return result;
}

Value GraphEmitter::floatBits(Value number) {
  OpBuilder &ir = b.ir();
  Value single =
      arith::TruncFOp::create(ir, b.location(), ir.getF32Type(), number);
  Value bits =
      arith::BitcastOp::create(ir, b.location(), ir.getI32Type(), single);
  return arith::ExtSIOp::create(ir, b.location(), ir.getI64Type(), bits);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

llvm::SmallVector<Value> GraphEmitter::workOf(size_t kernel,
                                              llvm::ArrayRef<Value> scalars) {
  llvm::SmallVector<Value> items;
  for (AffineExpr extent : kernels.kernels()[kernel].launch.work)
    items.push_back(b.evaluate(extent, scalars));
  while (items.size() < 4)
    items.push_back(b.i64(1));
  return items;
}

void GraphEmitter::launch(Operation *op, size_t kernel, llvm::StringRef name,
                          llvm::ArrayRef<Value> buffers,
                          llvm::ArrayRef<Value> scalars, Value flops,
                          Value enabled) {
  llvm::SmallVector<Value> items = workOf(kernel, scalars);
  // A launch without work is none.
  if (enabled)
    items[0] = b.mul(items[0], enabled);
  b.call("agt_graph_launch",
         {runHandle, b.symbol(KernelTable::symbol(kernel)),
          b.array(BufferSlot, buffers), b.i64(buffers.size()),
          b.array(ScalarSlot, scalars), b.i64(scalars.size()),
          b.array(WorkSlot, items), flops, b.text(name),
          b.text(agt::placeOf(op->getLoc()))});
}

LogicalResult GraphEmitter::emitKernel(KernelOp op) {
  auto build = [&]() -> FailureOr<Kernel> {
    if (failed(kernels.native().addKernel(kernels.nextNumber(), op)))
      return failure();
    FailureOr<agt::kernels::LaunchSize> size = agt::kernels::launchOf(op);
    if (failed(size))
      return failure();
    return kernels.finished(op.getLabel(), std::move(*size),
                            [&] { return spirv::buildKernel(op); });
  };
  FailureOr<size_t> number = kernels.find(agt::kernels::kernelKey(op), build);
  if (failed(number))
    return failure();
  const Kernel &kernel = kernels.kernels()[*number];

  llvm::SmallVector<Value> arguments, scalars;
  for (Value input : op.getInputs()) {
    if (auto type = dyn_cast<RankedTensorType>(input.getType())) {
      arguments.push_back(buffer(input));
      for (int64_t axis = 0; axis < type.getRank(); ++axis)
        if (type.isDynamicDim(axis))
          scalars.push_back(dim(input, axis));
    } else if (isa<IndexType>(input.getType())) {
      scalars.push_back(size(input));
    } else {
      scalars.push_back(floatBits(numbers.lookup(input)));
    }
  }
  ValueRange sizes = op.getSizes();
  for (Value result : op.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    llvm::SmallVector<Value> shape = dims(result, sizes);
    sizes = sizes.drop_front(type.getNumDynamicDims());
    if (Value cache = cacheOf(result)) {
      if (failed(checkReaders(op, cache)))
        return failure();
      shapes[result] = shape;
      arguments.push_back(buffer(cache));
      continue;
    }
    arguments.push_back(allocate(result, shape));
  }
  Value flops = b.toF64(b.evaluate(kernel.launch.flops, scalars));
  launch(op, *number, op.getLabel(), arguments, scalars, flops);
  return success();
}

void GraphEmitter::emitRequire(RequireOp op) {
  llvm::SmallVector<Value> values;
  for (Value value : op.getValues())
    values.push_back(size(value));
  while (values.size() < 2)
    values.push_back(b.i64(0));
  b.require(numbers.lookup(op.getCondition()),
            {runHandle, b.i32(AGT_BAD_INPUT), b.text(agt::placeOf(op.getLoc())),
             b.text(op.getMessage()), values[0], values[1]});
}

void GraphEmitter::emitRopeTable(RopeTableOp op) {
  Value dims = size(op.getDims());
  Value two = b.i64(2);
  Value pairs = b.ir().createOrFold<arith::DivSIOp>(op.getLoc(), dims, two);
  shapes[op.getResult()] = {pairs, two};
  Value slot = b.array(HandleSlot, {b.null()});
  b.call("agt_graph_rope_table",
         {runHandle, dims, b.f64(op.getBase().convertToDouble()),
          b.f64(op.getScale().convertToDouble()), slot});
  buffers[op.getResult()] = b.load(slot, 0, b.ptr());
}

void GraphEmitter::emitReturn(ReturnOp op) {
  for (auto [index, result] : llvm::enumerate(op.getOperands()))
    b.call("agt_graph_output", {runHandle, b.i64(index), buffer(result),
                                b.array(ShapeSlot, dims(result))});
  b.tailCall("agt_graph_end", {runHandle, b.argument(3)});
}

LogicalResult GraphEmitter::emit(Operation *op) {
  b.setLocation(op->getLoc());
  if (isa<KernelOp, AttentionOp, RootOp>(op)) {
    LogicalResult emitted =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case([&](KernelOp kernel) { return emitKernel(kernel); })
            .Case(
                [&](AttentionOp attention) { return emitAttention(attention); })
            .Case([&](RootOp root) { return emit(root); });
    if (failed(emitted))
      return failure();
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        b.call("agt_graph_value", {runHandle, buffer(result)});
    return success();
  }
  if (auto leaves = dyn_cast<LeavesOp>(op))
    return emit(leaves), success();
  if (auto require = dyn_cast<RequireOp>(op))
    return emitRequire(require), success();
  if (auto table = dyn_cast<RopeTableOp>(op))
    return emitRopeTable(table), success();
  if (auto end = dyn_cast<ReturnOp>(op))
    return onMesh ? emitMeshReturn(end) : emitReturn(end), success();
  if (emitRing(op))
    return success();
  if (isa<ReshapeOp, tensor::CastOp>(op))
    return success(); // another name of the same buffer
  if (auto size = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> axis = size.getConstantIndex();
    assert(axis && "the front end knows which dim it asks for");
    Value index =
        arith::IndexCastOp::create(b.ir(), op->getLoc(), b.ir().getIndexType(),
                                   dim(size.getSource(), *axis));
    numbers.map(size.getResult(), index);
    return success();
  }
  if (llvm::all_of(op->getOperandTypes(), isNumber) &&
      llvm::all_of(op->getResultTypes(), isNumber) &&
      op->getNumRegions() == 0) {
    b.ir().clone(*op, numbers);
    return success();
  }
  return op->emitOpError("has no lowering to the host program");
}

/// Sizes that the source fixes are compiled in: arrays of others would be read
/// as what they are not.
void GraphEmitter::checkInputs() {
  for (BlockArgument input : graph.getBody().front().getArguments()) {
    auto type = cast<RankedTensorType>(input.getType());
    unsigned number = input.getArgNumber();
    auto name = graph.getArgAttrOfType<StringAttr>(number, kName);
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      if (type.isDynamicDim(axis))
        continue;
      Value got = inputDim(number, axis), want = b.i64(type.getDimSize(axis));
      Value same = arith::CmpIOp::create(b.ir(), b.location(),
                                         arith::CmpIPredicate::eq, got, want);
      std::string message =
          llvm::formatv("expected size {{0} in dim {0} of '{1}', got {{1}",
                        axis, name ? name.getValue() : "?");
      b.require(same, {runHandle, b.i32(AGT_BAD_INPUT),
                       b.text(agt::placeOf(graph.getLoc())), b.text(message),
                       want, got});
    }
  }
}

LogicalResult GraphEmitter::run() {
  planLifetimes();
  Value slot = b.array(HandleSlot, {b.null()});
  b.call("agt_graph_begin",
         {b.argument(0), b.symbol(descriptorSymbol(graph.getSymName())),
          b.argument(1), b.argument(2), b.argument(4), slot});
  runHandle = b.load(slot, 0, b.ptr());
  return emitBody();
}

LogicalResult GraphEmitter::runPosition() {
  onMesh = true;
  runHandle = b.argument(0);
  planLifetimes();
  return emitBody();
}

LogicalResult GraphEmitter::emitBody() {
  checkInputs();
  checkMeshData();
  for (Operation &op : graph.getBody().front()) {
    if (failed(emit(&op)))
      return failure();
    freeAfter(&op);
  }
  return success();
}
