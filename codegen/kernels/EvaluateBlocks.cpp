// agt.unpack_blocks: one number of a block of quantised ones. The layouts are
// those of GGUF files, which AgtModelOps.td gives in a table.
#include "codegen/kernels/Evaluator.h"

using namespace mlir;

namespace agt::kernels {
namespace {

/// Reads one block: a byte by its number within it.
struct BlockReader {
  KernelBuilder &k;
  llvm::function_ref<Value(Value)> byte; // 0 to 255
  llvm::function_ref<Value(Value)> half;

  Value byteAt(int64_t first, Value number) {
    return byte(k.add(number, first));
  }
  Value halfAt(int64_t first) { return half(k.i32(first)); }
  /// The 4 bits of a byte from `shift` on.
  Value nibble(Value byte, Value shift) {
    return k.bitAnd(k.shr(byte, shift), 15);
  }

  Value q4_0(Value number);
  Value q8_0(Value number);
  Value q4_k(Value number);
  Value q6_k(Value number);
};

} // namespace

Value BlockReader::q4_0(Value number) {
  Value bits = byteAt(2, k.bitAnd(number, 15));
  Value q = nibble(bits, k.mul(k.shr(number, 4), 4));
  return k.fmul(halfAt(0), k.toF32(k.sub(q, k.i32(8))));
}

Value BlockReader::q8_0(Value number) {
  Value q = byteAt(2, number);
  q = k.sub(k.bitXor(q, k.i32(0x80)), k.i32(0x80));
  return k.fmul(halfAt(0), k.toF32(q));
}

// The 12 bytes of s and t: of parts 0 to 3 the low 6 bits of bytes 0 to 3 (s)
// and 4 to 7 (t); of parts 4 to 7 a half of bytes 8 to 11 each, and above it
// the 2 bits that the first eight bytes have left.
Value BlockReader::q4_k(Value number) {
  Value part = k.shr(number, 5);
  Value early = k.ult(part, k.i32(4));
  Value at = k.bitAnd(part, 3);
  Value first = byteAt(4, at), second = byteAt(8, at), third = byteAt(12, at);
  auto sixBits = [&](Value own, Value late) {
    Value above = k.shl(k.shr(own, 6), 4);
    return k.toF32(k.select(early, k.bitAnd(own, 63), k.bitOr(late, above)));
  };
  Value s = sixBits(first, k.bitAnd(third, 15));
  Value t = sixBits(second, k.shr(third, 4));
  // Two parts share 32 bytes, the even one in their low halves.
  Value place = k.add(k.mul(k.shr(number, 6), 32), k.bitAnd(number, 31));
  Value q = nibble(byteAt(16, place), k.mul(k.bitAnd(part, 1), 4));
  Value scaled = k.fmul(k.fmul(halfAt(0), s), k.toF32(q));
  return k.fsub(scaled, k.fmul(halfAt(2), t));
}

// Halves of 128 numbers: of number 32 n + l, the low bits are in byte
// 32 (n & 1) + l of 64, upper half from n = 2 on, and the high ones are pair n
// of byte l of 32.
Value BlockReader::q6_k(Value number) {
  Value side = k.shr(number, 7), n = k.bitAnd(k.shr(number, 5), 3);
  Value l = k.bitAnd(number, 31);
  Value lowAt = k.add(k.add(k.mul(side, 64), k.mul(k.bitAnd(n, 1), 32)), l);
  Value low = nibble(byteAt(0, lowAt), k.mul(k.shr(n, 1), 4));
  Value high = byteAt(128, k.add(k.mul(side, 32), l));
  high = k.bitAnd(k.shr(high, k.mul(n, 2)), 3);
  Value q = k.sub(k.bitOr(low, k.shl(high, 4)), k.i32(32));
  Value s = byteAt(192, k.shr(number, 4));
  s = k.sub(k.bitXor(s, k.i32(0x80)), k.i32(0x80));
  return k.fmul(k.fmul(halfAt(208), k.toF32(s)), k.toF32(q));
}

// Rows and blocks are an even number of bytes: a half never crosses a word.
Value Evaluator::halfAt(Value bytes, ArrayRef<Value> row, Value byte) {
  SmallVector<Value> indices(row);
  indices.push_back(byte);
  const Sizes &sizes = shapes.sizesOf(bytes);
  if (isa<BlockArgument>(bytes)) {
    Value number = numberOf(linearOf(at(sizes, indices)));
    Value word = loadWord(buffers.lookup(bytes), k.shr(number, 2));
    Value shift = k.mul(k.bitAnd(number, 2), 8);
    return k.f32FromHalf(k.bitAnd(k.shr(word, shift), 0xffff));
  }
  Value low = k.bitAnd(element(bytes, at(sizes, indices)), 0xff);
  indices.back() = k.add(byte, 1);
  Value high = k.bitAnd(element(bytes, at(sizes, indices)), 0xff);
  return k.f32FromHalf(k.bitOr(low, k.shl(high, 8)));
}

Value Evaluator::unpackBlocks(UnpackBlocksOp op, Place place) {
  SmallVector<Value> row = indicesOf(place);
  Value column = row.pop_back_val();
  BlockLayout layout = layoutOf(op.getFormat());
  Value block = k.div(column, layout.numbers);
  Value number = k.sub(column, k.mul(block, layout.numbers));
  Value first = k.mul(block, layout.bytes);
  Value bytes = op.getBytes();
  auto byte = [&](Value at) {
    SmallVector<Value> indices(row);
    indices.push_back(k.add(first, at));
    Value signedByte = element(bytes, this->at(shapes.sizesOf(bytes), indices));
    return k.bitAnd(signedByte, 0xff);
  };
  auto half = [&](Value at) { return halfAt(bytes, row, k.add(first, at)); };
  BlockReader reader{k, byte, half};
  switch (op.getFormat()) {
  case BlockFormat::Q4_0:
    return reader.q4_0(number);
  case BlockFormat::Q8_0:
    return reader.q8_0(number);
  case BlockFormat::Q4_K:
    return reader.q4_k(number);
  case BlockFormat::Q6_K:
    return reader.q6_k(number);
  }
  llvm_unreachable("every format is above");
}

} // namespace agt::kernels
