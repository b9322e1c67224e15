//===- AgtAgentTestOps.cpp - What only tests do ---------------------------===//

#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Attributes.h"

using namespace mlir;
using namespace agt;

LogicalResult RandomTensorOp::verify() {
  // random_tensor_c1
  int64_t rank = getType().getRank();
  if (int64_t(getShape().size()) == rank)
    return success();
  return emitOpError("expected ")
         << rank << " sizes for " << getType() << ", got " << getShape().size();
}

/// A tensor of the same elements and rank; what its sizes are shows at run
/// time.
static bool fits(Type type, Type declared) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto expected = cast<RankedTensorType>(declared);
  return tensor && tensor.getRank() == expected.getRank() &&
         tensor.getElementType() == expected.getElementType();
}

LogicalResult RunGraphOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // run_graph_c1
  auto graph = symbols.lookupNearestSymbolFrom<GraphOp>(*this, getCalleeAttr());
  if (!graph)
    return emitOpError("expected the name of a graph, got '")
           << getCallee() << "'";
  // run_graph_c2: weights are the program's to bind.
  SmallVector<Type> params;
  for (auto [i, type] : llvm::enumerate(graph.getArgumentTypes())) {
    DictionaryAttr attrs = graph.getArgAttrDict(i);
    if (!attrs || !attrs.contains(kInput))
      params.push_back(type);
  }
  auto tuple = dyn_cast<TupleType>(getType());
  SmallVector<Type> results = tuple ? SmallVector<Type>(tuple.getTypes())
                                    : SmallVector<Type>{getType()};
  auto agree = [](TypeRange types, TypeRange declared) {
    return types.size() == declared.size() &&
           llvm::all_of(llvm::zip_equal(types, declared), [](auto pair) {
             return fits(std::get<0>(pair), std::get<1>(pair));
           });
  };
  if (agree(getOperandTypes(), params) &&
      agree(results, graph.getResultTypes()))
    return success();
  return emitOpError("expected the types of '") << getCallee() << "'";
}
