// See KernelBuilder.h.
#include "codegen/kernels/KernelBuilder.h"

using namespace mlir;

namespace agt::kernels {

KernelBuilder::KernelBuilder(Location loc, std::vector<WordType> buffers)
    : ValueBuilder(loc), buffers(std::move(buffers)) {}

KernelBuilder::~KernelBuilder() = default;

unsigned KernelBuilder::addBuffer(WordType type) {
  buffers.push_back(type);
  return buffers.size() - 1;
}

Type KernelBuilder::wordType(unsigned buffer) {
  switch (buffers[buffer]) {
  case WordType::F32:
    return f32Type();
  case WordType::I32:
    return i32Type();
  case WordType::I64:
    return b.getI64Type();
  }
  return {};
}

Value KernelBuilder::scalarF32(unsigned index) { return asF32(scalar(index)); }

Value KernelBuilder::loadI32(unsigned buffer, Value index) {
  Value word = loadWord(buffer, index);
  return buffers[buffer] == WordType::F32 ? asI32(word) : word;
}

void KernelBuilder::storeI32(unsigned buffer, Value index, Value bits) {
  storeWord(buffer, index,
            buffers[buffer] == WordType::F32 ? asF32(bits) : bits);
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
    return buffers[buffer] == WordType::F32 ? word : asF32(word);
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

Value KernelBuilder::packPair(agt_dtype dtype, Value low, Value high) {
  auto bits = [&](Value f) {
    return dtype == AGT_F16 ? halfFromF32(f) : bf16FromF32(f);
  };
  return bitOr(bits(low), shl(bits(high), 16));
}

void KernelBuilder::storeElement(unsigned buffer, agt_dtype dtype, Value index,
                                 Value value) {
  unsigned width = widthOf(dtype);
  assert(width <= 32 && dtype != AGT_F8E4M3 && "no such stores");
  if (dtype == AGT_F32)
    return storeWord(buffer, index,
                     buffers[buffer] == WordType::F32 ? value : asI32(value));
  if (dtype == AGT_I32)
    return storeI32(buffer, index, value);
  Value bits = dtype == AGT_F16    ? halfFromF32(value)
               : dtype == AGT_BF16 ? bf16FromF32(value)
                                   : bitAnd(value, 0xff);
  storeNarrow(buffer, index, bits, width);
}

Variable KernelBuilder::makeVariable(Value init) {
  Variable v = makeVariable(init.getType());
  store(v, init);
  return v;
}

} // namespace agt::kernels
