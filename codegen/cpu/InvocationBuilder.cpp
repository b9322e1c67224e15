// See InvocationBuilder.h.
#include "codegen/cpu/InvocationBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using agt::kernels::Variable;
using agt::kernels::WordType;

namespace agt::cpu {

static constexpr const char *kBodySuffix = ".body";

InvocationBuilder::InvocationBuilder(ModuleOp module, llvm::StringRef name,
                                     Location loc,
                                     const std::vector<WordType> &words)
    : KernelBuilder(loc, words), module(module), name(name.str()),
      buffers(words.size()) {
  b.setInsertionPointToEnd(module.getBody());
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> types(buffers + 2, ptr); // scalars, buffers, scratch
  types.push_back(b.getI64Type());           // the group
  body = func::FuncOp::create(b, this->name + kBodySuffix,
                              b.getFunctionType(types, {}));
  body->setAttr("llvm.linkage", LLVM::LinkageAttr::get(
                                    b.getContext(), LLVM::Linkage::Internal));
  for (unsigned i = 0; i < buffers + 2; ++i)
    body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                    b.getUnitAttr());
  Block *block = body.addEntryBlock();
  setEntry(block);
  b.setInsertionPointToEnd(block);
}

Value InvocationBuilder::group() {
  return arith::TruncIOp::create(b, b.getI32Type(), body.getArguments().back());
}

void InvocationBuilder::needs(llvm::StringRef features) {
  mark(b.getStrArrayAttr({"target-features", features}));
}

// An attribute of LLVM's function, or its name and value.
void InvocationBuilder::mark(Attribute attribute) {
  SmallVector<Attribute> all{attribute};
  if (auto before = body->getAttrOfType<ArrayAttr>("passthrough"))
    all.append(before.begin(), before.end());
  body->setAttr("passthrough", b.getArrayAttr(all));
}

Value InvocationBuilder::scratch() { return body.getArgument(buffers + 1); }

// ---- memory ----------------------------------------------------------------

static Value gep(ImplicitLocOpBuilder &b, Type element, Value base,
                 LLVM::GEPArg index) {
  return LLVM::GEPOp::create(b, base.getType(), element, base,
                             ArrayRef<LLVM::GEPArg>{index},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value InvocationBuilder::scalar(unsigned index) {
  Value &slot = scalars[index];
  if (!slot) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&body.getBody().front());
    Value at = gep(b, b.getI32Type(), body.getArgument(0),
                   static_cast<int32_t>(index + 1));
    slot = LLVM::LoadOp::create(b, b.getI32Type(), at);
  }
  return slot;
}

Value InvocationBuilder::address(unsigned buffer, Value index, Type element) {
  Value wide = arith::ExtSIOp::create(b, b.getI64Type(), index);
  return gep(b, element, body.getArgument(buffer + 1), wide);
}

Value InvocationBuilder::loadWord(unsigned buffer, Value index) {
  Type type = wordType(buffer);
  return LLVM::LoadOp::create(b, type, address(buffer, index, type));
}

void InvocationBuilder::storeWord(unsigned buffer, Value index, Value value) {
  LLVM::StoreOp::create(b, value, address(buffer, index, value.getType()));
}

// Bytes can be addressed here: no neighbour is touched.
void InvocationBuilder::storeNarrow(unsigned buffer, Value index, Value bits,
                                    unsigned width) {
  Type type = b.getIntegerType(width);
  LLVM::StoreOp::create(b, arith::TruncIOp::create(b, type, bits),
                        address(buffer, index, type));
}

Variable InvocationBuilder::makeVariable(Type type) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body.getBody().front());
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value one = arith::ConstantOp::create(b, b.getI64IntegerAttr(1));
  return {LLVM::AllocaOp::create(b, ptr, type, one)};
}

// A pointer does not know what it points at: the room it was made for does.
Value InvocationBuilder::load(Variable v) {
  auto alloca = v.pointer.getDefiningOp<LLVM::AllocaOp>();
  return LLVM::LoadOp::create(b, alloca.getElemType(), v.pointer);
}

void InvocationBuilder::store(Variable v, Value value) {
  LLVM::StoreOp::create(b, value, v.pointer);
}

// ---- arithmetic ------------------------------------------------------------

