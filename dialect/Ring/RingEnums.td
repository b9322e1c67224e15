//===- RingEnums.td - Enumerations of the ring dialect --------------------===//

#ifndef RING_ENUMS_TD
#define RING_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def Ring_MoveKind : I32EnumAttr<"Move", "what a transfer carries", [
  I32EnumAttrCase<"KV", 0, "kv">, I32EnumAttrCase<"Query", 1, "query">,
  I32EnumAttrCase<"Partial", 2, "partial">, I32EnumAttrCase<"Aux", 3, "aux">,
  I32EnumAttrCase<"Value", 4, "value">]> {
  let cppNamespace = "::agt::ring";
  let genSpecializedAttr = 0;
}

#endif // RING_ENUMS_TD
