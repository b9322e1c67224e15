// See Partition.h.
#include "passes/Mesh/Partition.h"

#include "dialect/Agt/Shapes.h"
#include "passes/Reshape.h"

using namespace mlir;
using namespace agt;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Value Partition::index(OpFoldResult size) { return asValue(b, loc, size); }

Value Partition::constant(int64_t number) {
  return arith::ConstantIndexOp::create(b, loc, number);
}

Value Partition::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}

Value Partition::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(loc, x, y);
}

// What an op says of the sizes of its results is asked in terms of its
// operands, and of those in turn, down to the graph's arguments.
OpFoldResult Partition::wholeSize(Value whole, int64_t dim) {
  if (!tensorType(whole).isDynamicDim(dim))
    return b.getIndexAttr(tensorType(whole).getDimSize(dim));
  auto [known, isNew] = sizes.try_emplace({whole, dim});
  if (!isNew)
    return known->second;
  OpBuilder::InsertionGuard guard(b);
  if (isa<BlockArgument>(whole)) {
    b.setInsertionPointToStart(&graph.getBody().front());
    OpFoldResult size = tensor::DimOp::create(b, loc, whole, dim).getResult();
    return sizes[{whole, dim}] = size;
  }
  Operation *op = whole.getDefiningOp();
  if (isa<ShardOp, tensor::CastOp>(op))
    return sizes[{whole, dim}] = wholeSize(op->getOperand(0), dim);
  b.setInsertionPoint(op);
  Operation *before = op->getPrevNode();
  ReifiedRankedShapedTypeDims shapes;
  LogicalResult reified = reifyResultShapes(b, op, shapes);
  assert(succeeded(reified) && "every op of the language reifies its shapes");
  (void)reified;
  SmallVector<tensor::DimOp> asked;
  for (Operation *made = op->getPrevNode(); made != before;
       made = made->getPrevNode())
    if (auto dimOp = dyn_cast<tensor::DimOp>(made))
      asked.push_back(dimOp);
  OpFoldResult size = shapes[cast<OpResult>(whole).getResultNumber()][dim];
  for (tensor::DimOp dimOp : asked) {
    if (isa<BlockArgument>(dimOp.getSource()))
      continue;
    Value of = index(wholeSize(dimOp.getSource(), *dimOp.getConstantIndex()));
    if (size == OpFoldResult(dimOp.getResult()))
      size = of;
    dimOp.replaceAllUsesWith(of);
    dimOp.erase();
  }
  return sizes[{whole, dim}] = size;
}

Value Partition::place(const DimSplit &split) {
  Cut cut = *cutOf(mesh, split);
  return b.createOrFold<ring::PlaceOp>(loc, b.getI64IntegerAttr(cut.parts),
                                       b.getI64IntegerAttr(cut.step));
}

OpFoldResult Partition::partSize(Value whole, int64_t dim,
                                 const DimSplit &split, Value placeOf) {
  OpFoldResult size = wholeSize(whole, dim);
  if (!split.isCut())
    return size;
  int64_t parts = cutOf(mesh, split)->parts;
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && cutsEvenly(*known, parts, split.balance))
    return b.getIndexAttr(*known / parts);
  return ring::ExtentOp::create(b, loc, placeOf ? placeOf : place(split),
                                index(size), b.getI64IntegerAttr(parts),
                                BalanceAttr::get(b.getContext(), split.balance))
      .getResult();
}

