//===- RingEmitter.cpp - Graphs on a mesh ---------------------------------===//
//
// What a position records of its place: parts of inputs and results, transfers,
// steps of rings. The function is the same for every position and asks where it
// is; sizes and conditions are arithmetic on that.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/GraphEmitter.h"
#include "passes/Mesh/Shardings.h"
#include "runtime/include/agt/runtime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace agt;
using namespace agt::host;

// Slots of the frame, after those of GraphEmitter.cpp.
namespace {
enum Slot : unsigned {
  SplitSlot = 16,
  ViewSlot,
  NumberSlot,
  ShapeSlot,
  HandleSlot
};
} // namespace

static_assert(sizeof(agt_split) == 16 && sizeof(agt_view) == 40,
              "written as 64-bit words below");

static void addCut(HostBuilder &b, ring::CutAttr cut, int64_t dim,
                   llvm::SmallVectorImpl<Value> &words) {
  words.push_back(b.pair(dim, cut.getParts()));
  words.push_back(b.pair(cut.getStep(), int64_t(cut.getBalance())));
}

static Value splits(HostBuilder &b, ArrayAttr cuts, ArrayAttr kept = {}) {
  llvm::SmallVector<Value> words;
  for (auto cut : cuts.getAsRange<ring::CutAttr>())
    addCut(b, cut, cut.getDim(), words);
  if (kept)
    for (auto cut : kept.getAsRange<ring::CutAttr>())
      addCut(b, cut, /*dim=*/-1, words);
  return b.array(SplitSlot, words);
}

Value GraphEmitter::position() {
  if (ownPosition)
    return ownPosition;
  Value slot = b.array(NumberSlot, {b.i64(0)});
  b.call("agt_graph_position", {runHandle, slot});
  return ownPosition = b.load(slot, 0, b.ir().getI64Type());
}

/// (position / step) mod parts.
Value GraphEmitter::placeOf(int64_t parts, int64_t step) {
  OpBuilder &ir = b.ir();
  Value row =
      ir.createOrFold<arith::DivUIOp>(b.location(), position(), b.i64(step));
  return ir.createOrFold<arith::RemUIOp>(b.location(), row, b.i64(parts));
}

void GraphEmitter::mapNumber(Value index, Value wide) {
  numbers.map(index, arith::IndexCastOp::create(b.ir(), b.location(),
                                                b.ir().getIndexType(), wide));
}

/// The position `by` places further round the cut.
Value GraphEmitter::neighbour(ring::CutAttr cut, int64_t by) {
  OpBuilder &ir = b.ir();
  Value own = placeOf(cut.getParts(), cut.getStep());
  Value other = ir.createOrFold<arith::RemUIOp>(
      b.location(), b.add(own, b.i64(cut.getParts() + by)),
      b.i64(cut.getParts()));
  return b.add(position(), b.mul(b.sub(other, own), b.i64(cut.getStep())));
}

Value GraphEmitter::bytesOf(llvm::ArrayRef<Value> dims, Type element) {
  int64_t width = std::max<int64_t>(element.getIntOrFloatBitWidth() / 8, 1);
  return b.mul(b.product(dims), b.i64(width));
}

void GraphEmitter::emit(ring::PlaceOp op) {
  mapNumber(op.getResult(), placeOf(op.getParts(), op.getStep()));
}

void GraphEmitter::emit(ring::PartOp op) {
  auto input = cast<BlockArgument>(op.getInput());
  requireIndexable(op.getLoc(), dims(input));
  Value slot = b.array(HandleSlot, {b.null()});
  b.call("agt_graph_input_part",
         {runHandle, b.i64(input.getArgNumber()), splits(b, op.getCuts()),
          b.i64(op.getCuts().size()), slot});
  shapes[op.getResult()] = dims(op.getResult(), op.getSizes());
  buffers[op.getResult()] = b.load(slot, 0, b.ptr());
}

void GraphEmitter::emit(ring::PositionsOp op) {
  auto cut = ring::CutAttr::get(op.getContext(), 0, b.ir().getStringAttr(""),
                                op.getParts(), 1, op.getBalance());
  Value slot = b.array(HandleSlot, {b.null()});
  b.call("agt_graph_token_positions",
         {runHandle, size(op.getTokens()),
          splits(b, b.ir().getArrayAttr({cut})), size(op.getPart()), slot});
  shapes[op.getResult()] = dims(op.getResult(), op.getSizes());
  buffers[op.getResult()] = b.load(slot, 0, b.ptr());
}