Value InvocationBuilder::fmaxAny(Value x, Value y) {
  return ValueBuilder::fmaxAny(x, y);
}
Value InvocationBuilder::fmaxNaN(Value x, Value y) {
  return arith::MaximumFOp::create(b, x, y);
}
Value InvocationBuilder::fminNaN(Value x, Value y) {
  return arith::MinimumFOp::create(b, x, y);
}
Value InvocationBuilder::f32FromHalf(Value bits) {
  Value half = arith::TruncIOp::create(b, b.getI16Type(), bits);
  Value number = arith::BitcastOp::create(b, b.getF16Type(), half);
  return arith::ExtFOp::create(b, b.getF32Type(), number);
}

// ---- the end ---------------------------------------------------------------

// An agt_cpu_fn that takes the table of buffers apart.
void InvocationBuilder::makeEntryPoint() {
  b.setInsertionPointToEnd(module.getBody());
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto entry = func::FuncOp::create(
      b, name, b.getFunctionType({ptr, ptr, b.getI64Type(), ptr}, {}));
  Block *block = entry.addEntryBlock();
  b.setInsertionPointToEnd(block);
  SmallVector<Value> arguments{entry.getArgument(0)};
  for (unsigned i = 0; i < buffers; ++i)
    arguments.push_back(LLVM::LoadOp::create(
        b, ptr, gep(b, ptr, entry.getArgument(1), static_cast<int32_t>(i))));
  arguments.push_back(entry.getArgument(3));
  arguments.push_back(entry.getArgument(2));
  func::CallOp::create(b, body, arguments);
  func::ReturnOp::create(b);
}

// thread(), or thread() + 0: bodies add the number of the workgroup.
bool InvocationBuilder::isThread(Value value) {
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    if (constant(sum.getRhs()) == 0)
      value = sum.getLhs();
  return value == threadValue;
}

// The loop ends where the work does: the test that a body begins with always
// holds.
void InvocationBuilder::dropGuards() {
  body.walk([&](scf::ForOp loop) {
    Operation *last = loop.getBody()->getTerminator()->getPrevNode();
    auto guard = dyn_cast_or_null<scf::IfOp>(last);
    if (!guard || loop.getInductionVar() != threadValue)
      return;
    auto test = guard.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!test || test.getPredicate() != arith::CmpIPredicate::ult ||
        !isThread(test.getLhs()))
      return;
    OpBuilder builder(guard);
    guard.getConditionMutable().assign(arith::ConstantOp::create(
        builder, guard.getLoc(), builder.getBoolAttr(true)));
  });
}

// Numbers of elements are below 2^31 (the host program checks), so what leads
// to an address does not overflow; LLVM sees consecutive addresses only when it
// is told.
void InvocationBuilder::markIndices() {
  SmallVector<Value> open;
  llvm::DenseSet<Operation *> seen;
  body.walk([&](LLVM::GEPOp op) {
    for (Value index : op.getDynamicIndices())
      if (auto wide = index.getDefiningOp<arith::ExtSIOp>())
        open.push_back(wide.getIn());
  });
  auto flags = arith::IntegerOverflowFlagsAttr::get(
      b.getContext(), arith::IntegerOverflowFlags::nsw);
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !isa<arith::AddIOp, arith::MulIOp>(op) ||
        !seen.insert(op).second)
      continue;
    op->setAttr("overflowFlags", flags);
    open.append(op->operand_begin(), op->operand_end());
  }
}

// A sum that runs through a variable (sum = sum + term) may be made of partial
// sums: better for its error, and necessary for vectors.
void InvocationBuilder::markSums() {
  auto readsBack = [](Value value, Value variable) {
    auto load = value.getDefiningOp<LLVM::LoadOp>();
    return load && load.getAddr() == variable;
  };
  body.walk([&](LLVM::StoreOp store) {
    Value variable = store.getAddr();
    if (!variable.getDefiningOp<LLVM::AllocaOp>())
      return;
    if (auto sum = store.getValue().getDefiningOp<arith::AddFOp>()) {
      if (readsBack(sum.getLhs(), variable) ||
          readsBack(sum.getRhs(), variable))
        sum.setFastmath(arith::FastMathFlags::reassoc);
      return;
    }
    auto fma = store.getValue().getDefiningOp<math::FmaOp>();
    if (!fma || !fma->hasOneUse() || !readsBack(fma.getC(), variable))
      return;
    OpBuilder builder(fma);
    auto loose = arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;
    Value product = arith::MulFOp::create(builder, fma.getLoc(), fma.getA(),
                                          fma.getB(), loose);
    Value sum = arith::AddFOp::create(builder, fma.getLoc(), fma.getC(),
                                      product, loose);
    fma.replaceAllUsesWith(sum);
    fma.erase();
  });
}

