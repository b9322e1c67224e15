//===- AttributeJson.cpp - Attributes as JSON -----------------------------===//

#include "codegen/host/AttributeJson.h"

using namespace mlir;
namespace json = llvm::json;

json::Value agt::host::attributeJson(
    Attribute attribute,
    llvm::function_ref<json::Value(FlatSymbolRefAttr)> symbol) {
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.getValue();
  if (auto truth = dyn_cast<BoolAttr>(attribute))
    return truth.getValue();
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getInt();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto reference = dyn_cast<FlatSymbolRefAttr>(attribute))
    return symbol(reference);
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    json::Array array;
    for (Attribute element : list)
      array.push_back(attributeJson(element, symbol));
    return array;
  }
  json::Object object;
  for (NamedAttribute entry : cast<DictionaryAttr>(attribute))
    object[entry.getName().getValue()] =
        attributeJson(entry.getValue(), symbol);
  return object;
}

json::Value agt::host::attributeJson(Attribute attribute) {
  return attributeJson(attribute, [](FlatSymbolRefAttr) -> json::Value {
    llvm_unreachable("no symbol is referred to");
  });
}
