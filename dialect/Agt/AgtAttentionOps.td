//===- AgtAttentionOps.td - Attention -------------------------------------===//

#ifndef AGT_ATTENTION_OPS_TD
#define AGT_ATTENTION_OPS_TD

include "mlir/IR/AttrTypeBase.td"

def Agt_LeavesTypeDef : TypeDef<Agt_Dialect, "Leaves"> {
  let mnemonic = "leaves";
  let summary = "partial results of one attention, by block of keys";
}

def Agt_AttentionOp : Agt_Op<"attention", [
    Pure, AttrSizedOperandSegments,
    Agt_Reify]> {
  let summary = "scaled dot-product attention, exactly";
  let description = [{
    `x = softcap(scale * q_i.k_j) + bias + alibi` over the visible keys; the
    result is `sum exp(x - m) v / l`, `lse = m + ln l` (attention.md section
    1). query is [..., heads, tokens, dim] (`layout hsd`) or [..., tokens,
    heads, dim] (`shd`); key and value have a number of heads that divides the
    query's. Accumulation is f32 whatever the inputs are.

    A key is visible when (window or its position < pin) and causal and every
    mask and same segment and inside kv_len. A row that sees nothing gives 0
    and lse -inf. `scale` absent is `1 / sqrt(dim)`.

    With `partial` the result is what these keys alone come to, for merging with
    what others do: sums `sum 2^(x - m) v` that nothing has divided, in f32, and
    in lse's place a state, the m (in powers of two) and l of each row. l = 0
    says that a row has seen nothing, whatever m and the sums hold. Where `enabled` is false
    nothing is computed and the results hold anything.

    With `into` the keys are those of part `owner` of the keys that an `agt.leaves`
    is for: each block of them is added to it. The result is the leaves, written in
    place.

    Example:

    ```mlir
    %o = agt.attention %q, %k, %v causal bottom_right
        : (tensor<8x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) -> tensor<8x?x64xf32>
    ```

    **Constraints**, with H, Q, D the query's heads, tokens and dim, and K the
    key's tokens:
    - attention_c1: query, key and value have one rank, at least 3.
    - attention_c2: their leading (batch) dims agree.
    - attention_c3: the key has dim D.
    - attention_c4: the value has the heads and tokens of the key.
    - attention_c5: the heads of the key divide H.
    - attention_c6: the result has the query's type, with the value's dim.
    - attention_c7: `lse` has the shape of the query without its last dim.
    - attention_c8: masks and bias broadcast to [batch..., H, Q, K], whatever the
      layout.
    - attention_c9: sink and alibi are [H].
    - attention_c10: positions and segments are [tokens] or broadcast to [batch...,
      tokens].
    - attention_c11: q_seg comes with kv_seg, q_cu with kv_cu, and not all of them.
    - attention_c12: q_cu and kv_cu have one dim, of one size.
    - attention_c13: kv_len broadcasts to the batch dims; without any it has rank 0
      or is [1].
    - attention_c14: 8-bit keys come with k_scale and k_block, others with neither;
      values likewise. A block is at least 1.
    - attention_c15: scales are [batch..., heads, ceil(tokens / block)], whatever
      the layout.
    - attention_c16: left, right and pin are not negative.
    - attention_c17: softcap is above 0.
    - attention_c18: a partial result is f32, with a state [..., heads, tokens, 2]
      (tokens before heads with `shd`), and has neither lse nor sink.
    - attention_c19: `enabled` comes with `partial` alone.
    - attention_c20: `into` and `owner` come together, with `partial`; the result is
      the leaves then, and there is no state.
  }];
  let arguments = (ins
    Agt_FloatTensor:$query, Agt_KeyTensor:$key, Agt_KeyTensor:$value,
    Optional<F64>:$scale,
    Variadic<Agt_BoolTensor>:$masks,
    Optional<Agt_FloatTensor>:$bias,
    Optional<Agt_FloatTensor>:$sink,
    Optional<Agt_FloatTensor>:$alibi,
    Optional<Agt_I32Tensor>:$q_pos, Optional<Agt_I32Tensor>:$kv_pos,
    Optional<Agt_I32Tensor>:$q_seg, Optional<Agt_I32Tensor>:$kv_seg,
    Optional<Agt_I32Tensor>:$q_cu, Optional<Agt_I32Tensor>:$kv_cu,
    Optional<Agt_I32Tensor>:$kv_len,
    Optional<Agt_F32Tensor>:$k_scale, Optional<Agt_F32Tensor>:$v_scale,
    Optional<I1>:$enabled,
    Optional<Agt_LeavesType>:$into, Optional<Index>:$owner,
    DefaultValuedAttr<Agt_CausalAttr, "::agt::Causal::None">:$causal,
    OptionalAttr<I64Attr>:$window_left, OptionalAttr<I64Attr>:$window_right,
    DefaultValuedAttr<I64Attr, "0">:$pin,
    OptionalAttr<F64Attr>:$softcap,
    OptionalAttr<I64Attr>:$k_block, OptionalAttr<I64Attr>:$v_block,
    DefaultValuedAttr<Agt_LayoutAttr, "::agt::Layout::HSD">:$layout,
    UnitAttr:$partial);
  let results = (outs AnyTypeOf<[Agt_FloatTensor, Agt_LeavesType]>:$result,
                      Optional<Agt_F32Tensor>:$second);
  let extraClassDeclaration = [{
    /// The log-sum of each row, where it is asked for.
    mlir::Value getLse() { return getPartial() ? mlir::Value() : getSecond(); }
    /// m and l of each row of a partial result.
    mlir::Value getState() { return getPartial() ? getSecond() : mlir::Value(); }
  }];
  let assemblyFormat = [{
    $query `,` $key `,` $value oilist(
      `scale` `(` $scale `)`
      | `masks` `(` $masks `)`
      | `bias` `(` $bias `)`
      | `sink` `(` $sink `)`
      | `alibi` `(` $alibi `)`
      | `q_pos` `(` $q_pos `)` | `kv_pos` `(` $kv_pos `)`
      | `q_seg` `(` $q_seg `)` | `kv_seg` `(` $kv_seg `)`
      | `q_cu` `(` $q_cu `)` | `kv_cu` `(` $kv_cu `)`
      | `kv_len` `(` $kv_len `)`
      | `k_scale` `(` $k_scale `)` | `v_scale` `(` $v_scale `)`
      | `enabled` `(` $enabled `)`
      | `into` `(` $into `)` | `owner` `(` $owner `)`
    )
    (`causal` `` $causal^)? (`left` $window_left^)? (`right` $window_right^)?
    (`pin` $pin^)? (`softcap` $softcap^)? (`k_block` $k_block^)? (`v_block` $v_block^)?
    (`layout` `` $layout^)? (`partial` $partial^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Agt_LeavesOp : Agt_Op<"leaves", [MemoryEffects<[MemAlloc]>]> {
  let summary = "partial results of attention that do not depend on cuts";
  let description = [{
    What an attention has made of the keys it has met so far, block by block: leaf
    i is the keys from 128 i on. Partial results of leaves merge in one binary tree
    over their numbers, whatever the order in which they come and whoever has
    them, so that the bits of the result follow from the keys alone (attention.md
    section 2, Reproducible). Subtrees that are whole are kept as one partial
    result each.

    The keys, `tokens` of them, are cut in `parts` at boundaries of leaves
    (`leaves` or `zigzag_leaves`).

    Example:

    ```mlir
    %none = agt.leaves %tokens parts 1 leaves
    %all = agt.attention %q, %k, %v into(%none) owner(%zero) partial
        : (tensor<8x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>, !agt.leaves, index) -> !agt.leaves
    %o = agt.root %all of %q, %v : (!agt.leaves, tensor<8x?x64xf32>, tensor<2x?x64xf32>) -> tensor<8x?x64xf32>
    ```

    **Constraints**
    - leaves_c1: there is a part at least, and parts are whole leaves.
  }];
  let arguments = (ins Index:$tokens, I64Attr:$parts, Agt_BalanceAttr:$balance);
  let results = (outs Agt_LeavesType:$result);
  let assemblyFormat = "$tokens `parts` $parts `` $balance attr-dict";
  let hasVerifier = 1;
}

def Agt_RootOp : Agt_TensorOp<"root"> {
  let summary = "the result of an attention all of whose leaves are there";
  let description = [{
    The root of the tree of `agt.leaves`, its rows finished as `agt.attention`
    finishes them: the sink takes part here, once. `query` and `value` are those
    of the attention; of the query only the dims are asked.

    Example:

    ```mlir
    %o = agt.root %all of %q, %v : (!agt.leaves, tensor<8x?x64xf32>, tensor<2x?x64xf32>) -> tensor<8x?x64xf32>
    ```

    **Constraints**
    - root_c1: the result has the dims of the query, with the value's last.
    - root_c2: `lse` has the shape of the query without its last dim.
    - root_c3: the sink is [heads].
  }];
  let arguments = (ins Agt_LeavesType:$leaves, Agt_FloatTensor:$query,
    Agt_KeyTensor:$value, Optional<Agt_FloatTensor>:$sink,
    DefaultValuedAttr<Agt_LayoutAttr, "::agt::Layout::HSD">:$layout);
  let results = (outs Agt_FloatTensor:$result, Optional<Agt_F32Tensor>:$lse);
  let assemblyFormat = [{
    $leaves `of` $query `,` $value (`sink` `(` $sink^ `)`)?
    (`layout` `` $layout^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // AGT_ATTENTION_OPS_TD
