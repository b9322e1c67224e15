// The constraints attr_c1 to attr_c3 of AgtDialect.td.
#include "dialect/Agt/Attributes.h"

#include "dialect/Agt/Agt.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace agt;

namespace {

enum class Where { Op, Argument, Result };

/// An attribute, where it belongs and what it is.
struct Known {
  StringRef name;
  bool (*belongs)(Operation *op, Where where);
  bool (*fits)(Attribute value);
  const char *what;
};

template <typename... Ops> bool onOp(Operation *op, Where where) {
  return where == Where::Op && isa<Ops...>(op);
}
bool onItem(Operation *, Where where) { return where != Where::Op; }
bool onArgument(Operation *op, Where where) {
  return where == Where::Argument && isa<GraphOp>(op);
}
bool onAny(Operation *, Where where) { return where == Where::Op; }

template <typename... Attrs> bool is(Attribute value) {
  return isa<Attrs...>(value);
}
template <typename Attr> bool isArrayOf(Attribute value) {
  auto array = dyn_cast<ArrayAttr>(value);
  return array && llvm::all_of(array, [](Attribute one) {
           return isa_and_present<Attr>(one);
         });
}
bool isPolicy(Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  return text && (text == kPassKV || text == kPassQ);
}

constexpr Known kKnown[] = {
    {kName, onItem, is<StringAttr>, "a name"},
    {kType, onItem, is<StringAttr>, "the text of a type"},
    {kInput, onArgument, is<DictionaryAttr>, "a dictionary"},
    {kShardingOfArgument, onItem, is<ShardingAttr>, "a sharding"},
    {kShardingsOfResults, onAny, isArrayOf<ShardingAttr>,
     "an array of shardings"},
    {kHidden, onOp<GraphOp>, is<UnitAttr>, "no value"},
    {kReproducible, onOp<GraphOp>, is<UnitAttr>, "no value"},
    {kPolicy, onOp<GraphOp>, isPolicy, "'pass-kv' or 'pass-q'"},
    {kPolicyOf, onOp<GraphOp>, is<FlatSymbolRefAttr>, "a symbol"},
    {kRings, onOp<GraphOp>, is<IntegerAttr>, "an integer"},
    {kNoPolicy, onOp<GraphOp>, is<StringAttr>, "a text"},
    {kDataChecks, onOp<GraphOp>, isArrayOf<DictionaryAttr>,
     "an array of dictionaries"},
    {kQCuInput, onOp<AttentionOp>, is<IntegerAttr>, "an integer"},
    {kKvCuInput, onOp<AttentionOp>, is<IntegerAttr>, "an integer"},
    {kSingle, onOp<CallOp>, is<UnitAttr>, "no value"},
    {kTargetOfMesh, onOp<MeshOp>, is<DictionaryAttr>, "a dictionary"},
};

LogicalResult verifyInput(Operation *op, DictionaryAttr input) {
  auto complain = [&](const Twine &what) {
    return op->emitOpError("expected ")
           << what << " in '" << kInput << "', got " << input;
  };
  auto kind = input.getAs<StringAttr>("kind");
  if (!kind)
    return complain("the text 'kind'");
  auto wants = [&](StringRef name) { return !input.getAs<StringAttr>(name); };
  if (kind == "weight") {
    for (StringRef name : {"weights", "tensor"})
      if (wants(name))
        return complain("the text '" + name + "' of a weight");
    return success();
  }
  static const StringRef ofCache[] = {"positions", "length", "keys",
                                      "values",    "places", "key_positions",
                                      "visible"};
  if (!llvm::is_contained(ofCache, kind.getValue()))
    return complain("a known 'kind'");
  if (wants("cache"))
    return complain("the text 'cache'");
  if ((kind == "keys" || kind == "values") &&
      !input.getAs<IntegerAttr>("layer"))
    return complain("the integer 'layer'");
  return success();
}

LogicalResult verifyKnown(Operation *op, NamedAttribute attribute,
                          Where where) {
  StringRef name = attribute.getName();
  const auto *known =
      llvm::find_if(kKnown, [&](const Known &one) { return one.name == name; });
  // attr_c1
  if (known == std::end(kKnown))
    return op->emitOpError("has '") << name << "', which no op has";
  // attr_c2
  if (!known->belongs(op, where))
    return op->emitOpError("has '") << name << "' where it does not belong";
  if (!known->fits(attribute.getValue()))
    return op->emitOpError("expected ") << known->what << " as '" << name
                                        << "', got " << attribute.getValue();
  // attr_c3
  if (name == kInput)
    return verifyInput(op, cast<DictionaryAttr>(attribute.getValue()));
  return success();
}

} // namespace

LogicalResult AgtDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  return verifyKnown(op, attribute, Where::Op);
}

LogicalResult AgtDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned,
                                                   NamedAttribute attribute) {
  return verifyKnown(op, attribute, Where::Argument);
}

LogicalResult
AgtDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                        NamedAttribute attribute) {
  return verifyKnown(op, attribute, Where::Result);
}
