// How large a token of an attention's tensors is.
#ifndef AGT_PASSES_MESH_TOKENS_H
#define AGT_PASSES_MESH_TOKENS_H

#include "dialect/Agt/Agt.h"

namespace agt {

/// Elements of a tensor for one token, an open dim counted as one.
double elementsOfToken(mlir::RankedTensorType type, Layout layout);
/// The same in bytes.
double bytesOfToken(mlir::RankedTensorType type, Layout layout);

} // namespace agt

#endif // AGT_PASSES_MESH_TOKENS_H
