//===- AgtMeshOps.cpp - Meshes, and which part of a value is where --------===//

#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Shapes.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace agt;

//===----------------------------------------------------------------------===//
// #agt.sharding
//===----------------------------------------------------------------------===//

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<DimSplit> dims;
  auto dim = [&]() -> ParseResult {
    DimSplit split;
    if (succeeded(parser.parseOptionalKeyword("whole")))
      return dims.push_back(split), success();
    StringRef word;
    while (succeeded(parser.parseOptionalKeyword(&word))) {
      if (auto balance = symbolizeBalance(word)) {
        split.balance = *balance;
        break;
      }
      split.axes.push_back(parser.getBuilder().getStringAttr(word));
    }
    if (split.axes.empty())
      return parser.emitError(parser.getCurrentLocation(),
                              "expected 'whole' or the axes of a mesh");
    dims.push_back(split);
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, dim) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), dims);
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getDims(), printer, [&](const DimSplit &split) {
    if (!split.isCut()) {
      printer << "whole";
      return;
    }
    llvm::interleave(
        split.axes, printer,
        [&](StringAttr axis) { printer << axis.getValue(); }, " ");
    if (split.balance != Balance::Contiguous)
      printer << " " << stringifyBalance(split.balance);
  });
  printer << "]>";
}

bool ShardingAttr::isWhole() const {
  return llvm::none_of(getDims(),
                       [](const DimSplit &split) { return split.isCut(); });
}

ShardingAttr ShardingAttr::with(unsigned dim, const DimSplit &split) const {
  SmallVector<DimSplit> dims(getDims());
  dims[dim] = split;
  return get(getContext(), dims);
}

ShardingAttr ShardingAttr::withWhole(unsigned dim) const {
  return with(dim, DimSplit());
}

ShardingAttr ShardingAttr::whole(MLIRContext *context, unsigned rank) {
  return get(context, SmallVector<DimSplit>(rank));
}

//===----------------------------------------------------------------------===//
// agt.mesh, agt.shard
//===----------------------------------------------------------------------===//

LogicalResult MeshOp::verify() {
  // mesh_c1
  size_t axes = getAxes().size();
  if (axes == 0 || getSizes().size() != axes || getLinks().size() != axes)
    return emitOpError("expected a size and a link for each of one or more "
                       "axes, got ")
           << axes << " axes, " << getSizes().size() << " sizes and "
           << getLinks().size() << " links";
  // mesh_c2
  for (int64_t size : getSizes())
    if (size < 1)
      return emitOpError("expected sizes above 0, got ") << size;
  return success();
}

int64_t MeshOp::positions() {
  int64_t count = 1;
  for (int64_t size : getSizes())
    count *= size;
  return count;
}

std::optional<unsigned> MeshOp::axisNumber(StringRef axis) {
  for (auto [number, name] : llvm::enumerate(getAxes()))
    if (cast<StringAttr>(name).getValue() == axis)
      return number;
  return std::nullopt;
}

LogicalResult ShardOp::verify() {
  // shard_c1
  int64_t rank = tensorType(getInput()).getRank();
  ArrayRef<DimSplit> dims = getSharding().getDims();
  if (int64_t(dims.size()) != rank)
    return emitOpError("expected a sharding of ")
           << rank << " dims, got " << dims.size();
  // shard_c2
  llvm::StringSet<> axes;
  for (const DimSplit &split : dims)
    for (StringAttr axis : split.axes)
      if (!axes.insert(axis.getValue()).second)
        return emitOpError("expected each axis once, got '")
               << axis.getValue() << "' twice";
  return success();
}
