//===- RingAttendOps.td - Attention in steps ------------------------------===//

#ifndef RING_ATTEND_OPS_TD
#define RING_ATTEND_OPS_TD

def Ring_ScheduleOp : Ring_Op<"schedule", [
    SingleBlockImplicitTerminator<"::agt::ring::YieldOp">, NoRegionArguments,
    RecursiveMemoryEffects]> {
  let summary = "the steps of one attention over a ring";
  let description = [{
    `meets` is the table of the schedule: row r lists the shards that the queries
    of place r meet, step after step. The steps stand in the body as they are
    recorded at every place.

    Example:

    ```mlir
    %p = ring.schedule pass_kv meets [[0, 2, 1], [1, 0, 2], [2, 1, 0]] {
      %p0 = ring.attend %q, %k, %v step 0 owner %r : ...
      ring.yield %p0 : !ring.partial<tensor<8x?x64xf32>, base = 2>
    } : !ring.partial<tensor<8x?x64xf32>, base = 2>
    ```

    **Constraints**
    - schedule_c1: the rows of the table are permutations of their numbers.
    - schedule_c2: no place meets in one step the shard that another meets.
    - schedule_c3: the body yields values of the result types.
  }];
  let arguments = (ins StrAttr:$direction, ArrayAttr:$meets);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $direction `meets` $meets attr-dict-with-keyword $body `:` type($results)
  }];
  let hasVerifier = 1;
}

