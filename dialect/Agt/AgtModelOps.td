//===- AgtModelOps.td - Weights and caches of whole models ----------------===//

#ifndef AGT_MODEL_OPS_TD
#define AGT_MODEL_OPS_TD

def Agt_WeightsOp : Agt_Op<"weights", [Symbol]> {
  let summary = "a `weights` declaration: a file of named tensors";
  let description = [{
    The path is absolute. Graphs take tensors of it as arguments, with
    `agt.input = {kind = "weight", weights = "W", tensor = "name"}`; a program
    binds them itself, and `--weights W=path` reads another file. A quantised
    tensor is an argument of i8, its bytes as the file has them, with
    `blocks = "q8_0"` in `agt.input`; `agt.unpack_blocks` makes numbers of them.

    Example:

    ```mlir
    agt.weights @W "/models/stories.bin" format "llama2c"
    ```

    **Constraints**
    - weights_c1: the format is `llama2c`, `safetensors`, `gguf` or `npy`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$path, StrAttr:$format);
  let assemblyFormat = "$sym_name $path `format` $format attr-dict";
  let hasVerifier = 1;
}

def Agt_CacheAppendOp : Agt_TensorOp<"cache_append", [Agt_Anchor]> {
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

def Agt_UnpackBlocksOp : Agt_TensorOp<"unpack_blocks", [Agt_Pulled]> {
  let summary = "f32 values of the quantised blocks of a GGUF file";
  let description = [{
    Each row, the last dim of `bytes`, is blocks one behind the other; q are the
    numbers of a block, d and m its f16 factors, s and t numbers of 6 or 8 bits
    for parts of it. All numbers but those of q8_0 and the s of q6_k are unsigned.

    | format | numbers | bytes | in this order | value |
    |---|---|---|---|---|
    | `q4_0` | 32 | 18 | d; q of 4 bits: 0..15 low, 16..31 high | d (q - 8) |
    | `q8_0` | 32 | 34 | d; q of 8 bits | d q |
    | `q4_k` | 256 | 144 | d, m; 12 bytes of s and t; q of 4 bits | d s q - m t, s and t for 32 numbers |
    | `q6_k` | 256 | 210 | low 4 bits, high 2 bits of q; s of 8 bits; d | d s (q - 32), s for 16 numbers |

    Kernels evaluate it where a value is read: weights stay as they are stored.

    Example:

    ```mlir
    %0 = agt.unpack_blocks %bytes as q8_0 : tensor<64x68xi8> -> tensor<64x64xf32>
    ```

    **Constraints**
    - unpack_blocks_c1: `bytes` has at least one dim, and its last is known.
    - unpack_blocks_c2: the last dim is whole blocks.
    - unpack_blocks_c3: the result has the dims of `bytes` but for the last, which
      is the numbers of these blocks.
  }];
  let arguments = (ins Agt_I8Tensor:$bytes, Agt_BlockFormatAttr:$format);
  let results = (outs Agt_F32Tensor:$result);
  let assemblyFormat = [{
    $bytes `as` `` $format attr-dict `:` type($bytes) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // AGT_MODEL_OPS_TD
