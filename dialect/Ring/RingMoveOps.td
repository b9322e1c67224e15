//===- RingMoveOps.td - Transfers between positions -----------------------===//

#ifndef RING_MOVE_OPS_TD
#define RING_MOVE_OPS_TD

def Ring_ShiftOp : Ring_Op<"shift", [MemoryEffects<[MemWrite<Ring_Link>]>]> {
  let summary = "sends a shard on and receives the next";
  let description = [{
    Sends `input` to the next place along the cut and receives from the one
    before what it holds; with `by`, to the place that many further on and from
    the one as far before. Both are posted where the op stands; what follows runs
    while the bytes travel. Where `sends` is false nothing is sent, where
    `receives` is false nothing arrives: each is false exactly where the other
    side's is. `size` is the number of tokens along the cut that arrive.

    Example:

    ```mlir
    %t = ring.shift %k [%n] sends %more receives %more move kv
        cut <dim = 1, axis = "cp", parts = 4, step = 1, balance = contiguous>
        : tensor<2x?x64xf32> -> !ring.token<tensor<2x?x64xf32>>
    ```

    **Constraints**
    - shift_c1: the token holds the input's type, up to the dim of the cut.
    - shift_c2: `by` is above 0 and below the parts of the cut.
  }];
  let arguments = (ins Agt_Tensor:$input, Index:$size, I1:$sends, I1:$receives,
                       Ring_MoveAttr:$move, Ring_CutAttr:$cut,
                       DefaultValuedAttr<I64Attr, "1">:$by);
  let results = (outs Ring_TokenType:$result);
  let assemblyFormat = [{
    $input `[` $size `]` `sends` $sends `receives` $receives `move` `` $move
    `cut` $cut (`by` $by^)? attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Ring_AwaitOp : Ring_Op<"await", [MemoryEffects<[MemWrite<Ring_Link>]>, Ring_Reify]> {
  let summary = "waits until a shard has arrived, and the one sent is gone";
  let description = [{
    `sizes` are the dims that the result type leaves open, in order.

    Example:

    ```mlir
    %k = ring.await %t [%n] : !ring.token<tensor<2x?x64xf32>> -> tensor<2x?x64xf32>
    ```

    **Constraints**
    - await_c1: the result has the type that the token holds.
    - await_c2: there is one size for each open dim of the result.
  }];
  let arguments = (ins Ring_TokenType:$token, Variadic<Index>:$sizes);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $token `[` $sizes `]` attr-dict `:` type($token) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Ring_GatherOp : Ring_Op<"gather", [MemoryEffects<[MemWrite<Ring_Link>]>, Ring_Reify]> {
  let summary = "the whole of a tensor of which every position holds a part";
  let description = [{
    For functions that need all of it. `sizes` are the dims that the result type
    leaves open, in order. Dims of the cuts in `kept` stay in parts: positions
    that hold the same of those gather among themselves.

    Example:

    ```mlir
    %x = ring.gather %part [%s] [#ring.cut<dim = 0, axis = "cp", parts = 4, step = 1, balance = contiguous>]
        : tensor<?x64xf32> -> tensor<?x64xf32>
    ```

    **Constraints**
    - gather_c1: there is one size for each open dim of the result.
    - gather_c2: the cuts are of different dims, those kept as well.
  }];
  let arguments = (ins Agt_Tensor:$input, Variadic<Index>:$sizes, Ring_CutsAttr:$cuts,
                       OptionalAttr<Ring_CutsAttr>:$kept);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $input `[` $sizes `]` $cuts (`kept` $kept^)? attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // RING_MOVE_OPS_TD
