// See KernelBuilder.h.
#include "codegen/spirv/KernelBuilder.h"

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

KernelBuilder::KernelBuilder(Location loc, KernelConfig c)
    : ValueBuilder(loc), config(std::move(c)) {
  MLIRContext *context = loc.getContext();
  module = ModuleOp::create(loc);
  module.get()->setAttr(ir::getTargetEnvAttrName(),
                        config.matrices ? matrixTargetEnv(context)
                                        : targetEnv(context));
  b.setInsertionPointToStart(module->getBody());
  gpuModule = gpu::GPUModuleOp::create(b, config.name);

  b.setInsertionPointToStart(gpuModule.getBody());
  SmallVector<Type> members{bufferPointer(i32Type())};
  for (unsigned i = 0; i < config.buffers.size(); ++i)
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
  func->setAttr(
      ir::getEntryPointABIAttrName(),
      ir::getEntryPointABIAttr(context, {config.workgroupSize, 1, 1}));
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

KernelBuilder::KernelBuilder(Location loc, std::vector<WordType> buffers)
    : ValueBuilder(loc), config{"", 1, std::move(buffers)} {}

KernelBuilder::~KernelBuilder() = default;

OwningOpRef<ModuleOp> KernelBuilder::finish() { return std::move(module); }

Type KernelBuilder::wordType(unsigned buffer) {
  switch (config.buffers[buffer]) {
  case WordType::F32:
    return f32Type();
  case WordType::I32:
    return i32Type();
  case WordType::I64:
    return b.getI64Type();
  }
  return {};
}

// ---- head of the function --------------------------------------------------

// Makes a value at the top of the function, where it dominates every use.
Value KernelBuilder::entryValue(llvm::function_ref<Value()> make) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(head);
  return make();
}

Value KernelBuilder::workgroup() {
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

Value KernelBuilder::thread() {
  if (!threadValue)
    threadValue = entryValue([&]() -> Value {
      return arith::IndexCastOp::create(
          b, i32Type(), gpu::ThreadIdOp::create(b, gpu::Dimension::x));
    });
  return threadValue;
}

Value KernelBuilder::lane() {
  if (!laneValue)
    laneValue = entryValue([&]() -> Value {
      return arith::IndexCastOp::create(
          b, i32Type(), gpu::LaneIdOp::create(b, /*upper_bound=*/nullptr));
    });
  return laneValue;
}

Value KernelBuilder::scalar(unsigned index) {
  Value &slot = scalars[index];
  if (!slot)
    slot = entryValue([&]() -> Value {
      return loadAligned(b, element(pointers.front(), i32(index + 1)));
    });
  return slot;
}

Value KernelBuilder::scalarF32(unsigned index) { return asF32(scalar(index)); }

void KernelBuilder::guarded(llvm::function_ref<void()> body) {
  Value groups = entryValue([&]() -> Value {
    return loadAligned(b, element(pointers.front(), i32(0)));
  });
  ifThen(ult(workgroup(), groups), body);
}

// ---- buffers ---------------------------------------------------------------

Value KernelBuilder::element(Value pointer, Value index) {
  return ir::AccessChainOp::create(b, pointer, ValueRange{firstMember, index});
}

unsigned KernelBuilder::view(unsigned buffer, WordType type) {
  if (config.buffers[buffer] == type)
    return buffer;
  config.buffers.push_back(type);
  unsigned number = config.buffers.size() - 1;
  Value pointer = entryValue([&]() -> Value {
    return ir::BitcastOp::create(b, bufferPointer(wordType(number)),
                                 pointers[buffer + 1]);
  });
  pointers.push_back(pointer);
  return number;
}

Value KernelBuilder::loadWord(unsigned buffer, Value index) {
  return loadAligned(b, element(pointers[buffer + 1], index));
}

void KernelBuilder::storeWord(unsigned buffer, Value index, Value value) {
  ir::StoreOp::create(
      b, element(pointers[buffer + 1], index), value,
      ir::MemoryAccessAttr::get(b.getContext(), ir::MemoryAccess::Aligned),
      b.getI32IntegerAttr(value.getType().getIntOrFloatBitWidth() / 8));
}

Value KernelBuilder::loadI32(unsigned buffer, Value index) {
  Value word = loadWord(buffer, index);
  return config.buffers[buffer] == WordType::F32 ? asI32(word) : word;
}

void KernelBuilder::storeI32(unsigned buffer, Value index, Value bits) {
  storeWord(buffer, index,
            config.buffers[buffer] == WordType::F32 ? asF32(bits) : bits);
}

std::pair<Value, Value> KernelBuilder::loadDouble(unsigned buffer, Value index,
                                                  Type half) {
  auto pair = ir::BitcastOp::create(b, VectorType::get(2, half),
                                    loadWord(buffer, index));
  Value low = ir::CompositeExtractOp::create(b, pair, {0});
  Value high = ir::CompositeExtractOp::create(b, pair, {1});
  return {low, high};
}

void KernelBuilder::storeDouble(unsigned buffer, Value index, Value low,
                                Value high) {
  auto pair = ir::CompositeConstructOp::create(
      b, VectorType::get(2, low.getType()), ValueRange{low, high});
  storeWord(buffer, index, ir::BitcastOp::create(b, b.getI64Type(), pair));
}

// Bits of an element's place in its word.
static unsigned widthOf(agt_dtype dtype) {
  switch (dtype) {
  case AGT_F16:
  case AGT_BF16:
    return 16;
  case AGT_I8:
  case AGT_BOOL:
  case AGT_F8E4M3:
    return 8;
  case AGT_I64:
    return 64;
  case AGT_F32:
  case AGT_I32:
    return 32;
  }
  return 0;
}

Value KernelBuilder::loadElement(unsigned buffer, agt_dtype dtype,
                                 Value index) {
  unsigned width = widthOf(dtype);
  assert(width <= 32 && dtype != AGT_F8E4M3 && "no such loads");
  if (dtype == AGT_F32) {
    Value word = loadWord(buffer, index);
    return config.buffers[buffer] == WordType::F32 ? word : asF32(word);
  }
  if (dtype == AGT_I32)
    return loadI32(buffer, index);
  unsigned perWord = 32 / width, log = width == 16 ? 1 : 2;
  Value word = loadI32(buffer, shr(index, log));
  Value shift = mul(bitAnd(index, perWord - 1), width);
  Value bits = bitAnd(shr(word, shift), (1 << width) - 1);
  switch (dtype) {
  case AGT_F16:
    return f32FromHalf(bits);
  case AGT_BF16:
    return f32FromBf16(bits);
  case AGT_I8:
    return sub(bitXor(bits, i32(0x80)), i32(0x80));
  default:
    return bits;
  }
}

std::pair<Value, Value> KernelBuilder::unpackPair(agt_dtype dtype, Value word) {
  if (dtype == AGT_BF16)
    return {asF32(shl(word, 16)),
            asF32(bitAnd(word, static_cast<int32_t>(0xffff0000)))};
  auto pair =
      ir::GLUnpackHalf2x16Op::create(b, VectorType::get(2, f32Type()), word);
  Value low = ir::CompositeExtractOp::create(b, pair, {0});
  Value high = ir::CompositeExtractOp::create(b, pair, {1});
  return {low, high};
}

Value KernelBuilder::packPair(agt_dtype dtype, Value low, Value high) {
  auto bits = [&](Value f) {
    return dtype == AGT_F16 ? halfFromF32(f) : bf16FromF32(f);
  };
  return bitOr(bits(low), shl(bits(high), 16));
}

Value KernelBuilder::f32FromHalf(Value bits) {
  return unpackPair(AGT_F16, bits).first;
}

void KernelBuilder::storeElement(unsigned buffer, agt_dtype dtype, Value index,
                                 Value value) {
  unsigned width = widthOf(dtype);
  assert(width <= 32 && dtype != AGT_F8E4M3 && "no such stores");
  if (dtype == AGT_F32)
    return storeWord(buffer, index,
                     config.buffers[buffer] == WordType::F32 ? value
                                                             : asI32(value));
  if (dtype == AGT_I32)
    return storeI32(buffer, index, value);
  Value bits = dtype == AGT_F16    ? halfFromF32(value)
               : dtype == AGT_BF16 ? bf16FromF32(value)
                                   : bitAnd(value, 0xff);
  storeNarrow(buffer, index, bits, width);
}

void KernelBuilder::storeNarrow(unsigned buffer, Value index, Value bits,
                                unsigned width) {
  assert(config.buffers[buffer] == WordType::I32 && "atomics are on integers");
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

Variable KernelBuilder::makeVariable(Type type) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&func.getBody().front());
  auto pointer = ir::PointerType::get(type, ir::StorageClass::Function);
  return {ir::VariableOp::create(b, pointer, ir::StorageClass::Function,
                                 /*initializer=*/nullptr)};
}

