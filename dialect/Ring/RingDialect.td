//===- RingDialect.td - The ring dialect ----------------------------------===//
//
// Who computes and sends what, when: the program of one position of a mesh,
// which asks where it is and exchanges shards with its neighbours.
//
//===----------------------------------------------------------------------===//

#ifndef RING_DIALECT_TD
#define RING_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialect/Agt/AgtDialect.td"
include "dialect/Agt/AgtTypes.td"
include "dialect/Agt/AgtEnums.td"
include "dialect/Ring/RingEnums.td"

def Ring_Dialect : Dialect {
  let name = "ring";
  let summary = "schedules of a mesh's positions, with explicit transfers";
  let description = [{
    A graph on a mesh as the program that every position runs. Tensors are the
    parts that the position holds; `ring.place` says which, so that one module
    stands for all positions, and its host function records one list of
    commands for each.

    Keys and values go round: at step t the position of place r holds the shard
    that started at place (r - t) mod W, attends its queries to it, has sent
    the shard on to r + 1 before that and awaits the next from r - 1 after it.
    Every position records the same steps, so the n-th send to a neighbour meets
    the n-th receive there. Transfers touch the device link and keep their order.
  }];
  let cppNamespace = "::agt::ring";
  let dependentDialects = ["::agt::AgtDialect", "::mlir::arith::ArithDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

defvar Ring_Reify = DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
  ["reifyResultShapes"]>;
def Ring_Link : Resource<"::agt::ring::DeviceLink">;

class Ring_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ring_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

def Ring_CutAttr : AttrDef<Ring_Dialect, "Cut"> {
  let mnemonic = "cut";
  let summary = "how one dim of a tensor is cut over positions";
  let description = [{
    In `parts` parts, of which position p holds part (p / step) mod parts.
    `axis` names the links that carry what moves along the cut; `balance` says
    which tokens a part holds (attention.md section 2).

    ```mlir
    #ring.cut<dim = 1, axis = "cp", parts = 4, step = 1, balance = zigzag>
    ```
  }];
  let parameters = (ins "int64_t":$dim, "::mlir::StringAttr":$axis,
                        "int64_t":$parts, "int64_t":$step,
                        "::agt::Balance":$balance);
  let assemblyFormat = "`<` struct(params) `>`";
}
def Ring_CutsAttr : TypedArrayAttrBase<Ring_CutAttr, "cuts of a tensor">;

def Ring_ViewAttr : AttrDef<Ring_Dialect, "View"> {
  let mnemonic = "view";
  let summary = "what an attention lets be seen by positions";
  let description = [{
    Queries and keys are cut in `parts` parts each; `left` and `right` are the
    sides of a window, -1 where there is no limit; the first `pin` keys stay
    visible through it.

    ```mlir
    #ring.view<parts = 4, queries = zigzag, keys = zigzag, causal = true, left = -1, right = -1, pin = 0>
    ```
  }];
  let parameters = (ins "int64_t":$parts, "::agt::Balance":$queries,
                        "::agt::Balance":$keys, "bool":$causal, "int64_t":$left,
                        "int64_t":$right, "int64_t":$pin);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Ring_MoveAttr : EnumAttr<Ring_Dialect, Ring_MoveKind, "move"> {
  let assemblyFormat = "$value";
}

def Ring_PartialType : TypeDef<Ring_Dialect, "Partial"> {
  let mnemonic = "partial";
  let summary = "attention of rows to the keys they have met so far";
  let description = [{
    Sums `sum b^(x - m) v` of the given type that nothing has divided, the
    running maximum m and the running sum l of each row. `base` is b: states of
    different bases cannot be merged, and no op takes both.

    ```mlir
    !ring.partial<tensor<8x?x64xf32>, base = 2>
    ```
  }];
  let parameters = (ins "::mlir::RankedTensorType":$sums, "int64_t":$base);
  let assemblyFormat = "`<` $sums `,` `base` `=` $base `>`";
  let genVerifyDecl = 1;
}

def Ring_TokenType : TypeDef<Ring_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "a transfer under way";
  let description = [{
    What `ring.shift` gives and `ring.await` takes: a tensor of the given type
    that is not there yet.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
}

#endif // RING_DIALECT_TD