RankedTensorType Partition::partType(Value whole, ShardingAttr sharding,
                                     SmallVectorImpl<Value> &open,
                                     Value placeOfCut, int64_t dim) {
  SmallVector<int64_t> shape;
  for (auto [i, split] : llvm::enumerate(sharding.getDims())) {
    OpFoldResult size =
        partSize(whole, i, split, int64_t(i) == dim ? placeOfCut : Value());
    std::optional<int64_t> known = getConstantIntValue(size);
    shape.push_back(known.value_or(ShapedType::kDynamic));
    if (!known)
      open.push_back(index(size));
  }
  return RankedTensorType::get(shape, tensorType(whole).getElementType());
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

ArrayAttr Partition::cuts(ShardingAttr sharding) {
  SmallVector<Attribute> all;
  for (auto [dim, split] : llvm::enumerate(sharding.getDims())) {
    if (!split.isCut())
      continue;
    Cut cut = *cutOf(mesh, split);
    all.push_back(ring::CutAttr::get(b.getContext(), dim, split.axes.back(),
                                     cut.parts, cut.step, split.balance));
  }
  return b.getArrayAttr(all);
}

// A value with the dims whole that `wanted` does not cut as the value is.
Value Partition::gathered(Value whole, ShardingAttr wanted) {
  auto [held, sharding] = parts.lookup(whole);
  return gathered(whole, held, sharding, wanted);
}

Value Partition::gathered(Value whole, Value held, ShardingAttr sharding,
                          ShardingAttr wanted) {
  ShardingAttr result = sharding, gone = sharding;
  for (auto [dim, split] : llvm::enumerate(sharding.getDims())) {
    if (split == wanted.getDims()[dim])
      gone = gone.withWhole(dim);
    else
      result = result.withWhole(dim);
  }
  if (gone.isWhole())
    return held;
  // What an argument's caller can give is no part of what lies elsewhere.
  Value known = moved.lookup({whole, result});
  if (known && !known.getDefiningOp<ring::PartOp>())
    return known;
  SmallVector<Value> open;
  RankedTensorType type = partType(whole, result, open);
  ArrayAttr kept = result.isWhole() ? ArrayAttr() : cuts(result);
  return moved[{whole, result}] =
             ring::GatherOp::create(b, loc, type, held, open, cuts(gone), kept);
}

Value Partition::part(Value whole, ShardingAttr wanted) {
  // What a statement says of a value does not change it.
  Value source = whole;
  while (auto shard = source.getDefiningOp<ShardOp>())
    source = shard.getOperand();
  if (isa<BlockArgument>(source))
    whole = source;
  if (Value known = moved.lookup({whole, wanted}))
    return known;
  // Arguments are the caller's: any part can be had.
  if (isa<BlockArgument>(whole)) {
    SmallVector<Value> open;
    RankedTensorType type = partType(whole, wanted, open);
    return moved[{whole, wanted}] =
               ring::PartOp::create(b, loc, type, whole, open, cuts(wanted));
  }
  auto [held, sharding] = parts.lookup(whole);
  if (sharding == wanted)
    return held;
  Value made = gathered(whole, wanted);
  for (auto [dim, split] : llvm::enumerate(wanted.getDims()))
    if (split != sharding.getDims()[dim] && split.isCut())
      made = picked(whole, made, dim, split);
  return moved[{whole, wanted}] = made;
}

Value Partition::picked(Value whole, Value held, unsigned dim,
                        const DimSplit &split) {
  return takeRows(b, loc, held, dim,
                  positions(place(split), wholeSize(whole, dim), split),
                  partSize(whole, dim, split));
}

ShardingAttr Partition::required(Value operand, ArrayRef<int> factors,
                                 const Splits &splits) {
  SmallVector<DimSplit> dims;
  for (int factor : factors)
    dims.push_back(factor == ShardingRule::kNone ? DimSplit() : splits[factor]);
  return ShardingAttr::get(b.getContext(), dims);
}

// Cuts of results first, then what only operands have; no axis twice, but for
// the keys of an attention, which go round the queries' ring.
Partition::Splits Partition::splitsOf(Operation *op, const ShardingRule &rule) {
  Splits splits(rule.free.size());
  llvm::SmallDenseSet<StringAttr> used;
  auto take = [&](Value value, ArrayRef<int> factors) {
    if (factors.empty())
      return;
    ShardingAttr sharding = shardingOf(value);
    for (auto [dim, factor] : llvm::enumerate(factors)) {
      const DimSplit &split = sharding.getDims()[dim];
      if (factor == ShardingRule::kNone || !rule.free[factor] ||
          splits[factor].isCut() || !split.isCut())
        continue;
      if (rule.even[factor] &&
          unevenDim(op, rule, factor, split, cutOf(mesh, split)->parts))
        continue;
      bool clash =
          factor != rule.keys && llvm::any_of(split.axes, [&](StringAttr axis) {
            return used.contains(axis);
          });
      if (clash)
        continue;
      splits[factor] = split;
      if (factor != rule.keys)
        used.insert(split.axes.begin(), split.axes.end());
    }
  };
  for (auto [value, factors] : llvm::zip(op->getResults(), rule.results))
    take(value, factors);
  for (auto [value, factors] : llvm::zip(op->getOperands(), rule.operands))
    take(value, factors);
  return splits;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Partition::convertTensorOp(Operation *op) {
  ShardingRule rule = shardingRule(op);
  Splits splits = splitsOf(op, rule);
  if (auto attention = dyn_cast<AttentionOp>(op))
    return convertAttention(attention, rule, splits);
  IRMapping mapping;
  for (auto [operand, factors] : llvm::zip(op->getOperands(), rule.operands)) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    Value held = part(operand, required(operand, factors, splits));
    mapping.map(operand, held);
  }
  if (isa<ShardOp>(op)) {
    parts[op->getResult(0)] = {
        mapping.lookup(op->getOperand(0)),
        required(op->getResult(0), rule.results[0], splits)};
    return success();
  }
  cloneOnParts(op, rule, splits, mapping);
  return success();
}

// Sizes first: they are asked of the old op, and the new one uses them.
Operation *Partition::cloneOnParts(Operation *op, const ShardingRule &rule,
                                   const Splits &splits, IRMapping &mapping) {
  SmallVector<RankedTensorType> types;
  SmallVector<Value> open;
  for (auto [result, factors] : llvm::zip(op->getResults(), rule.results)) {
    open.clear();
    types.push_back(partType(result, required(result, factors, splits), open));
  }
  Operation *made = b.clone(*op, mapping);
  made->removeAttr(kShardingsOfResults);
  for (auto [result, local, type, factors] :
       llvm::zip(op->getResults(), made->getResults(), types, rule.results)) {
    local.setType(type);
    parts[result] = {local, required(result, factors, splits)};
  }
  if (auto reshape = dyn_cast<ReshapeOp>(made))
    reshape.getSizesMutable().assign(open);
  else if (auto full = dyn_cast<FullOp>(made))
    full.getSizesMutable().assign(open);
  return made;
}

void Partition::convertReturn(ReturnOp op) {
  SmallVector<Value> results;
  for (Value whole : op.getOperands()) {
    ShardingAttr sharding =
        isa<BlockArgument>(whole) ? shardingOf(whole) : parts[whole].second;
    SmallVector<Value> open;
    ShardingAttr none =
        ShardingAttr::whole(b.getContext(), sharding.getDims().size());
    partType(whole, none, open);
    results.push_back(ring::WholeOp::create(
        b, loc, whole.getType(), part(whole, sharding), open, cuts(sharding)));
  }
  ReturnOp::create(b, loc, results);
}

static bool isOnTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor) || isa<ReturnOp>(op);
}