def Ring_YieldOp : Ring_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"ScheduleOp">]> {
  let summary = "what a schedule has computed";
  let description = [{
    Ends the body of a schedule. Its types are checked there (schedule_c3).

    Example:

    ```mlir
    ring.yield %p : !ring.partial<tensor<8x?x64xf32>, base = 2>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ }]>];
}

def Ring_AttendOp : Ring_Op<"attend", [Pure, AttrSizedOperandSegments]> {
  let summary = "queries meet the keys of one shard";
  let description = [{
    What `agt.attention` computes for these keys alone. `owner` is the place that the shard
    started from; where `sees` is false no query sees any of its keys, and
    nothing is computed. With `into` the blocks of keys are added to leaves that all
    steps share, and merging the steps is a matter of those.

    Example:

    ```mlir
    %p1 = ring.attend %q, %k1, %v1 sees(%s1) q_pos(%at) kv_pos(%from) step 1 owner %o1 causal bottom_right
        : (tensor<8x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>, i1, tensor<?xi32>, tensor<?xi32>)
        -> !ring.partial<tensor<8x?x64xf32>, base = 2>
    ```

    **Constraints**
    - attend_c1: the first step takes no `sees`: it is always computed.
    - attend_c2: the result's sums have the shape of the query with the value's
      dim, in f32 and base 2.
  }];
  let arguments = (ins
    Agt_FloatTensor:$query, Agt_KeyTensor:$key, Agt_KeyTensor:$value,
    Optional<I1>:$sees,
    Optional<F64>:$scale,
    Variadic<Agt_BoolTensor>:$masks,
    Optional<Agt_FloatTensor>:$bias,
    Optional<Agt_FloatTensor>:$alibi,
    Optional<Agt_I32Tensor>:$q_pos, Optional<Agt_I32Tensor>:$kv_pos,
    Optional<Agt_I32Tensor>:$q_seg, Optional<Agt_I32Tensor>:$kv_seg,
    Optional<Agt_F32Tensor>:$k_scale, Optional<Agt_F32Tensor>:$v_scale,
    Optional<Agt_LeavesType>:$into,
    Index:$owner, I64Attr:$step,
    DefaultValuedAttr<Agt_CausalAttr, "::agt::Causal::None">:$causal,
    OptionalAttr<I64Attr>:$window_left, OptionalAttr<I64Attr>:$window_right,
    DefaultValuedAttr<I64Attr, "0">:$pin,
    OptionalAttr<F64Attr>:$softcap,
    OptionalAttr<I64Attr>:$k_block, OptionalAttr<I64Attr>:$v_block,
    DefaultValuedAttr<Agt_LayoutAttr, "::agt::Layout::HSD">:$layout);
  let results = (outs Ring_PartialType:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value oilist(
      `sees` `(` $sees `)`
      | `scale` `(` $scale `)`
      | `masks` `(` $masks `)`
      | `bias` `(` $bias `)`
      | `alibi` `(` $alibi `)`
      | `q_pos` `(` $q_pos `)` | `kv_pos` `(` $kv_pos `)`
      | `q_seg` `(` $q_seg `)` | `kv_seg` `(` $kv_seg `)`
      | `k_scale` `(` $k_scale `)` | `v_scale` `(` $v_scale `)`
      | `into` `(` $into `)`
    ) `step` $step `owner` $owner
    (`causal` `` $causal^)? (`left` $window_left^)? (`right` $window_right^)?
    (`pin` $pin^)? (`softcap` $softcap^)? (`k_block` $k_block^)? (`v_block` $v_block^)?
    (`layout` `` $layout^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Ring_SeesOp : Ring_Op<"sees", [Pure]> {
  let summary = "whether any query of a part sees any key of a part";
  let description = [{
    By positions alone: query i stands at i + offset, key j at j. False where
    either part has no tokens.

    Example:

    ```mlir
    %s = ring.sees %q_place, %k_place of %queries, %keys offset %off
        <parts = 4, queries = zigzag, keys = zigzag, causal = true, left = -1, right = -1, pin = 0>
    ```
  }];
  let arguments = (ins Index:$query_place, Index:$key_place, Index:$queries,
                       Index:$keys, Index:$offset, Ring_ViewAttr:$view);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $query_place `,` $key_place `of` $queries `,` $keys `offset` $offset $view attr-dict
  }];
}

def Ring_NeededOp : Ring_Op<"needed", [Pure]> {
  let summary = "whether a shard is needed further on";
  let description = [{
    Whether some place that meets the shard of `owner` after step `step` sees
    any of its keys (`ring.sees`): where none does it is not sent on.

    Example:

    ```mlir
    %s = ring.needed %owner after 0 of %queries, %keys offset %off
        <parts = 4, queries = zigzag, keys = zigzag, causal = true, left = -1, right = -1, pin = 0>
    ```
  }];
  let arguments = (ins Index:$owner, I64Attr:$step, Index:$queries, Index:$keys,
                       Index:$offset, Ring_ViewAttr:$view);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $owner `after` $step `of` $queries `,` $keys `offset` $offset $view attr-dict
  }];
}

def Ring_MergeOp : Ring_Op<"merge", [Pure, AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "two partial results of the same rows as one";
  let description = [{
    `m = max(m1, m2)`, `l = l1 2^(m1 - m) + l2 2^(m2 - m)`, sums likewise; where
    one has seen nothing the result is the other by selection, bit for bit. Where
    `sees` is false it is `lhs`, whatever `rhs` holds.

    Example:

    ```mlir
    %p = ring.merge %p0, %p1 sees(%s) : !ring.partial<tensor<8x?x64xf32>, base = 2>
    ```
  }];
  let arguments = (ins Ring_PartialType:$lhs, Ring_PartialType:$rhs, Optional<I1>:$sees);
  let results = (outs Ring_PartialType:$result);
  let assemblyFormat = "$lhs `,` $rhs (`sees` `(` $sees^ `)`)? attr-dict `:` type($result)";
}

def Ring_CombineOp : Ring_Op<"combine", [MemoryEffects<[MemWrite<Ring_Link>]>,
    AllTypesMatch<["partial", "result"]>]> {
  let summary = "the partial results of all places of a cut as one";
  let description = [{
    Where queries are whole and keys are cut, each place attends all queries to
    its own keys; what moves are partial results, not keys ("pass-Q"). Every
    place gets those of all others and merges them in the order of the places,
    so that all have the same bits.

    Example:

    ```mlir
    %p = ring.combine %own cut <dim = 0, axis = "cp", parts = 4, step = 1, balance = contiguous>
        : !ring.partial<tensor<8x?x64xf32>, base = 2>
    ```
  }];
  let arguments = (ins Ring_PartialType:$partial, Ring_CutAttr:$cut);
  let results = (outs Ring_PartialType:$result);
  let assemblyFormat = "$partial `cut` $cut attr-dict `:` type($result)";
}

def Ring_ScatterOp : Ring_Op<"scatter", [AttrSizedOperandSegments,
    MemoryEffects<[MemWrite<Ring_Link>]>]> {
  let summary = "the partial results of this place's own rows as one";
  let description = [{
    Where queries are cut as the keys are and go to the keys ("pass-Q"), each
    place attends the queries of all places to its own keys. It keeps its own
    rows, sends every other place those of its queries, and merges what comes
    back, of the place before it first.

    `rows` are the numbers of the rows of this place and of those 1, 2, ...
    further on, `sends` says to which of these something goes, and `receives`
    from which of those 1, 2, ... before it something comes: where no query of
    the receiver sees a key of the sender, nothing does.

    Example:

    ```mlir
    %p = ring.scatter %all rows(%r0, %r1, %r2) sends(%s1, %s2) receives(%g1, %g2)
        cut <dim = 1, axis = "cp", parts = 3, step = 1, balance = zigzag>
        : !ring.partial<tensor<8x?x64xf32>, base = 2>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
        -> !ring.partial<tensor<8x?x64xf32>, base = 2>
    ```

    **Constraints**
    - scatter_c1: there are rows for each part of the cut, and of `sends` and
      `receives` one fewer.
    - scatter_c2: the result has the partial's sums, up to the dim of the cut.
  }];
  let arguments = (ins Ring_PartialType:$partial, Variadic<Agt_I32Tensor>:$rows,
                       Variadic<I1>:$sends, Variadic<I1>:$receives,
                       Ring_CutAttr:$cut);
  let results = (outs Ring_PartialType:$result);
  let assemblyFormat = [{
    $partial `rows` `(` $rows `)` `sends` `(` $sends `)` `receives` `(` $receives `)`
    `cut` $cut attr-dict `:` qualified(type($partial)) `,` type($rows)
    `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Ring_HopOp : Ring_Op<"hop", [MemoryEffects<[MemWrite<Ring_Link>]>]> {
  let summary = "notes a step of a ring for --stats and --trace";
  let description = [{
    Left by `agt-lower-ring` for every `ring.attend`.

    Example:

    ```mlir
    ring.hop 1 owner %o sees %s
    ```
  }];
  let arguments = (ins I64Attr:$step, Index:$owner, Optional<I1>:$sees);
  let assemblyFormat = "$step `owner` $owner (`sees` $sees^)? attr-dict";
}

def Ring_FinalizeOp : Ring_Op<"finalize", [Pure]> {
  let summary = "the rows of a partial result, all keys met";
  let description = [{
    `o = sums / l`, `lse = m + ln l`; a row that has seen nothing is 0 and
    -infinity. `sink` takes part in l here, once a row whatever the number of
    steps (attention.md section 1).

    Example:

    ```mlir
    %o = ring.finalize %p layout hsd
        : (!ring.partial<tensor<8x?x64xf32>, base = 2>) -> tensor<8x?x64xf16>
    ```

    **Constraints**
    - finalize_c1: the result has the shape of the partial's sums.
    - finalize_c2: lse has that shape without its last dim.
  }];
  let arguments = (ins Ring_PartialType:$partial, Optional<Agt_FloatTensor>:$sink,
                       DefaultValuedAttr<Agt_LayoutAttr, "::agt::Layout::HSD">:$layout);
  let results = (outs Agt_FloatTensor:$result, Optional<Agt_F32Tensor>:$lse);
  let assemblyFormat = [{
    $partial (`sink` `(` $sink^ `)`)? `layout` `` $layout
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // RING_ATTEND_OPS_TD
