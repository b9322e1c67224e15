//===- AgtEnums.td - Enumerations of the agt dialect ----------------------===//

#ifndef AGT_ENUMS_TD
#define AGT_ENUMS_TD

include "mlir/IR/EnumAttr.td"

class Agt_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::agt";
  let genSpecializedAttr = 0;
}
// Prints a space before its word, which `#agt<pairs halves>` needs: formats of
// ops stand it behind an empty literal.
class Agt_EnumAttr<EnumInfo info, string name> : EnumAttr<Agt_Dialect, info, name> {
  let assemblyFormat = "$value";
}

def Agt_CausalKind : Agt_Enum<"Causal", "which key a query may see", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"TopLeft", 1, "top_left">,
  I32EnumAttrCase<"BottomRight", 2, "bottom_right">]>;
def Agt_CausalAttr : Agt_EnumAttr<Agt_CausalKind, "causal">;

def Agt_LayoutKind : Agt_Enum<"Layout", "order of the last three dims", [
  I32EnumAttrCase<"HSD", 0, "hsd">, I32EnumAttrCase<"SHD", 1, "shd">]>;
def Agt_LayoutAttr : Agt_EnumAttr<Agt_LayoutKind, "layout">;

def Agt_ReduceKind : Agt_Enum<"Reduction", "what a reduction keeps", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">]>;
def Agt_ReduceAttr : Agt_EnumAttr<Agt_ReduceKind, "reduction">;

def Agt_PairsKind : Agt_Enum<"Pairs", "which two elements a rotation turns", [
  I32EnumAttrCase<"Interleaved", 0, "interleaved">,
  I32EnumAttrCase<"Halves", 1, "halves">]>;
def Agt_PairsAttr : Agt_EnumAttr<Agt_PairsKind, "pairs">;

def Agt_BalanceKind : Agt_Enum<"Balance", "which tokens a part of a dim holds", [
  I32EnumAttrCase<"Contiguous", 0, "contiguous">,
  I32EnumAttrCase<"Zigzag", 1, "zigzag">,
  I32EnumAttrCase<"Striped", 2, "striped">,
  I32EnumAttrCase<"Leaves", 3, "leaves">,
  I32EnumAttrCase<"ZigzagLeaves", 4, "zigzag_leaves">]>;
def Agt_BalanceAttr : Agt_EnumAttr<Agt_BalanceKind, "balance">;

def Agt_ViaKind : Agt_Enum<"Via", "how attention meets keys elsewhere", [
  I32EnumAttrCase<"Ring", 0, "ring">, I32EnumAttrCase<"Ulysses", 1, "ulysses">]>;
def Agt_ViaAttr : Agt_EnumAttr<Agt_ViaKind, "via">;

def Agt_CompareKind : Agt_Enum<"Compare", "a comparison", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">,
  I32EnumAttrCase<"LT", 2, "lt">, I32EnumAttrCase<"LE", 3, "le">,
  I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]>;
def Agt_CompareAttr : Agt_EnumAttr<Agt_CompareKind, "compare">;

def Agt_BlockFormatKind : Agt_Enum<"BlockFormat", "how blocks of quantised numbers are stored", [
  I32EnumAttrCase<"Q4_0", 0, "q4_0">, I32EnumAttrCase<"Q8_0", 1, "q8_0">,
  I32EnumAttrCase<"Q4_K", 2, "q4_k">, I32EnumAttrCase<"Q6_K", 3, "q6_k">]>;
def Agt_BlockFormatAttr : Agt_EnumAttr<Agt_BlockFormatKind, "block_format">;

#endif // AGT_ENUMS_TD
