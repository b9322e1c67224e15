// See Shardings.h.
#include "passes/Mesh/Shardings.h"

#include "dialect/Agt/Shapes.h"

using namespace mlir;
using namespace agt;

ShardingAttr agt::shardingOf(Value value) {
  ShardingAttr found;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto graph = cast<GraphOp>(argument.getOwner()->getParentOp());
    found = graph.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(),
                                                 kShardingOfArgument);
  } else if (auto all = value.getDefiningOp()->getAttrOfType<ArrayAttr>(
                 kShardingsOfResults)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    found = cast<ShardingAttr>(all[number]);
  }
  return found ? found
               : ShardingAttr::whole(value.getContext(),
                                     tensorType(value).getRank());
}

void agt::setSharding(Value value, ShardingAttr sharding) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    cast<GraphOp>(argument.getOwner()->getParentOp())
        .setArgAttr(argument.getArgNumber(), kShardingOfArgument, sharding);
    return;
  }
  Operation *op = value.getDefiningOp();
  SmallVector<Attribute> all;
  for (Value result : op->getResults())
    all.push_back(result == value ? sharding : shardingOf(result));
  op->setAttr(kShardingsOfResults, ArrayAttr::get(op->getContext(), all));
}

MeshOp agt::meshOf(GraphOp graph) {
  if (!graph.getMesh())
    return {};
  return dyn_cast_or_null<MeshOp>(
      SymbolTable::lookupNearestSymbolFrom(graph, graph.getMeshAttr()));
}

GraphOp agt::otherPolicy(GraphOp graph) {
  auto module = graph->getParentOfType<ModuleOp>();
  for (GraphOp other : module.getOps<GraphOp>()) {
    auto of = other->getAttrOfType<FlatSymbolRefAttr>(kPolicyOf);
    if (of && of.getAttr() == graph.getSymNameAttr())
      return other;
  }
  return {};
}

double agt::declaredBy(MeshOp mesh, StringRef what) {
  auto target = mesh->getAttrOfType<DictionaryAttr>(kTargetOfMesh);
  auto number = target ? target.getAs<FloatAttr>(what) : FloatAttr();
  return number ? number.getValueAsDouble() : 0.0;
}

double agt::linkOf(MeshOp mesh, unsigned axis) {
  double own = mesh.getLinks()[axis];
  return own > 0 ? own : declaredBy(mesh, "link");
}

bool agt::cutsEvenly(int64_t tokens, int64_t parts, Balance balance) {
  bool zigzag = balance == Balance::Zigzag || balance == Balance::ZigzagLeaves;
  int64_t pieces = zigzag ? 2 * parts : parts;
  return tokens % (ofLeaves(balance) ? pieces * kLeafKeys : pieces) == 0;
}

std::optional<Cut> agt::cutOf(MeshOp mesh, const DimSplit &split) {
  ArrayRef<int64_t> sizes = mesh.getSizes();
  Cut cut{1, 1};
  std::optional<unsigned> last;
  for (StringAttr name : split.axes) {
    std::optional<unsigned> axis = mesh.axisNumber(name.getValue());
    if (!axis || (last && *axis != *last + 1))
      return std::nullopt;
    cut.parts *= sizes[*axis];
    last = axis;
  }
  for (size_t axis = last ? *last + 1 : 0; axis < sizes.size(); ++axis)
    cut.step *= sizes[axis];
  return cut;
}
