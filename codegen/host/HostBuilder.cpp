//===- HostBuilder.cpp - The body of a host function ----------------------===//

#include "codegen/host/HostBuilder.h"
#include "codegen/host/HostAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace agt::host;

HostBuilder::HostBuilder(func::FuncOp function)
    : function(function), module(function->getParentOfType<ModuleOp>()),
      builder(function.getContext()), loc(function.getLoc()) {
  builder.setInsertionPointToStart(function.addEntryBlock());
}

Value HostBuilder::i64(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}
Value HostBuilder::i32(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}
Value HostBuilder::f64(double value) {
  return arith::ConstantFloatOp::create(builder, loc, builder.getF64Type(),
                                        llvm::APFloat(value));
}
Value HostBuilder::toI64(Value value) {
  if (value.getType().isInteger(64))
    return value;
  if (isa<IndexType>(value.getType()))
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      value);
  return arith::ExtSIOp::create(builder, loc, builder.getI64Type(), value);
}
Value HostBuilder::pair(int64_t low, int64_t high) {
  return i64(static_cast<int64_t>(uint64_t(high) << 32 | uint32_t(low)));
}

Value HostBuilder::toF64(Value integer) {
  return builder.createOrFold<arith::SIToFPOp>(loc, builder.getF64Type(),
                                               integer);
}
Value HostBuilder::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}
Value HostBuilder::sub(Value a, Value b) {
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}
Value HostBuilder::mul(Value a, Value b) {
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}
Value HostBuilder::product(llvm::ArrayRef<Value> factors) {
  Value result;
  for (Value factor : factors)
    result = result ? mul(result, factor) : factor;
  return result ? result : i64(1);
}

Value HostBuilder::evaluate(AffineExpr expression,
                            llvm::ArrayRef<Value> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return i64(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Value lhs = evaluate(binary.getLHS(), symbols);
  Value rhs = evaluate(binary.getRHS(), symbols);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return add(lhs, rhs);
  case AffineExprKind::Mul:
    return mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return builder.createOrFold<arith::FloorDivSIOp>(loc, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return builder.createOrFold<arith::CeilDivSIOp>(loc, lhs, rhs);
  case AffineExprKind::Mod:
    return builder.createOrFold<arith::RemSIOp>(loc, lhs, rhs);
  default:
    llvm_unreachable("dims do not occur in the size of a launch");
  }
}

Value HostBuilder::text(llvm::StringRef text) {
  std::string &name = texts[text];
  if (name.empty()) {
    OpBuilder atTop = OpBuilder::atBlockBegin(module.getBody());
    std::string bytes = text.str() + '\0';
    unsigned number = 0;
    do
      name = "agt.text." + std::to_string(number++);
    while (module.lookupSymbol(name));
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    LLVM::GlobalOp::create(atTop, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, name,
                           builder.getStringAttr(bytes));
  }
  return LLVM::AddressOfOp::create(builder, loc, ptr(), name);
}

Value HostBuilder::symbol(llvm::StringRef name) {
  if (!module.lookupSymbol(name)) {
    OpBuilder atTop = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(atTop, loc, builder.getI8Type(),
                           /*isConstant=*/true, LLVM::Linkage::External, name,
                           Attribute());
  }
  return LLVM::AddressOfOp::create(builder, loc, ptr(), name);
}

Value HostBuilder::load(Value base, int64_t offset, Type type) {
  Value address = LLVM::GEPOp::create(
      builder, loc, ptr(), builder.getI8Type(), base,
      llvm::ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return LLVM::LoadOp::create(builder, loc, type, address);
}

void HostBuilder::store(Value value, Value base, int64_t offset) {
  Value address = LLVM::GEPOp::create(
      builder, loc, ptr(), builder.getI8Type(), base,
      llvm::ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  LLVM::StoreOp::create(builder, loc, value, address);
}

Value HostBuilder::frame(int64_t bytes) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  Value count = i64((bytes + 7) / 8);
  return LLVM::AllocaOp::create(builder, loc, ptr(), builder.getI64Type(),
                                count);
}

Value HostBuilder::array(unsigned slot, llvm::ArrayRef<Value> values) {
  auto &[base, size] = slots[slot];
  int64_t bytes = std::max<int64_t>(8 * values.size(), 8);
  if (!base || size < bytes) {
    size = std::max<int64_t>(bytes, 256);
    base = frame(size);
  }
  for (auto [index, value] : llvm::enumerate(values))
    store(value, base, 8 * index);
  return base;
}

Value HostBuilder::null() { return LLVM::ZeroOp::create(builder, loc, ptr()); }

Value HostBuilder::callAbi(llvm::StringRef name,
                           llvm::ArrayRef<Value> arguments) {
  func::FuncOp callee = declareAbi(module, name);
  return func::CallOp::create(builder, loc, callee, arguments).getResult(0);
}

void HostBuilder::returnUnless(Value condition,
                               llvm::function_ref<Value()> status) {
  Block *here = builder.getInsertionBlock();
  Block *failed = builder.createBlock(&function.getBody());
  Block *fine = builder.createBlock(&function.getBody());
  builder.setInsertionPointToEnd(here);
  cf::CondBranchOp::create(builder, loc, condition, fine, failed);
  builder.setInsertionPointToEnd(failed);
  func::ReturnOp::create(builder, loc, status());
  builder.setInsertionPointToEnd(fine);
}

void HostBuilder::call(llvm::StringRef name, llvm::ArrayRef<Value> arguments) {
  Value status = callAbi(name, arguments);
  Value fine = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                    status, null());
  returnUnless(fine, [&] { return status; });
}

void HostBuilder::tailCall(llvm::StringRef name,
                           llvm::ArrayRef<Value> arguments) {
  finish(callAbi(name, arguments));
}

void HostBuilder::finish(Value status) {
  func::ReturnOp::create(builder, loc, status);
}

void HostBuilder::require(Value condition,
                          llvm::ArrayRef<Value> failArguments) {
  returnUnless(condition,
               [&] { return callAbi("agt_graph_fail", failArguments); });
}
