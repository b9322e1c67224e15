// See Decoders.h.
#include "passes/Decoders.h"

#include "dialect/Agt/Attributes.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace agt;

DictionaryAttr agt::inputOf(GraphOp graph, unsigned number) {
  return graph.getArgAttrOfType<DictionaryAttr>(number, kInput);
}

bool agt::isInput(GraphOp graph, unsigned number, StringRef kind) {
  DictionaryAttr input = inputOf(graph, number);
  auto own = input ? input.getAs<StringAttr>("kind") : nullptr;
  return own && own.getValue() == kind;
}

GraphOp agt::copyHidden(GraphOp graph, StringRef name) {
  OpBuilder b(graph);
  // Behind all: who counts graphs counts the author's first.
  b.setInsertionPointToEnd(graph->getBlock());
  auto copy = cast<GraphOp>(b.clone(*graph));
  copy.setSymName(name);
  copy->setAttr(kHidden, b.getUnitAttr());
  copy.removeDocAttr();
  return copy;
}

GraphOp agt::decoderOf(LlmOp llm) {
  StringRef setting = "graph";
  DictionaryAttr settings = llm.getSettingsAttr();
  if (settings && settings.contains("pinned"))
    setting = "pinned";
  auto name = settings ? settings.getAs<StringAttr>(setting) : StringAttr();
  auto module = llm->getParentOfType<ModuleOp>();
  auto graph = name ? module.lookupSymbol<GraphOp>(name) : GraphOp();
  if (!graph)
    llm.emitOpError("expected a graph of the module as its setting '")
        << setting << "'";
  return graph;
}

void agt::setGraph(LlmOp llm, StringRef setting, StringRef name) {
  NamedAttrList settings(llm.getSettingsAttr());
  settings.set(setting, StringAttr::get(llm.getContext(), name));
  llm.setSettingsAttr(settings.getDictionary(llm.getContext()));
}
