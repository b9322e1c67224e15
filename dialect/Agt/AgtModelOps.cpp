//===- AgtModelOps.cpp - Weights and caches of whole models ---------------===//

#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Shapes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace agt;

LogicalResult WeightsOp::verify() {
  // weights_c1
  static const StringRef formats[] = {"llama2c", "safetensors", "npy"};
  if (!llvm::is_contained(formats, getFormat()))
    return emitOpError("expected the format 'llama2c', 'safetensors' or "
                       "'npy', got '")
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
