// See RingBuilder.h: attention.md section 2, and RingDialect.td for the terms.
#include "passes/Mesh/RingBuilder.h"

#include "passes/Analysis/RingSchedule.h"

#include "dialect/Agt/Shapes.h"

using namespace mlir;
using namespace agt;

void RingBuilder::prepare() {
  ownPlace = p.place(keys);
  queryTokens = p.index(p.wholeSize(op.getQuery(), dim));
  keyTokens = p.index(p.wholeSize(op.getKey(), dim));
  offset = p.queryOffset(op);
  holds.resize(op->getNumOperands());
  for (OpOperand &operand : op->getOpOperands())
    place(operand);
  Value lengths = held(AttentionOp::odsIndex_kv_len);
  if (goesByPosition(op) && !op.getQPos())
    queryAt = p.queryPositions(op, queries, lengths);
  // Lengths move the queries, sequence by sequence.
  bool known =
      !op.getQPos() && !op.getKvPos() &&
      (!lengths || op.getCausal() == Causal::TopLeft || !goesByPosition(op));
  bool windowed = op.getWindowLeft() || op.getWindowRight();
  if (known)
    view = ring::ViewAttr::get(
        b.getContext(), cut.parts, rows.balance, keys.balance,
        op.getCausal() != Causal::None,
        op.getWindowLeft() ? int64_t(*op.getWindowLeft()) : -1,
        op.getWindowRight() ? int64_t(*op.getWindowRight()) : -1,
        windowed ? int64_t(op.getPin()) : 0);
  SmallVector<int64_t> sums(
      tensorType(held(AttentionOp::odsIndex_query)).getShape());
  sums.back() = tensorType(held(AttentionOp::odsIndex_value)).getShape().back();
  type = ring::PartialType::get(b.getContext(),
                                RankedTensorType::get(sums, b.getF32Type()), 2);
}

ring::ScheduleOp RingBuilder::makeSchedule() {
  analysis::Ring shape;
  shape.places = cut.parts;
  SmallVector<Attribute> meets;
  for (int64_t row = 0; row < cut.parts; ++row) {
    SmallVector<int64_t> owners;
    for (int64_t step = 0; step < cut.parts; ++step)
      owners.push_back(shape.owner(row, step));
    meets.push_back(b.getDenseI64ArrayAttr(owners));
  }
  auto schedule = ring::ScheduleOp::create(b, loc, TypeRange{type},
                                           b.getStringAttr("pass_kv"),
                                           b.getArrayAttr(meets));
  schedule.getBody().emplaceBlock();
  return schedule;
}

Value RingBuilder::placeFurther(int64_t distance) {
  if (distance == 0)
    return ownPlace;
  return b.createOrFold<arith::RemUIOp>(
      loc, p.add(ownPlace, p.constant(distance)), p.constant(cut.parts));
}

Value RingBuilder::ownerAt(int64_t step) {
  return placeFurther(step == 0 ? 0 : cut.parts - step);
}

Value RingBuilder::needed(Value owner, int64_t step) {
  if (!view)
    return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  return ring::NeededOp::create(b, loc, owner, b.getI64IntegerAttr(step),
                                queryTokens, keyTokens, offset, view);
}

Value RingBuilder::sees(Value queryPlace, Value keyPlace) {
  if (view)
    return ring::SeesOp::create(b, loc, queryPlace, keyPlace, queryTokens,
                                keyTokens, offset, view);
  Value tokens = p.index(p.partSize(op.getKey(), dim, keys, keyPlace));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, tokens,
                               p.constant(0));
}

void RingBuilder::post(Traveller &traveller, int64_t step) {
  Value next = ownerAt(step + 1);
  SmallVector<Value> open;
  RankedTensorType arrives = p.partType(traveller.whole, traveller.sharding,
                                        open, next, traveller.dim);
  Value size = p.index(p.partSize(traveller.whole, traveller.dim, keys, next));
  auto how = ring::CutAttr::get(b.getContext(), traveller.dim, keys.axes.back(),
                                cut.parts, cut.step, keys.balance);
  traveller.token = ring::ShiftOp::create(
      b, loc, ring::TokenType::get(b.getContext(), arrives),
      holds[traveller.operands.front()], size, needed(ownerAt(step), step),
      needed(next, step), traveller.move, how);
}

void RingBuilder::await(Traveller &traveller, int64_t step) {
  SmallVector<Value> open;
  RankedTensorType arrives = p.partType(traveller.whole, traveller.sharding,
                                        open, ownerAt(step), traveller.dim);
  Value arrived = ring::AwaitOp::create(b, loc, arrives, traveller.token, open);
  for (unsigned number : traveller.operands)
    holds[number] = arrived;
}

