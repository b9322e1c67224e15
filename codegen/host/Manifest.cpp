//===- Manifest.cpp - What a program says of itself -----------------------===//

#include "codegen/host/Manifest.h"
#include "codegen/host/GraphLowering.h"
#include "codegen/host/ModelManifest.h"
#include "dialect/Agt/Attributes.h"
#include "passes/Mesh/Shardings.h"
#include "passes/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace agt;
using namespace agt::host;
namespace json = llvm::json;

agt_dtype agt::host::dtypeOf(Type element) {
  if (element.isF32())
    return AGT_F32;
  if (element.isF16())
    return AGT_F16;
  if (element.isBF16())
    return AGT_BF16;
  if (isa<Float8E4M3FNType>(element))
    return AGT_F8E4M3;
  switch (element.getIntOrFloatBitWidth()) {
  case 1:
    return AGT_BOOL;
  case 8:
    return AGT_I8;
  case 32:
    return AGT_I32;
  default:
    return AGT_I64;
  }
}

/// A result that the author gave no name has none here either: what it goes by
/// is the runtime's to say.
static ParamInfo describe(Type type, DictionaryAttr attributes,
                          std::string fallback = "") {
  auto tensor = cast<RankedTensorType>(type);
  auto text = [&](llvm::StringRef name, std::string otherwise) {
    auto attribute =
        attributes ? attributes.getAs<StringAttr>(name) : StringAttr();
    return attribute ? attribute.str() : otherwise;
  };
  std::string printed;
  llvm::raw_string_ostream(printed) << tensor;
  return {text(kName, std::move(fallback)), text(kType, printed),
          dtypeOf(tensor.getElementType()),
          static_cast<int32_t>(tensor.getRank())};
}

static std::string textOf(json::Array array) {
  return llvm::formatv("{0}", json::Value(std::move(array)));
}

static GraphInfo describe(GraphOp graph) {
  GraphInfo info;
  info.name = graph.getSymName();
  info.place = placeOf(graph.getLoc());
  info.doc = graph.getDoc().value_or("");
  info.mesh = graph.getMesh().value_or("");
  if (MeshOp mesh = meshOf(graph)) {
    info.meshPlace = placeOf(mesh.getLoc());
    for (auto [number, axis] :
         llvm::enumerate(mesh.getAxes().getAsValueRange<StringAttr>()))
      info.axes.push_back(
          {axis.str(), mesh.getSizes()[number], linkOf(mesh, number)});
  }
  for (auto [index, type] : llvm::enumerate(graph.getArgumentTypes()))
    info.params.push_back(describe(type, graph.getArgAttrDict(index),
                                   "arg" + std::to_string(index)));
  for (auto [index, type] : llvm::enumerate(graph.getResultTypes()))
    info.results.push_back(describe(type, graph.getResultAttrDict(index)));
  info.ownParams = countParams(graph);
  info.hidden = graph->hasAttr(kHidden);
  if (std::optional<json::Array> inputs = inputsJson(graph))
    info.inputs = textOf(std::move(*inputs));
  return info;
}

Manifest agt::host::describeProgram(ModuleOp module, llvm::StringRef program) {
  Manifest manifest;
  manifest.program = program;
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  module->print(stream, flags.enableDebugInfo(false).useLocalScope());
  manifest.hash = llvm::toHex(
      llvm::SHA256::hash(llvm::ArrayRef(
          reinterpret_cast<const uint8_t *>(text.data()), text.size())),
      /*LowerCase=*/true);
  for (GraphOp graph : module.getOps<GraphOp>())
    if (!graph.isPrivate()) // those are inlined
      manifest.graphs.push_back(describe(graph));
  manifest.weights = textOf(weightsJson(module));
  manifest.llms = textOf(localLlmsJson(module));
  return manifest;
}

static json::Array toJson(llvm::ArrayRef<ParamInfo> params) {
  json::Array array;
  for (const ParamInfo &param : params)
    array.push_back(json::Object{{"name", param.name}, {"type", param.type}});
  return array;
}

/// A part that is text already.
static json::Value parsed(llvm::StringRef text) {
  return llvm::cantFail(json::parse(text));
}

std::string Manifest::json() const {
  json::Array list;
  for (const GraphInfo &graph : graphs) {
    json::Object object{
        {"name", graph.name},
        {"doc", graph.doc},
        {"params",
         toJson(llvm::ArrayRef(graph.params).take_front(graph.ownParams))},
        {"results", toJson(graph.results)}};
    if (!graph.mesh.empty())
      object["mesh"] = graph.mesh;
    if (graph.hasPolicies)
      object["policies"] = json::Array{kPassKV, kPassQ};
    if (!graph.noPolicy.empty())
      object["no_policy"] = graph.noPolicy;
    if (graph.hidden)
      object["hidden"] = true;
    if (!graph.inputs.empty())
      object["inputs"] = parsed(graph.inputs);
    list.push_back(std::move(object));
  }
  json::Object whole{
      {"program", program}, {"hash", hash}, {"graphs", std::move(list)}};
  for (auto [key, text] : {std::pair("weights", &weights), {"llms", &llms}})
    if (!text->empty() && *text != "[]")
      whole[key] = parsed(*text);
  return llvm::formatv("{0}", json::Value(std::move(whole)));
}
