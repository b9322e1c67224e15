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
  }];
  let cppNamespace = "::agt";
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
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

class Agt_Op<string mnemonic, list<Trait> traits = []>
    : Op<Agt_Dialect, mnemonic, traits>;

#endif // AGT_DIALECT_TD