LogicalResult Partition::convert(Operation *op) {
  loc = op->getLoc();
  b.setInsertionPoint(op);
  if (auto end = dyn_cast<ReturnOp>(op))
    return convertReturn(end), success();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> number = dim.getConstantIndex();
    assert(number && "the front end knows which dim it asks for");
    if (!isa<BlockArgument>(dim.getSource())) {
      dim.replaceAllUsesWith(index(wholeSize(dim.getSource(), *number)));
      dim.erase();
    }
    return success();
  }
  // Arithmetic on sizes and checks are the same everywhere, and stay.
  return isOnTensors(op) ? convertTensorOp(op) : success();
}

LogicalResult Partition::run() {
  SmallVector<Operation *> all, old;
  for (Operation &op : graph.getBody().front()) {
    all.push_back(&op);
    if (isOnTensors(&op) && !isa<tensor::DimOp>(op))
      old.push_back(&op);
  }
  for (Operation *op : all)
    if (failed(convert(op)))
      return failure();
  for (Operation *op : llvm::reverse(old)) {
    op->dropAllUses();
    op->erase();
  }
  for (unsigned i = 0; i < graph.getNumArguments(); ++i)
    graph.removeArgAttr(i, b.getStringAttr(kShardingOfArgument));
  return success();
}
