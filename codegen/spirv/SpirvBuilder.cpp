// See SpirvBuilder.h.
#include "codegen/spirv/SpirvBuilder.h"

#include "codegen/spirv/Serialize.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

using namespace mlir;
namespace ir = mlir::spirv;

namespace agt::spirv {

static constexpr const char *kPushConstants = "push";

// The push constants: a pointer to words for the scalars, one to each buffer.
static ir::PointerType bufferPointer(Type word) {
  auto array =
      ir::RuntimeArrayType::get(word, word.getIntOrFloatBitWidth() / 8);
  MLIRContext *context = word.getContext();
  auto block =
      ir::StructType::get(array, /*offsetInfo=*/0, /*memberDecorations=*/{},
                          ir::StructType::StructDecorationInfo(
                              ir::Decoration::Block, UnitAttr::get(context)));
  return ir::PointerType::get(block, ir::StorageClass::PhysicalStorageBuffer);
}

// What is read through an address must say its alignment.
static Value loadAligned(ImplicitLocOpBuilder &b, Value pointer) {
  auto type = cast<ir::PointerType>(pointer.getType()).getPointeeType();
  return ir::LoadOp::create(
      b, pointer,
      ir::MemoryAccessAttr::get(b.getContext(), ir::MemoryAccess::Aligned),
      b.getI32IntegerAttr(type.getIntOrFloatBitWidth() / 8));
}

SpirvBuilder::SpirvBuilder(Location loc, KernelConfig c)
    : KernelBuilder(loc, std::move(c.buffers)), matrices(c.matrices) {
  MLIRContext *context = loc.getContext();
  module = ModuleOp::create(loc);
  module.get()->setAttr(ir::getTargetEnvAttrName(),
                        matrices ? matrixTargetEnv(context)
                                 : targetEnv(context));
  b.setInsertionPointToStart(module->getBody());
  gpuModule = gpu::GPUModuleOp::create(b, c.name);

  b.setInsertionPointToStart(gpuModule.getBody());
  SmallVector<Type> members{bufferPointer(i32Type())};
  for (unsigned i = 0; i < bufferCount(); ++i)
    members.push_back(bufferPointer(wordType(i)));
  SmallVector<uint32_t> offsets;
  for (unsigned i = 0; i < members.size(); ++i)
    offsets.push_back(8 * i);
  auto type =
      ir::StructType::get(members, offsets, /*memberDecorations=*/{},
                          ir::StructType::StructDecorationInfo(
                              ir::Decoration::Block, UnitAttr::get(context)));
  auto push = ir::GlobalVariableOp::create(
      b,
      TypeAttr::get(ir::PointerType::get(type, ir::StorageClass::PushConstant)),
      b.getStringAttr(kPushConstants));

  func = gpu::GPUFuncOp::create(b, "main", b.getFunctionType({}, {}));
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  func->setAttr(ir::getEntryPointABIAttrName(),
                ir::getEntryPointABIAttr(context, {c.workgroupSize, 1, 1}));
  Block *entry = &func.getBody().front();
  setEntry(entry);
  b.setInsertionPointToStart(entry);
  auto base = ir::AddressOfOp::create(b, push);
  for (unsigned i = 0; i < members.size(); ++i) {
    auto member =
        ir::AccessChainOp::create(b, base,
                                  ValueRange{ir::ConstantOp::create(
                                      b, i32Type(), b.getI32IntegerAttr(i))});
    if (i == 0)
      firstMember = member.getIndices().front();
    pointers.push_back(ir::LoadOp::create(b, member));
  }
  head = pointers.back().getDefiningOp();
  b.setInsertionPoint(gpu::ReturnOp::create(b));
  workgroup();
  thread();
}

OwningOpRef<ModuleOp> SpirvBuilder::finish() { return std::move(module); }

// ---- head of the function --------------------------------------------------

// Makes a value at the top of the function, where it dominates every use.
Value SpirvBuilder::entryValue(llvm::function_ref<Value()> make) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(head);
  return make();
}

