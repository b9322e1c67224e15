//===- AgtModelOps.cpp - Weights and caches of whole models ---------------===//

#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Shapes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace agt;

LogicalResult WeightsOp::verify() {
  // weights_c1
  static const StringRef formats[] = {"llama2c", "safetensors", "gguf", "npy"};
  if (!llvm::is_contained(formats, getFormat()))
    return emitOpError("expected the format 'llama2c', 'safetensors', 'gguf' "
                       "or 'npy', got '")
           << getFormat() << "'";
  return success();
}

LogicalResult CacheAppendOp::verify() {
  // cache_append_c1
  RankedTensorType cache = tensorType(getCache());
  if (cache.getRank() != 3)
    return emitOpError("expected a cache of 3 dims, got ") << cache;
  // cache_append_c2
  RankedTensorType rows = tensorType(getRows());
  int64_t tokens =
      rows.getRank() == 3 ? rows.getDimSize(1) : ShapedType::kDynamic;
  if (failed(verifyTensor(*this, "rows", getRows(),
                          {cache.getDimSize(0), tokens, cache.getDimSize(2)},
                          cache.getElementType())))
    return failure();
  // cache_append_c3
  if (failed(verifyTensor(*this, "slots", getSlots(), {tokens},
                          tensorType(getSlots()).getElementType())))
    return failure();
  // cache_append_c4
  return verifyTensor(*this, "a result", getResult(), cache.getShape(),
                      cache.getElementType());
}

LogicalResult
CacheAppendOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, *this, getCache(), shapes);
}

//===----------------------------------------------------------------------===//
// agt.unpack_blocks
//===----------------------------------------------------------------------===//

BlockLayout agt::layoutOf(BlockFormat format) {
  switch (format) {
  case BlockFormat::Q4_0:
    return {32, 18};
  case BlockFormat::Q8_0:
    return {32, 34};
  case BlockFormat::Q4_K:
    return {256, 144};
  case BlockFormat::Q6_K:
    return {256, 210};
  }
  llvm_unreachable("every format is above");
}

LogicalResult UnpackBlocksOp::verify() {
  // unpack_blocks_c1
  RankedTensorType bytes = tensorType(getBytes());
  if (bytes.getRank() == 0 || ShapedType::isDynamic(bytes.getShape().back()))
    return emitOpError("expected bytes with a last dim that is known, got ")
           << bytes;
  // unpack_blocks_c2
  BlockLayout layout = layoutOf(getFormat());
  int64_t row = bytes.getShape().back();
  if (row % layout.bytes != 0)
    return emitOpError("expected rows of whole blocks of ")
           << layout.bytes << " bytes, got rows of " << row;
  // unpack_blocks_c3
  SmallVector<int64_t> shape(bytes.getShape());
  shape.back() = row / layout.bytes * layout.numbers;
  return verifyTensor(*this, "a result", getResult(), shape,
                      tensorType(getResult()).getElementType());
}

LogicalResult
UnpackBlocksOp::reifyResultShapes(OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, *this, getBytes(), shapes);
}
