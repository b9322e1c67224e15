//===- AgtDialect.td - The agt dialect ------------------------------------===//
//
// What the author wrote, as whole-program values: a graph is a function of
// tensors, every op is one function of the language (language.md section 3),
// and every op carries the range of source text it came from.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_DIALECT_TD
#define AGT_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Agt_Dialect : Dialect {
  let name = "agt";
  let summary = "attention graphs and agents as their authors wrote them";
  let description = [{
    Tensors are builtin ranked tensors of `f32`, `f16`, `bf16`, `f8E4M3FN`,
    `i8`, `i32`, `i64` and `i1` (the language's `bool`). A dim that the source
    leaves open is `?`; its value is what `tensor.dim` reads from the argument
    that binds it, so sizes are ordinary `index` arithmetic and upstream passes
    (canonicalize, CSE, `resolve-ranked-shaped-type-result-dims`) work on them.
    What cannot be checked when the program is compiled is an `agt.require`.

    An agent is a function whose only traces are its steps. Steps read and write
    the step log, so none is dropped, merged or moved past another; each shows
    its segment of the step's path and the hash of its meaning.

    **Discardable attributes**, which `Attributes.h` names and explains:

    - attr_c1: there is no other whose name begins with `agt.`.
    - attr_c2: each stands where it belongs and has its kind of value.
    - attr_c3: an `agt.input` has a `kind`; a `weight` names its `weights` and
      `tensor`, every other its `cache`, `keys` and `values` their `layer`.
  }];
  let cppNamespace = "::agt";
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void addAgentTypes();
  }];
}

// Sizes of results as arithmetic on operands, for tensor.dim of a result.
defvar Agt_Reify = DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
  ["reifyResultShapes"]>;
// Result types that builders leave out; a declared one may know other dims.
defvar Agt_InferType = DeclareOpInterfaceMethods<InferTypeOpInterface>;
defvar Agt_InferDecl = [{
  static bool isCompatibleReturnTypes(mlir::TypeRange inferred, mlir::TypeRange declared);
}];

// Goes over many elements of its operands for each of its result: a kernel is
// built around it, and has room for one.
def Agt_Anchor : NativeOpTrait<"Anchor"> { let cppNamespace = "::agt"; }

// An element of its result follows from few elements of its operands, wherever
// those come from: in a kernel nothing of it need be in memory.
def Agt_Pulled : NativeOpTrait<"Pulled"> { let cppNamespace = "::agt"; }

// It follows from one of each, at the same place up to broadcasting.
def Agt_Elementwise : NativeOpTrait<"Elementwise"> { let cppNamespace = "::agt"; }

class Agt_Op<string mnemonic, list<Trait> traits = []>
    : Op<Agt_Dialect, mnemonic, traits>;

// A function of tensors.
class Agt_TensorOp<string mnemonic, list<Trait> traits = []>
    : Agt_Op<mnemonic, !listconcat(traits, [Pure, Agt_Reify])>;

#endif // AGT_DIALECT_TD
