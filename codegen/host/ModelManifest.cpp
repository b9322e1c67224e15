//===- ModelManifest.cpp - What a program says of its models --------------===//

#include "codegen/host/ModelManifest.h"
#include "codegen/host/AttributeJson.h"
#include "dialect/Agt/Attributes.h"

using namespace mlir;
using namespace agt;
namespace json = llvm::json;

static DictionaryAttr inputOf(GraphOp graph, unsigned number) {
  return graph.getArgAttrOfType<DictionaryAttr>(number, kInput);
}

unsigned agt::host::countParams(GraphOp graph) {
  unsigned count = 0;
  for (unsigned i = 0; i < graph.getNumArguments(); ++i) {
    DictionaryAttr input = inputOf(graph, i);
    // The positions of a cache stand for the parameter kv<M> itself.
    if (!input || input.getAs<StringAttr>("kind") == "positions")
      ++count;
  }
  return count;
}

std::optional<json::Array> agt::host::inputsJson(GraphOp graph) {
  json::Array array;
  bool any = false;
  for (auto [i, type] : llvm::enumerate(graph.getArgumentTypes())) {
    DictionaryAttr input = inputOf(graph, i);
    any |= bool(input);
    if (!input) {
      array.push_back(nullptr);
      continue;
    }
    json::Value entry = attributeJson(input);
    json::Array shape;
    for (int64_t dim : cast<RankedTensorType>(type).getShape())
      shape.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
    (*entry.getAsObject())["shape"] = std::move(shape);
    array.push_back(std::move(entry));
  }
  if (!any)
    return std::nullopt;
  return array;
}

json::Array agt::host::weightsJson(ModuleOp module) {
  json::Array array;
  for (WeightsOp op : module.getOps<WeightsOp>())
    array.push_back(json::Object{{"name", op.getSymName()},
                                 {"path", op.getPath()},
                                 {"format", op.getFormat()}});
  return array;
}

json::Array agt::host::localLlmsJson(ModuleOp module) {
  json::Array array;
  for (LlmOp op : module.getOps<LlmOp>()) {
    if (op.getKind() != "graph")
      continue;
    json::Value entry = attributeJson(op.getSettingsAttr());
    json::Object &object = *entry.getAsObject();
    object["name"] = op.getSymName();
    auto graph = module.lookupSymbol<GraphOp>(*object.getString("graph"));
    auto logits = cast<RankedTensorType>(graph.getResultTypes().front());
    object["vocab"] = logits.getShape().back();
    array.push_back(std::move(entry));
  }
  return array;
}