Value SpirvBuilder::workgroup() {
  if (!workgroupValue)
    workgroupValue = entryValue([&] {
      auto number = [&](Value index) {
        return arith::IndexCastOp::create(b, i32Type(), index);
      };
      Value x = number(gpu::BlockIdOp::create(b, gpu::Dimension::x));
      Value y = number(gpu::BlockIdOp::create(b, gpu::Dimension::y));
      Value width = number(gpu::GridDimOp::create(b, gpu::Dimension::x));
      return add(x, mul(y, width));
    });
  return workgroupValue;
}

Value SpirvBuilder::thread() {
  if (!threadValue)
    threadValue = entryValue([&]() -> Value {
      return arith::IndexCastOp::create(
          b, i32Type(), gpu::ThreadIdOp::create(b, gpu::Dimension::x));
    });
  return threadValue;
}

Value SpirvBuilder::lane() {
  if (!laneValue)
    laneValue = entryValue([&]() -> Value {
      return arith::IndexCastOp::create(
          b, i32Type(), gpu::LaneIdOp::create(b, /*upper_bound=*/nullptr));
    });
  return laneValue;
}

Value SpirvBuilder::scalar(unsigned index) {
  Value &slot = scalars[index];
  if (!slot)
    slot = entryValue([&]() -> Value {
      return loadAligned(b, element(pointers.front(), i32(index + 1)));
    });
  return slot;
}

void SpirvBuilder::guarded(llvm::function_ref<void()> body) {
  Value groups = entryValue([&]() -> Value {
    return loadAligned(b, element(pointers.front(), i32(0)));
  });
  ifThen(ult(workgroup(), groups), body);
}

// ---- buffers ---------------------------------------------------------------

Value SpirvBuilder::element(Value pointer, Value index) {
  return ir::AccessChainOp::create(b, pointer, ValueRange{firstMember, index});
}

unsigned SpirvBuilder::view(unsigned buffer, WordType type) {
  if (wordsOf(buffer) == type)
    return buffer;
  unsigned number = addBuffer(type);
  Value pointer = entryValue([&]() -> Value {
    return ir::BitcastOp::create(b, bufferPointer(wordType(number)),
                                 pointers[buffer + 1]);
  });
  pointers.push_back(pointer);
  return number;
}

Value SpirvBuilder::loadWord(unsigned buffer, Value index) {
  return loadAligned(b, element(pointers[buffer + 1], index));
}

void SpirvBuilder::storeWord(unsigned buffer, Value index, Value value) {
  ir::StoreOp::create(
      b, element(pointers[buffer + 1], index), value,
      ir::MemoryAccessAttr::get(b.getContext(), ir::MemoryAccess::Aligned),
      b.getI32IntegerAttr(value.getType().getIntOrFloatBitWidth() / 8));
}

std::pair<Value, Value> SpirvBuilder::loadDouble(unsigned buffer, Value index,
                                                 Type half) {
  auto pair = ir::BitcastOp::create(b, VectorType::get(2, half),
                                    loadWord(buffer, index));
  Value low = ir::CompositeExtractOp::create(b, pair, {0});
  Value high = ir::CompositeExtractOp::create(b, pair, {1});
  return {low, high};
}

void SpirvBuilder::storeDouble(unsigned buffer, Value index, Value low,
                               Value high) {
  auto pair = ir::CompositeConstructOp::create(
      b, VectorType::get(2, low.getType()), ValueRange{low, high});
  storeWord(buffer, index, ir::BitcastOp::create(b, b.getI64Type(), pair));
}

std::pair<Value, Value> SpirvBuilder::unpackPair(agt_dtype dtype, Value word) {
  if (dtype == AGT_BF16)
    return {asF32(shl(word, 16)),
            asF32(bitAnd(word, static_cast<int32_t>(0xffff0000)))};
  auto pair =
      ir::GLUnpackHalf2x16Op::create(b, VectorType::get(2, f32Type()), word);
  Value low = ir::CompositeExtractOp::create(b, pair, {0});
  Value high = ir::CompositeExtractOp::create(b, pair, {1});
  return {low, high};
}