// The number of a row: the same for all turns of the loop over its places.
bool InvocationBuilder::isRowOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  return loop && !loop.getOps<scf::ForOp>().empty();
}

// The quotient of an element's number by the length of a row, and what is left,
// are its row and its place in it: as loops over rows and places they need no
// division, and addresses in a row are plain sums.
void InvocationBuilder::splitRows() {
  scf::ForOp loop;
  body.walk([&](scf::ForOp op) {
    if (op.getInductionVar() == threadValue)
      loop = op;
  });
  if (!loop)
    return;
  auto lengthOf = [&](Operation *op) -> Value {
    auto quotient = dyn_cast<arith::DivUIOp>(op);
    if (!quotient || !isThread(quotient.getLhs()) ||
        loop->isAncestor(quotient.getRhs().getParentBlock()->getParentOp()))
      return {};
    constexpr int64_t shortRow = 8;
    std::optional<int64_t> length = constant(quotient.getRhs());
    return length && *length < shortRow ? Value() : quotient.getRhs();
  };
  Value length;
  loop.walk([&](Operation *op) {
    if (!length)
      length = lengthOf(op);
  });
  if (!length)
    return;

  b.setInsertionPoint(loop);
  Value first = loop.getLowerBound(), last = loop.getUpperBound();
  Value one = i32(1), zero = i32(0);
  // Where only a branch that is not taken divides, rows may have no elements.
  Value step = maxS(length, one);
  Value end = add(div(sub(last, one), step), one);
  end = select(lt(first, last), end, zero);
  auto rows = scf::ForOp::create(b, div(first, step), end, one);
  b.setInsertionPointToStart(rows.getBody());
  Value row = rows.getInductionVar(), start = mul(row, step);
  auto places = scf::ForOp::create(b, maxS(sub(first, start), zero),
                                   minS(sub(last, start), step), one);
  b.setInsertionPointToStart(places.getBody());
  Value place = places.getInductionVar();
  Value number = arith::AddIOp::create(b, start, place);
  Block *inner = places.getBody();
  loop.getBody()->getTerminator()->erase();
  inner->getOperations().splice(inner->getTerminator()->getIterator(),
                                loop.getBody()->getOperations());
  threadValue.replaceAllUsesWith(number);
  threadValue = number;
  loop.erase();

  places.walk([&](arith::DivUIOp op) {
    if (isThread(op.getLhs()) && op.getRhs() == length)
      op.getResult().replaceAllUsesWith(row);
  });
  places.walk([&](arith::SubIOp op) {
    auto whole = op.getRhs().getDefiningOp<arith::MulIOp>();
    if (whole && isThread(op.getLhs()) && whole.getLhs() == row &&
        whole.getRhs() == length)
      op.getResult().replaceAllUsesWith(place);
  });
  b.setInsertionPointToEnd(&body.getBody().front());
}

// LLVM 22 takes the address `base + n % 2^k` of a load under a condition for
// consecutive ones: a loop that has both divisions and conditions stays scalar.
void InvocationBuilder::guardVectoriser() {
  bool divides = false, branches = false;
  body.walk([&](Operation *op) {
    if (isa<arith::DivUIOp, arith::RemUIOp>(op))
      divides |= !op->use_empty() && !isRowOf(op->getOperand(0));
    if (auto branch = dyn_cast<scf::IfOp>(op))
      branches |= !constant(branch.getCondition());
  });
  if (divides && branches)
    mark(b.getStringAttr("noimplicitfloat"));
}

void InvocationBuilder::finish() {
  func::ReturnOp::create(b);
  if (!workgroupValue)
    dropGuards();
  if (!workgroupValue && threadValue)
    splitRows();
  guardVectoriser();
  markIndices();
  markSums();
  makeEntryPoint();
}

} // namespace agt::cpu
