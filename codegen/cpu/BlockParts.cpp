// See BlockParts.h.
#include "codegen/cpu/BlockParts.h"

using namespace mlir;

namespace agt::cpu {

Value BlockPart::numbers(CpuBuilder &v, int64_t lanes) const {
  CpuBuilder::Lanes scope(v, lanes);
  Value factors = v.splat(factor, lanes);
  return offset ? v.fma(whole, factors, v.splat(offset, lanes))
                : v.fmul(whole, factors);
}

namespace {

/// Reads one block.
class BlockReader {
public:
  BlockReader(CpuBuilder &v, Pointer block, int64_t lanes)
      : v(v), block(block), lanes(lanes) {}

  void readQ4_0();
  void readQ8_0();
  void readQ4_K();
  void readQ6_K();

  std::vector<BlockPart> parts;

private:
  Value half(int64_t byte);     // as f32
  Value byteAt(int64_t byte);   // 0 to 255
  Value signedAt(int64_t byte); // as f32
  Value bytesAt(int64_t byte);  // a vector of i32, 0 to 255
  void add(int64_t at, Value whole, Value factor, Value offset = {});

  CpuBuilder &v;
  Pointer block;
  int64_t lanes;
};

Value BlockReader::half(int64_t byte) {
  return v.loadF32({&v, (block + byte).v, v.builder().getF16Type()}, AGT_F16,
                   0);
}

Value BlockReader::byteAt(int64_t byte) {
  CpuBuilder::Lanes scope(v, 0);
  return arith::ExtUIOp::create(v.builder(), v.i32Type(), v.load(block + byte));
}

Value BlockReader::signedAt(int64_t byte) {
  return v.loadF32(block + byte, AGT_I8, 0);
}

Value BlockReader::bytesAt(int64_t byte) {
  CpuBuilder::Lanes scope(v, lanes);
  return arith::ExtUIOp::create(v.builder(), v.i32Type(),
                                v.load(block + byte, lanes));
}

void BlockReader::add(int64_t at, Value whole, Value factor, Value offset) {
  CpuBuilder::Lanes scope(v, lanes);
  if (whole.getType() == v.i32Type())
    whole = v.toF32(whole);
  parts.push_back({at, whole, factor, offset});
}

void BlockReader::readQ4_0() {
  Value d = half(0);
  for (int64_t side = 0; side < 2; ++side)
    for (int64_t i = 0; i < 16; i += lanes) {
      CpuBuilder::Lanes scope(v, lanes);
      Value bytes = bytesAt(2 + i);
      Value four = side ? v.shr(bytes, 4) : v.bitAnd(bytes, 15);
      add(16 * side + i, v.sub(four, v.i32(8)), d);
    }
}

void BlockReader::readQ8_0() {
  Value d = half(0);
  for (int64_t i = 0; i < 32; i += lanes)
    add(i, v.loadF32(block + (2 + i), AGT_I8, lanes), d);
}

void BlockReader::readQ4_K() {
  Value d = half(0), m = v.fneg(half(2));
  Value factors[8], offsets[8];
  for (int64_t i = 0; i < 4; ++i) {
    Value first = byteAt(4 + i), second = byteAt(8 + i), third = byteAt(12 + i);
    auto late = [&](Value low, Value above) {
      return v.bitOr(low, v.shl(v.shr(above, 6), 4));
    };
    auto times = [&](Value factor, Value number) {
      return v.fmul(factor, v.toF32(number));
    };
    factors[i] = times(d, v.bitAnd(first, 63));
    offsets[i] = times(m, v.bitAnd(second, 63));
    factors[4 + i] = times(d, late(v.bitAnd(third, 15), first));
    offsets[4 + i] = times(m, late(v.shr(third, 4), second));
  }
  for (int64_t part = 0; part < 8; ++part)
    for (int64_t i = 0; i < 32; i += lanes) {
      CpuBuilder::Lanes scope(v, lanes);
      Value bytes = bytesAt(16 + 32 * (part / 2) + i);
      add(32 * part + i, part % 2 ? v.shr(bytes, 4) : v.bitAnd(bytes, 15),
          factors[part], offsets[part]);
    }
}

void BlockReader::readQ6_K() {
  Value d = half(208);
  Value factors[16];
  for (int64_t i = 0; i < 16; ++i)
    factors[i] = v.fmul(d, signedAt(192 + i));
  for (int64_t side = 0; side < 2; ++side)
    for (int64_t n = 0; n < 4; ++n)
      for (int64_t i = 0; i < 32; i += lanes) {
        CpuBuilder::Lanes scope(v, lanes);
        Value low = bytesAt(64 * side + 32 * (n % 2) + i);
        Value high = bytesAt(128 + 32 * side + i);
        Value four = n < 2 ? v.bitAnd(low, 15) : v.shr(low, 4);
        Value two = v.bitAnd(v.shr(high, 2 * n), 3);
        Value six = v.bitOr(four, v.shl(two, 4));
        add(128 * side + 32 * n + i, v.sub(six, v.i32(32)),
            factors[8 * side + 2 * n + i / 16]);
      }
}

} // namespace

std::vector<BlockPart> partsOfBlock(CpuBuilder &v, BlockFormat format,
                                    Pointer block, int64_t lanes) {
  BlockReader reader(v, block, lanes);
  switch (format) {
  case BlockFormat::Q4_0:
    reader.readQ4_0();
    break;
  case BlockFormat::Q8_0:
    reader.readQ8_0();
    break;
  case BlockFormat::Q4_K:
    reader.readQ4_K();
    break;
  case BlockFormat::Q6_K:
    reader.readQ6_K();
    break;
  }
  return std::move(reader.parts);
}

} // namespace agt::cpu
