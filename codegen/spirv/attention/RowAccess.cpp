// See RowAccess.h.
#include "codegen/spirv/attention/RowAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace agt::kernels;

namespace agt::spirv::attention {

int64_t elementsPerWord(agt_dtype dtype, WordType word) {
  return (word == WordType::I64 ? 2 : 1) * (dtype == AGT_F32 ? 1 : 2);
}

Value RowAccess::wordIndex(Value element) {
  return b.shr(element, llvm::Log2_64(perWord));
}

// The elements of one word.
void RowAccess::loadInto(Value index, SmallVectorImpl<Value> &values) {
  Type half = dtype == AGT_F32 ? b.f32Type() : b.i32Type();
  SmallVector<Value, 2> words;
  if (word == WordType::I64) {
    auto [low, high] = b.loadDouble(buffer, index, half);
    words = {low, high};
  } else {
    words = {b.loadWord(buffer, index)};
  }
  for (Value w : words) {
    if (dtype == AGT_F32) {
      values.push_back(w);
      continue;
    }
    auto [low, high] = b.unpackPair(dtype, w);
    values.append({low, high});
  }
}

SmallVector<Value> RowAccess::load(Value base, int64_t chunk) {
  // In words: base + lane * words a lane has + chunk * words of a chunk.
  const int64_t own = layout.width / perWord;
  Value offset = b.mul(b.lane(), own);
  Value index;
  if (full(chunk)) {
    index = b.add(b.add(wordIndex(base), offset), chunk * own * layout.lanes);
  } else {
    Value last = b.i32((layout.dims - layout.width) / perWord);
    offset = b.minS(b.add(offset, chunk * own * layout.lanes), last);
    index = b.add(wordIndex(base), offset);
  }
  SmallVector<Value> values;
  for (int64_t i = 0; i < own; ++i)
    loadInto(b.add(index, i), values);
  return values;
}

void RowAccess::store(Value base, int64_t chunk, ArrayRef<Value> values) {
  const int64_t own = layout.width / perWord;
  auto body = [&] {
    Value index = b.add(b.add(wordIndex(base), b.mul(b.lane(), own)),
                        chunk * own * layout.lanes);
    SmallVector<Value> words;
    for (int64_t i = 0; i < layout.width; ++i)
      if (dtype == AGT_F32)
        words.push_back(values[i]);
      else if (i % 2 == 0)
        words.push_back(b.packPair(dtype, values[i], values[i + 1]));
    for (int64_t i = 0; i < own; ++i)
      if (word == WordType::I64)
        b.storeDouble(buffer, b.add(index, i), words[2 * i], words[2 * i + 1]);
      else
        b.storeWord(buffer, b.add(index, i), words[i]);
  };
  if (full(chunk))
    return body();
  int64_t lanes = layout.dims % layout.chunkDims() / layout.width;
  b.ifThen(b.ult(b.lane(), b.i32(lanes)), body);
}

SmallVector<Value> RowAccess::loadWhole(Value base) {
  SmallVector<Value> values;
  for (int64_t dim = 0; dim < layout.dims; dim += perWord)
    loadInto(b.add(wordIndex(base), dim / perWord), values);
  return values;
}

} // namespace agt::spirv::attention