Value SpirvBuilder::f32FromHalf(Value bits) {
  return unpackPair(AGT_F16, bits).first;
}

void SpirvBuilder::storeNarrow(unsigned buffer, Value index, Value bits,
                               unsigned width) {
  assert(wordsOf(buffer) == WordType::I32 && "atomics are on integers");
  unsigned perWord = 32 / width, log = width == 16 ? 1 : 2;
  Value pointer = element(pointers[buffer + 1], shr(index, log));
  Value shift = mul(bitAnd(index, perWord - 1), width);
  Value mask = bitXor(shl(i32((1u << width) - 1), shift), i32(-1));
  ir::AtomicAndOp::create(b, i32Type(), pointer, ir::Scope::Device,
                          ir::MemorySemantics::None, mask);
  ir::AtomicOrOp::create(b, i32Type(), pointer, ir::Scope::Device,
                         ir::MemorySemantics::None, shl(bits, shift));
}

// ---- variables, subgroups, shared memory -----------------------------------

Variable SpirvBuilder::makeVariable(Type type) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&func.getBody().front());
  auto pointer = ir::PointerType::get(type, ir::StorageClass::Function);
  return {ir::VariableOp::create(b, pointer, ir::StorageClass::Function,
                                 /*initializer=*/nullptr)};
}

Value SpirvBuilder::load(Variable v) {
  return ir::LoadOp::create(b, v.pointer);
}

void SpirvBuilder::store(Variable v, Value value) {
  ir::StoreOp::create(b, v.pointer, value);
}

Value SpirvBuilder::broadcast(Value value, unsigned lane) {
  return ir::GroupNonUniformBroadcastOp::create(b, ir::Scope::Subgroup, value,
                                                i32(lane));
}

Value SpirvBuilder::shuffle(Value value, Value lane) {
  return ir::GroupNonUniformShuffleOp::create(b, ir::Scope::Subgroup, value,
                                              lane);
}

SharedArray SpirvBuilder::makeShared(Type type, int64_t size) {
  auto array = ir::ArrayType::get(type, size);
  auto pointer = ir::PointerType::get(array, ir::StorageClass::Workgroup);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(func);
  auto variable = ir::GlobalVariableOp::create(
      b, TypeAttr::get(pointer),
      b.getStringAttr("shared" + std::to_string(sharedCount++)));
  return {entryValue(
              [&]() -> Value { return ir::AddressOfOp::create(b, variable); }),
          type};
}

// Vulkan's memory model orders only what is said to be shared.
ir::MemoryAccessAttr SpirvBuilder::sharedAccess() {
  if (!matrices)
    return {};
  return ir::MemoryAccessAttr::get(b.getContext(),
                                   ir::MemoryAccess::NonPrivatePointer);
}

Value SpirvBuilder::load(const SharedArray &array, Value index) {
  return ir::LoadOp::create(
      b, ir::AccessChainOp::create(b, array.pointer, ValueRange{index}),
      sharedAccess());
}

void SpirvBuilder::store(const SharedArray &array, Value index, Value value) {
  ir::StoreOp::create(
      b, ir::AccessChainOp::create(b, array.pointer, ValueRange{index}), value,
      sharedAccess(), IntegerAttr());
}

void SpirvBuilder::barrier() {
  ir::ControlBarrierOp::create(b, ir::Scope::Workgroup, ir::Scope::Workgroup,
                               ir::MemorySemantics::AcquireRelease |
                                   ir::MemorySemantics::WorkgroupMemory);
}

Value SpirvBuilder::fmaxAny(Value x, Value y) {
  return ir::GLFMaxOp::create(b, x, y);
}

} // namespace agt::spirv
