//===- Shardings.h - How the values of a graph lie on its mesh --*- C++ -*-===//
//
// The attributes in which agt-propagate-shardings leaves what it has worked
// out: `agt.sharding` of each argument, `agt.shardings` of each op with a
// result that is cut.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_PASSES_MESH_SHARDINGS_H
#define AGT_PASSES_MESH_SHARDINGS_H

#include "dialect/Agt/Agt.h"

namespace agt {

constexpr llvm::StringLiteral kShardingOfArgument = "agt.sharding";
constexpr llvm::StringLiteral kShardingsOfResults = "agt.shardings";

/// How a value lies; whole where nothing is noted.
ShardingAttr shardingOf(mlir::Value value);
void setSharding(mlir::Value value, ShardingAttr sharding);

/// The mesh of a graph, or null.
MeshOp meshOf(GraphOp graph);

/// The axes of a split as one: how many parts, and how many positions further
/// the next part is. Nothing where the axes are not neighbours in the mesh's
/// order.
struct Cut {
  int64_t parts;
  int64_t step;
};
std::optional<Cut> cutOf(MeshOp mesh, const DimSplit &split);

} // namespace agt

#endif // AGT_PASSES_MESH_SHARDINGS_H
