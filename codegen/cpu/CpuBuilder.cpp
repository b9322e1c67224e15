// See CpuBuilder.h.
#include "codegen/cpu/CpuBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace agt::cpu {

// ---- indices ---------------------------------------------------------------

template <typename Op> static Index binary(Index x, Index y) {
  ImplicitLocOpBuilder &b = x.b->builder();
  return {x.b, b.createOrFold<Op>(x.v, y.v)};
}

Index operator+(Index x, Index y) { return binary<arith::AddIOp>(x, y); }
Index operator-(Index x, Index y) { return binary<arith::SubIOp>(x, y); }
Index operator*(Index x, Index y) { return binary<arith::MulIOp>(x, y); }
Index operator/(Index x, Index y) { return binary<arith::DivUIOp>(x, y); }
Index operator%(Index x, Index y) { return binary<arith::RemUIOp>(x, y); }
Index operator+(Index x, int64_t y) { return x + x.b->index(y); }
Index operator-(Index x, int64_t y) { return x - x.b->index(y); }
Index operator*(Index x, int64_t y) { return x * x.b->index(y); }
Index operator/(Index x, int64_t y) { return x / x.b->index(y); }
Index operator%(Index x, int64_t y) { return x % x.b->index(y); }
Index min(Index x, Index y) { return binary<arith::MinSIOp>(x, y); }
Index max(Index x, Index y) { return binary<arith::MaxSIOp>(x, y); }
Index min(Index x, int64_t y) { return min(x, x.b->index(y)); }
Index max(Index x, int64_t y) { return max(x, x.b->index(y)); }
Value operator<(Index x, Index y) { return x.b->lt(x.v, y.v); }
Value operator<(Index x, int64_t y) { return x < x.b->index(y); }

// ---- memory ----------------------------------------------------------------

Pointer operator+(Pointer p, Index offset) {
  ImplicitLocOpBuilder &b = p.b->builder();
  Value moved = LLVM::GEPOp::create(b, p.v.getType(), p.element, p.v,
                                    ArrayRef<LLVM::GEPArg>{offset.v},
                                    LLVM::GEPNoWrapFlags::inbounds);
  return {p.b, moved, p.element};
}

Pointer operator+(Pointer p, int64_t offset) {
  return offset ? p + p.b->index(offset) : p;
}

