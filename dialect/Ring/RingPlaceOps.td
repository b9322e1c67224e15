//===- RingPlaceOps.td - Places on the mesh, parts of tensors -------------===//

#ifndef RING_PLACE_OPS_TD
#define RING_PLACE_OPS_TD

def Ring_PlaceOp : Ring_Op<"place", [Pure]> {
  let summary = "which part of a cut this position holds";
  let description = [{
    Its number along the axes of the cut: (position / step) mod parts.

    Example:

    ```mlir
    %r = ring.place parts 4 step 2
    ```

    **Constraints**
    - place_c1: parts and step are above 0.
  }];
  let arguments = (ins I64Attr:$parts, I64Attr:$step);
  let results = (outs Index:$result);
  let assemblyFormat = "`parts` $parts `step` $step attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Ring_ExtentOp : Ring_Op<"extent", [Pure]> {
  let summary = "how many tokens a part holds";
  let description = [{
    Of S tokens in n pieces the first S mod n hold one more. Part r of W is
    piece r of W; with zigzag, pieces r and 2W - 1 - r of 2W; striped, every
    W-th token from r on.

    Example:

    ```mlir
    %n = ring.extent %r of %s parts 4 zigzag
    ```

    **Constraints**
    - extent_c1: parts are above 0.
  }];
  let arguments = (ins Index:$part, Index:$tokens, I64Attr:$parts,
                       Agt_BalanceAttr:$balance);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $part `of` $tokens `parts` $parts `` $balance attr-dict
  }];
  let hasVerifier = 1;
}

def Ring_PartOp : Ring_Op<"part", [Pure, Ring_Reify]> {
  let summary = "this position's part of an argument of the graph";
  let description = [{
    `sizes` are the dims that the result type leaves open, in order.

    Example:

    ```mlir
    %q = ring.part %arg [%n] [#ring.cut<dim = 1, axis = "cp", parts = 4, step = 1, balance = contiguous>]
        : tensor<8x?x64xf32> -> tensor<8x?x64xf32>
    ```

    **Constraints**
    - part_c1: the input is an argument of the graph.
    - part_c2: there is one size for each open dim of the result.
    - part_c3: the cuts are of different dims of the input.
  }];
  let arguments = (ins Agt_Tensor:$input, Variadic<Index>:$sizes, Ring_CutsAttr:$cuts);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $input `[` $sizes `]` $cuts attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Ring_WholeOp : Ring_Op<"whole", [Pure, Ring_Reify]> {
  let summary = "a result of the graph of which this is a part";
  let description = [{
    The whole exists at the caller alone: only `agt.return` takes it. Where
    several positions hold the same part, the first gives it.

    Example:

    ```mlir
    %o = ring.whole %part [%s] [#ring.cut<dim = 1, axis = "cp", parts = 4, step = 1, balance = contiguous>]
        : tensor<8x?x64xf32> -> tensor<8x?x64xf32>
    ```

    **Constraints**
    - whole_c1: only `agt.return` reads it.
    - whole_c2: there is one size for each open dim of the result.
    - whole_c3: the cuts are of different dims.
  }];
  let arguments = (ins Agt_Tensor:$input, Variadic<Index>:$sizes, Ring_CutsAttr:$cuts);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $input `[` $sizes `]` $cuts attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Ring_PositionsOp : Ring_Op<"positions", [Pure, Ring_Reify]> {
  let summary = "where the tokens of a part stand in the whole";
  let description = [{
    Made on the host. Sharding moves tokens and never their positions: masks,
    windows and rotations go by these.

    Example:

    ```mlir
    %p = ring.positions %r of %s [%n] parts 4 zigzag : tensor<?xi32>
    ```

    **Constraints**
    - positions_c1: the result has one dim, and there is a size where it is open.
    - positions_c2: parts are above 0.
  }];
  let arguments = (ins Index:$part, Index:$tokens, Variadic<Index>:$sizes,
                       I64Attr:$parts, Agt_BalanceAttr:$balance);
  let results = (outs Agt_I32Tensor:$result);
  let assemblyFormat = [{
    $part `of` $tokens `[` $sizes `]` `parts` $parts `` $balance attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // RING_PLACE_OPS_TD
