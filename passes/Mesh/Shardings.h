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
#include "dialect/Agt/Attributes.h"

namespace agt {

/// The graph for the other way, or null where one program goes both.
GraphOp otherPolicy(GraphOp graph);

/// How a value lies; whole where nothing is noted.
ShardingAttr shardingOf(mlir::Value value);
void setSharding(mlir::Value value, ShardingAttr sharding);

/// The mesh of a graph, or null.
MeshOp meshOf(GraphOp graph);

/// Bytes a second over the links of an axis: its own, else the target's; 0
/// where neither is declared.
double linkOf(MeshOp mesh, unsigned axis);
/// What the target of a mesh declares, 0 where it does not.
double declaredBy(MeshOp mesh, llvm::StringRef what);

/// The axes of a split as one: how many parts, and how many positions further
/// the next part is. Nothing where the axes are not neighbours in the mesh's
/// order.
struct Cut {
  int64_t parts;
  int64_t step;
};
std::optional<Cut> cutOf(MeshOp mesh, const DimSplit &split);

/// Whether all parts of so many tokens are of one size.
bool cutsEvenly(int64_t tokens, int64_t parts, Balance balance);

} // namespace agt

#endif // AGT_PASSES_MESH_SHARDINGS_H
