//===- AgtModelOps.td - Weights and caches of whole models ----------------===//

#ifndef AGT_MODEL_OPS_TD
#define AGT_MODEL_OPS_TD

def Agt_WeightsOp : Agt_Op<"weights", [Symbol]> {
  let summary = "a `weights` declaration: a file of named tensors";
  let description = [{
    The path is absolute. Graphs take tensors of it as arguments, with
    `agt.input = {kind = "weight", weights = "W", tensor = "name"}`; a program
    binds them itself, and `--weights W=path` reads another file.

    Example:

    ```mlir
    agt.weights @W "/models/stories.bin" format "llama2c"
    ```

    **Constraints**
    - weights_c1: the format is `llama2c`, `safetensors` or `npy`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$path, StrAttr:$format);
  let assemblyFormat = "$sym_name $path `format` $format attr-dict";
  let hasVerifier = 1;
}

def Agt_CacheAppendOp : Agt_ComputeOp<"cache_append", [Agt_Anchor]> {
  let summary = "rows put into a cache of keys or values";
  let description = [{
    `cache` is [heads, capacity, dim], `rows` [heads, tokens, dim]: row t of each
    head goes to place `slots[t]`, everything else stays. Slots differ from each
    other; a row whose slot is outside 0..capacity-1 is dropped: a device cannot
    fail.

    The result is a value like any other, and the op has no effects. A compiled
    graph writes the rows into the memory of `cache`, which is why nothing else
    may read `cache`: the host program refuses that.

    Example:

    ```mlir
    %0 = agt.cache_append %keys, %k at %slots
        : (tensor<4x?x8xf32>, tensor<4x?x8xf32>, tensor<?xi32>) -> tensor<4x?x8xf32>
    ```

    **Constraints**
    - cache_append_c1: `cache` has three dims.
    - cache_append_c2: `rows` has the heads, the dim and the element type of it.
    - cache_append_c3: `slots` is [tokens].
    - cache_append_c4: the result has the type of `cache`.
  }];
  let arguments = (ins Agt_KeyTensor:$cache, Agt_KeyTensor:$rows,
                       Agt_I32Tensor:$slots);
  let results = (outs Agt_KeyTensor:$result);
  let assemblyFormat = [{
    $cache `,` $rows `at` $slots attr-dict
    `:` `(` type($cache) `,` type($rows) `,` type($slots) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // AGT_MODEL_OPS_TD