Variable KernelBuilder::makeVariable(Value init) {
  Variable v = makeVariable(init.getType());
  store(v, init);
  return v;
}

Value KernelBuilder::load(Variable v) {
  return ir::LoadOp::create(b, v.pointer);
}

void KernelBuilder::store(Variable v, Value value) {
  ir::StoreOp::create(b, v.pointer, value);
}

Value KernelBuilder::broadcast(Value value, unsigned lane) {
  return ir::GroupNonUniformBroadcastOp::create(b, ir::Scope::Subgroup, value,
                                                i32(lane));
}

Value KernelBuilder::shuffle(Value value, Value lane) {
  return ir::GroupNonUniformShuffleOp::create(b, ir::Scope::Subgroup, value,
                                              lane);
}

SharedArray KernelBuilder::makeShared(Type type, int64_t size) {
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
ir::MemoryAccessAttr KernelBuilder::sharedAccess() {
  if (!config.matrices)
    return {};
  return ir::MemoryAccessAttr::get(b.getContext(),
                                   ir::MemoryAccess::NonPrivatePointer);
}

Value KernelBuilder::load(const SharedArray &array, Value index) {
  return ir::LoadOp::create(
      b, ir::AccessChainOp::create(b, array.pointer, ValueRange{index}),
      sharedAccess());
}

void KernelBuilder::store(const SharedArray &array, Value index, Value value) {
  ir::StoreOp::create(
      b, ir::AccessChainOp::create(b, array.pointer, ValueRange{index}), value,
      sharedAccess(), IntegerAttr());
}

void KernelBuilder::barrier() {
  ir::ControlBarrierOp::create(b, ir::Scope::Workgroup, ir::Scope::Workgroup,
                               ir::MemorySemantics::AcquireRelease |
                                   ir::MemorySemantics::WorkgroupMemory);
}

Value KernelBuilder::fmaxAny(Value x, Value y) {
  return ir::GLFMaxOp::create(b, x, y);
}

} // namespace agt::spirv
