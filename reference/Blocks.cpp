//===- Blocks.cpp - Quantised blocks of GGUF files ------------------------===//
//
// Block by block, as the formats are laid out; AgtModelOps.td has the table.
//
//===----------------------------------------------------------------------===//

#include "reference/Ops.h"

#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace agt;
using namespace agt::reference;
using llvm::ArrayRef;

using Bytes = ArrayRef<uint8_t>;

static double halfAt(Bytes block, size_t byte) {
  llvm::APInt bits(16, block[byte] | block[byte + 1] << 8);
  return llvm::APFloat(llvm::APFloat::IEEEhalf(), bits).convertToDouble();
}

/// The low and the high four bits of 16 or 32 bytes, one behind the other.
static std::vector<int> nibbles(Bytes bytes) {
  std::vector<int> numbers;
  for (int shift : {0, 4})
    for (uint8_t byte : bytes)
      numbers.push_back(byte >> shift & 15);
  return numbers;
}

static void unpackQ4_0(Bytes block, std::vector<double> &out) {
  for (int q : nibbles(block.slice(2, 16)))
    out.push_back(halfAt(block, 0) * (q - 8));
}

static void unpackQ8_0(Bytes block, std::vector<double> &out) {
  for (uint8_t byte : block.slice(2, 32))
    out.push_back(halfAt(block, 0) * int8_t(byte));
}

static void unpackQ4_K(Bytes block, std::vector<double> &out) {
  Bytes packed = block.slice(4, 12), bytes = block.slice(16, 128);
  int s[8], t[8];
  for (int i = 0; i < 4; ++i) {
    s[i] = packed[i] & 63;
    t[i] = packed[4 + i] & 63;
    s[4 + i] = (packed[8 + i] & 15) | packed[i] >> 6 << 4;
    t[4 + i] = packed[8 + i] >> 4 | packed[4 + i] >> 6 << 4;
  }
  for (int pair = 0; pair < 4; ++pair) {
    std::vector<int> numbers = nibbles(bytes.slice(32 * pair, 32));
    for (size_t i = 0; i < numbers.size(); ++i) {
      size_t part = 2 * pair + i / 32;
      out.push_back(halfAt(block, 0) * s[part] * numbers[i] -
                    halfAt(block, 2) * t[part]);
    }
  }
}

static void unpackQ6_K(Bytes block, std::vector<double> &out) {
  for (int side = 0; side < 2; ++side) {
    Bytes low = block.slice(64 * side, 64),
          high = block.slice(128 + 32 * side, 32),
          scales = block.slice(192 + 8 * side, 8);
    std::vector<int> numbers = nibbles(low);
    for (size_t i = 0; i < numbers.size(); ++i) {
      int q = numbers[i] | (high[i % 32] >> 2 * (i / 32) & 3) << 4;
      out.push_back(halfAt(block, 208) * int8_t(scales[i / 16]) * (q - 32));
    }
  }
}

static Tensor unpackBlocks(UnpackBlocksOp op, const Tensor &bytes) {
  BlockLayout layout = layoutOf(op.getFormat());
  std::vector<uint8_t> all;
  for (int64_t byte : bytes.ints)
    all.push_back(uint8_t(byte));
  std::vector<double> numbers;
  for (size_t at = 0; at < all.size(); at += layout.bytes) {
    Bytes block = Bytes(all).slice(at, layout.bytes);
    switch (op.getFormat()) {
    case BlockFormat::Q4_0:
      unpackQ4_0(block, numbers);
      break;
    case BlockFormat::Q8_0:
      unpackQ8_0(block, numbers);
      break;
    case BlockFormat::Q4_K:
      unpackQ4_K(block, numbers);
      break;
    case BlockFormat::Q6_K:
      unpackQ6_K(block, numbers);
      break;
    }
  }
  std::vector<int64_t> shape = bytes.shape;
  shape.back() = shape.back() / layout.bytes * layout.numbers;
  Tensor result(Element::F32, shape);
  for (size_t i = 0; i < numbers.size(); ++i)
    result.setFloat(i, numbers[i], elementaryBound(numbers[i]));
  return result;
}

std::optional<Data> agt::reference::evaluateBlocks(Operation *op,
                                                   ArrayRef<Datum> operands) {
  if (auto unpack = dyn_cast<UnpackBlocksOp>(op))
    return Data{unpackBlocks(unpack, *operands[0].tensor)};
  return std::nullopt;
}