Value RingBuilder::attend(int64_t step) {
  using Op = AttentionOp;
  Value owner = ownerAt(step);
  for (const Table &table : tables)
    holds[table.operand] = columns(table, owner);
  auto [firstMask, masksGiven] =
      op.getODSOperandIndexAndLength(Op::odsIndex_masks);
  SmallVector<Value> masks(ArrayRef(holds).slice(firstMask, masksGiven));
  if (op.getKvLen())
    masks.push_back(lengthMask(owner));
  Value keyAt = held(Op::odsIndex_kv_pos);
  if (goesByPosition(op) && !keyAt)
    keyAt = p.positions(owner, p.wholeSize(op.getKey(), dim), keys);
  Value queryPositions = op.getQPos() ? held(Op::odsIndex_q_pos) : queryAt;
  // A step has a scale for each of its keys.
  auto blockOfOne = [&](Value scale) {
    return scale ? b.getI64IntegerAttr(1) : IntegerAttr();
  };
  return ring::AttendOp::create(
      b, loc, type, held(Op::odsIndex_query), held(Op::odsIndex_key),
      held(Op::odsIndex_value), step ? sees(ownPlace, owner) : Value(),
      op.getScale(), masks, held(Op::odsIndex_bias), held(Op::odsIndex_alibi),
      queryPositions, keyAt, held(Op::odsIndex_q_seg),
      held(Op::odsIndex_kv_seg), held(Op::odsIndex_k_scale),
      held(Op::odsIndex_v_scale), leaves, owner, b.getI64IntegerAttr(step),
      op.getCausalAttr(), op.getWindowLeftAttr(), op.getWindowRightAttr(),
      op.getPinAttr(), op.getSoftcapAttr(), blockOfOne(op.getKScale()),
      blockOfOne(op.getVScale()), op.getLayoutAttr());
}

void RingBuilder::finish(Value partial) {
  SmallVector<Type> types;
  SmallVector<ShardingAttr> shardings;
  SmallVector<Value> open;
  for (auto [result, factors] : llvm::zip(op->getResults(), rule.results)) {
    shardings.push_back(p.required(result, factors, splits));
    types.push_back(p.partType(result, shardings.back(), open));
  }
  auto done = ring::FinalizeOp::create(
      b, loc, types[0], types.size() > 1 ? types[1] : Type(), partial,
      held(AttentionOp::odsIndex_sink), op.getLayoutAttr());
  for (auto [result, made, sharding] :
       llvm::zip(op->getResults(), done->getResults(), shardings))
    p.parts[result] = {made, sharding};
  if (p.explains)
    say(types[0]);
}

void RingBuilder::say(Type result) {
  using Op = AttentionOp;
  auto typeOf = [&](unsigned group) { return held(group).getType(); };
  SharedAttention said = p.shared(
      op, toKeys ? SharedAttention::Way::PassQ : SharedAttention::Way::PassKV,
      keys, typeOf(Op::odsIndex_query), typeOf(Op::odsIndex_key),
      typeOf(Op::odsIndex_value), result);
  said.auxOfToken = bytesBesideKeys();
  explain(said);
}

Value RingBuilder::goRound() {
  ring::ScheduleOp schedule = makeSchedule();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&schedule.getBody().front());
  Value partial;
  if (ofLeaves(keys.balance))
    leaves = LeavesOp::create(b, loc, keyTokens, b.getI64IntegerAttr(cut.parts),
                              BalanceAttr::get(b.getContext(), keys.balance));
  for (int64_t step = 0; step < cut.parts; ++step) {
    bool last = step + 1 == cut.parts;
    if (!last)
      for (Traveller &traveller : travellers)
        post(traveller, step);
    Value now = attend(step);
    Value sees = now.getDefiningOp<ring::AttendOp>().getSees();
    partial =
        partial ? ring::MergeOp::create(b, loc, partial, now, sees).getResult()
                : now;
    if (!last)
      for (Traveller &traveller : travellers)
        await(traveller, step + 1);
  }
  ring::YieldOp::create(b, loc, partial);
  return schedule.getResult(0);
}

// All queries meet this place's keys. Of whole ones every place then has the
// results of all, of those that are cut each its own.
Value RingBuilder::goToKeys() {
  Value own = attend(0);
  auto cutOfDim = [&](int64_t dim, Balance balance) {
    return ring::CutAttr::get(b.getContext(), dim, keys.axes.back(), cut.parts,
                              cut.step, balance);
  };
  if (!rows.isCut())
    return ring::CombineOp::create(b, loc, own,
                                   cutOfDim(0, Balance::Contiguous));
  OpFoldResult tokens = p.wholeSize(op.getQuery(), dim);
  SmallVector<Value> numbers{p.positions(ownPlace, tokens, rows)}, sends,
      receives;
  for (int64_t distance = 1; distance < cut.parts; ++distance) {
    Value to = placeFurther(distance),
          from = placeFurther(cut.parts - distance);
    numbers.push_back(p.positions(to, tokens, rows));
    sends.push_back(sees(to, ownPlace));
    receives.push_back(sees(ownPlace, from));
  }
  SmallVector<int64_t> sums(type.getSums().getShape());
  OpFoldResult size = p.partSize(op.getQuery(), dim, rows);
  sums[dim] = getConstantIntValue(size).value_or(ShapedType::kDynamic);
  auto ownType = ring::PartialType::get(
      b.getContext(), RankedTensorType::get(sums, b.getF32Type()), 2);
  return ring::ScatterOp::create(b, loc, ownType, own, numbers, sends, receives,
                                 cutOfDim(dim, rows.balance));
}

void RingBuilder::run() {
  prepare();
  finish(toKeys ? goToKeys() : goRound());
}
