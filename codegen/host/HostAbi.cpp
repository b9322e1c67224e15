//===- HostAbi.cpp - The runtime's functions as compiled code sees them ---===//

#include "codegen/host/HostAbi.h"
#include "runtime/include/agt/runtime.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

static_assert(sizeof(agt_tensor) == agt::host::TensorLayout::size);
static_assert(offsetof(agt_tensor, shape) == agt::host::TensorLayout::shape);

namespace {

enum class Kind { Status, Ptr, I32, I64, F64 };

struct Prototype {
  llvm::StringRef name;
  std::vector<Kind> kinds; // the result, then the arguments
};

const std::vector<Prototype> &prototypes() {
  [[maybe_unused]] constexpr Kind Status = Kind::Status, Ptr = Kind::Ptr,
                                  I32 = Kind::I32, I64 = Kind::I64,
                                  F64 = Kind::F64;
  static const std::vector<Prototype> table = {
#define AGT_ABI(NAME, ...) {#NAME, {__VA_ARGS__}},
#include "runtime/include/agt/abi.def"
#define AGT_ABI(NAME, ...) {#NAME, {__VA_ARGS__}},
#include "runtime/include/agt/agent.def"
  };
  return table;
}

Type typeOf(Kind kind, MLIRContext *context) {
  switch (kind) {
  case Kind::Status:
  case Kind::Ptr:
    return LLVM::LLVMPointerType::get(context);
  case Kind::I32:
    return IntegerType::get(context, 32);
  case Kind::I64:
    return IntegerType::get(context, 64);
  case Kind::F64:
    return Float64Type::get(context);
  }
  llvm_unreachable("a kind of abi.def");
}

} // namespace

func::FuncOp agt::host::declareAbi(ModuleOp module, llvm::StringRef name) {
  if (auto declared = module.lookupSymbol<func::FuncOp>(name))
    return declared;
  auto prototype = llvm::find_if(
      prototypes(), [&](const Prototype &entry) { return entry.name == name; });
  assert(prototype != prototypes().end() && "a function of abi.def");
  MLIRContext *context = module.getContext();
  SmallVector<Type> types;
  for (Kind kind : prototype->kinds)
    types.push_back(typeOf(kind, context));
  auto type = FunctionType::get(context, llvm::ArrayRef(types).drop_front(),
                                types.front());
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto declared = func::FuncOp::create(builder, module.getLoc(), name, type);
  declared.setPrivate();
  return declared;
}