void GraphEmitter::emit(ring::ShiftOp op) {
  ring::CutAttr cut = op.getCut();
  RankedTensorType type = op.getResult().getType().getTensor();
  llvm::SmallVector<Value> sent = dims(op.getInput()), arriving(sent);
  arriving[cut.getDim()] = size(op.getSize());
  auto flag = [&](Value bit) -> Value {
    return arith::ExtUIOp::create(b.ir(), op.getLoc(), b.ir().getI64Type(),
                                  numbers.lookup(bit));
  };
  Value sends =
      b.mul(bytesOf(sent, type.getElementType()), flag(op.getSends()));
  Value receives =
      b.mul(bytesOf(arriving, type.getElementType()), flag(op.getReceives()));
  Value own = buffer(op.getInput());
  Value next = allocate(op.getLoc(), arriving, type.getElementType());
  Value ticket = b.array(NumberSlot, {b.i64(0)});
  std::string name = "shift_" + ring::stringifyMove(op.getMove()).str();
  int64_t by = op.getBy();
  b.call("agt_graph_exchange",
         {runHandle, own, neighbour(cut, by), sends, next, neighbour(cut, -by),
          receives, b.i32(int64_t(op.getMove())),
          b.text(cut.getAxis().getValue()), b.text(name),
          b.text(agt::placeOf(op.getLoc())), ticket});
  transfers[op.getResult()] = {b.load(ticket, 0, b.ir().getI64Type()), next,
                               arriving};
}

void GraphEmitter::emit(ring::AwaitOp op) {
  const Transfer &transfer = transfers.find(op.getToken())->second;
  b.call("agt_graph_await", {runHandle, transfer.ticket});
  shapes[op.getResult()] = transfer.dims;
  buffers[op.getResult()] = transfer.buffer;
}

void GraphEmitter::emit(ring::GatherOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  llvm::SmallVector<Value> whole = dims(op.getResult(), op.getSizes());
  requireIndexable(op.getLoc(), whole);
  Value slot = b.array(HandleSlot, {b.null()});
  auto last = cast<ring::CutAttr>(op.getCuts().getValue().back());
  b.call(
      "agt_graph_gather",
      {runHandle, buffer(op.getInput()), b.array(ShapeSlot, whole),
       b.i64(whole.size()),
       b.i64(std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1)),
       splits(b, op.getCuts(), op.getKeptAttr()),
       b.i64(op.getCuts().size() + (op.getKept() ? op.getKept()->size() : 0)),
       b.text(last.getAxis().getValue()), b.text("gather"),
       b.text(agt::placeOf(op.getLoc())), slot});
  shapes[op.getResult()] = whole;
  buffers[op.getResult()] = b.load(slot, 0, b.ptr());
}

void GraphEmitter::emit(ring::HopOp op) {
  Value attended = b.i64(1);
  if (op.getSees())
    attended = arith::ExtUIOp::create(b.ir(), op.getLoc(), b.ir().getI64Type(),
                                      numbers.lookup(op.getSees()));
  b.call("agt_graph_hop", {runHandle, b.i64(op.getStep()), size(op.getOwner()),
                           attended, b.text("attention")});
}

Value GraphEmitter::view(ring::ViewAttr view) {
  return b.array(ViewSlot, {b.pair(view.getParts(), int64_t(view.getQueries())),
                            b.pair(int64_t(view.getKeys()), view.getCausal()),
                            b.i64(view.getLeft()), b.i64(view.getRight()),
                            b.i64(view.getPin())});
}

void GraphEmitter::mapFlag(Value bit, Value slot) {
  Value number = b.load(slot, 0, b.ir().getI64Type());
  numbers.map(bit, arith::CmpIOp::create(b.ir(), b.location(),
                                         arith::CmpIPredicate::ne, number,
                                         b.i64(0)));
}

void GraphEmitter::emit(ring::SeesOp op) {
  Value slot = b.array(NumberSlot, {b.i64(0)});
  b.call("agt_graph_sees",
         {runHandle, view(op.getView()), size(op.getQueries()),
          size(op.getKeys()), size(op.getOffset()), size(op.getQueryPlace()),
          size(op.getKeyPlace()), slot});
  mapFlag(op.getResult(), slot);
}

void GraphEmitter::emit(ring::NeededOp op) {
  Value slot = b.array(NumberSlot, {b.i64(0)});
  b.call("agt_graph_needed",
         {runHandle, view(op.getView()), size(op.getQueries()),
          size(op.getKeys()), size(op.getOffset()), size(op.getOwner()),
          b.i64(op.getStep()), slot});
  mapFlag(op.getResult(), slot);
}

bool GraphEmitter::emitRing(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ring::PlaceOp, ring::PartOp, ring::PositionsOp, ring::ShiftOp,
            ring::AwaitOp, ring::GatherOp, ring::HopOp, ring::SeesOp,
            ring::NeededOp>([&](auto one) { return emit(one), true; })
      // Given to the caller with the others, by agt.return.
      .Case<ring::WholeOp>([&](ring::WholeOp whole) {
        shapes[whole.getResult()] = dims(whole.getResult(), whole.getSizes());
        return true;
      })
      .Default(false);
}

void GraphEmitter::emitMeshReturn(ReturnOp op) {
  for (auto [index, result] : llvm::enumerate(op.getOperands())) {
    auto whole = result.getDefiningOp<ring::WholeOp>();
    b.call("agt_graph_output_part",
           {runHandle, b.i64(index), buffer(whole.getInput()),
            b.array(ShapeSlot, dims(result)), splits(b, whole.getCuts()),
            b.i64(whole.getCuts().size())});
  }
  b.finish(b.null());
}