int64_t bytesOf(Type element) {
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

Value CpuBuilder::load(Pointer p) {
  return LLVM::LoadOp::create(b, p.element, p.v, bytesOf(p.element));
}

Value CpuBuilder::load(Pointer p, int64_t lanes) {
  return LLVM::LoadOp::create(b, VectorType::get({lanes}, p.element), p.v,
                              bytesOf(p.element));
}

void CpuBuilder::store(Pointer p, Value value) {
  LLVM::StoreOp::create(b, value, p.v, bytesOf(p.element));
}

void CpuBuilder::readAhead(Pointer p, int64_t count) {
  constexpr int64_t page = 4096, line = 64;
  for (int64_t at = 0; at < count; at += line) {
    // It may leave the object, so it is not inbounds.
    Value there =
        LLVM::GEPOp::create(b, p.v.getType(), b.getI8Type(), p.v,
                            ArrayRef<LLVM::GEPArg>{int32_t(page + at)});
    LLVM::Prefetch::create(b, there, /*rw=*/0, /*hint=*/3, /*cache=*/1);
  }
}

Type CpuBuilder::memoryType(agt_dtype dtype) {
  switch (dtype) {
  case AGT_F32:
    return b.getF32Type();
  case AGT_F16:
    return b.getF16Type();
  case AGT_BF16:
    return b.getI16Type();
  case AGT_I64:
    return b.getI64Type();
  case AGT_I32:
    return b.getI32Type();
  default:
    return b.getI8Type();
  }
}

Value CpuBuilder::loadF32(Pointer p, agt_dtype dtype, int64_t lanes) {
  Lanes scope(*this, lanes);
  Value x = lanes ? load(p, lanes) : load(p);
  if (dtype == AGT_F32)
    return x;
  if (dtype == AGT_F16)
    return arith::ExtFOp::create(b, f32Type(), x);
  if (dtype == AGT_I8)
    return toF32(arith::ExtSIOp::create(b, i32Type(), x));
  Value bits = arith::ExtUIOp::create(b, i32Type(), x);
  return dtype == AGT_BF16 ? f32FromBf16(bits) : f32FromF8(bits);
}

void CpuBuilder::storeF32(Pointer p, agt_dtype dtype, Value value,
                          int64_t lanes) {
  Lanes scope(*this, lanes);
  auto shaped = [&](Type element) {
    return lanes ? Type(VectorType::get({lanes}, element)) : element;
  };
  if (dtype == AGT_F16)
    value = arith::TruncFOp::create(b, shaped(b.getF16Type()), value);
  if (dtype == AGT_BF16)
    value =
        arith::TruncIOp::create(b, shaped(b.getI16Type()), bf16FromF32(value));
  store(p, value);
}

// ---- the function ----------------------------------------------------------

CpuBuilder::CpuBuilder(ModuleOp module, llvm::StringRef name, Location loc)
    : ValueBuilder(loc) {
  b.setInsertionPointToEnd(module.getBody());
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  func = func::FuncOp::create(b, name,
                              b.getFunctionType({ptr, ptr, i64, ptr}, {}));
  Block *block = func.addEntryBlock();
  setEntry(block);
  b.setInsertionPointToEnd(block);
}

CpuBuilder::CpuBuilder(ValueBuilder &other, func::FuncOp function)
    : ValueBuilder(other.builder().getLoc()), func(function) {
  setEntry(&function.getBody().front());
  follow(other);
}

void CpuBuilder::follow(ValueBuilder &other) {
  b.restoreInsertionPoint(other.builder().saveInsertionPoint());
}

void CpuBuilder::finish() { func::ReturnOp::create(b); }

Index CpuBuilder::index(int64_t value) {
  return {this, arith::ConstantOp::create(b, b.getI64IntegerAttr(value))};
}
Index CpuBuilder::index(Value i32) {
  return {this, arith::ExtSIOp::create(b, b.getI64Type(), i32)};
}
Value CpuBuilder::narrow(Index i) {
  return arith::TruncIOp::create(b, b.getI32Type(), i.v);
}

Index CpuBuilder::group() { return {this, func.getArgument(2)}; }
Index CpuBuilder::groups() {
  Pointer words{this, func.getArgument(0), b.getI32Type()};
  return index(load(words));
}
Index CpuBuilder::scalar(unsigned number) {
  Pointer words{this, func.getArgument(0), b.getI32Type()};
  return index(load(words + (number + 1)));
}
Value CpuBuilder::scalarF32(unsigned number) {
  Pointer words{this, func.getArgument(0), b.getF32Type()};
  return load(words + (number + 1));
}
Pointer CpuBuilder::buffer(unsigned number, Type element) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Pointer table{this, func.getArgument(1), ptr};
  Value address =
      LLVM::LoadOp::create(b, ptr, (table + number).v, sizeof(void *));
  return {this, address, element};
}
Pointer CpuBuilder::scratch(Type element, int64_t byteOffset) {
  Pointer bytes{this, func.getArgument(3), b.getI8Type()};
  return {this, (bytes + byteOffset).v, element};
}

// ---- vectors ---------------------------------------------------------------

Value CpuBuilder::splat(Value scalar, int64_t lanes) {
  return vector::BroadcastOp::create(
      b, VectorType::get({lanes}, scalar.getType()), scalar);
}

Value CpuBuilder::shuffle(Value x, Value y, ArrayRef<int64_t> mask) {
  return vector::ShuffleOp::create(b, x, y, mask);
}

Value CpuBuilder::laneNumbers(int64_t lanes) {
  SmallVector<int32_t> numbers(lanes);
  for (int64_t i = 0; i < lanes; ++i)
    numbers[i] = static_cast<int32_t>(i);
  return arith::ConstantOp::create(b, b.getI32VectorAttr(numbers));
}

Value CpuBuilder::combineLanes(
    Value x, int64_t lanes, llvm::function_ref<Value(Value, Value)> combine) {
  Lanes scope(*this, lanes);
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> mask(lanes);
    for (int64_t i = 0; i < lanes; ++i)
      mask[i] = i ^ distance;
    x = combine(x, shuffle(x, x, mask));
  }
  return x;
}

// ---- loops -----------------------------------------------------------------

void CpuBuilder::loop(Index from, Index to, int64_t step,
                      llvm::function_ref<void(Index)> body) {
  auto op = scf::ForOp::create(b, from.v, to.v, index(step).v);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  body({this, op.getInductionVar()});
}

SmallVector<Value> CpuBuilder::loop(
    Index from, Index to, int64_t step, ArrayRef<Value> init,
    llvm::function_ref<SmallVector<Value>(Index, ArrayRef<Value>)> body) {
  auto op = scf::ForOp::create(b, from.v, to.v, index(step).v, init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  SmallVector<Value> carried(op.getRegionIterArgs());
  scf::YieldOp::create(b, body({this, op.getInductionVar()}, carried));
  return SmallVector<Value>(op.getResults());
}

} // namespace agt::cpu
