//===- AgtReductionOps.td - Products, reductions, norms, rotation ---------===//

#ifndef AGT_REDUCTION_OPS_TD
#define AGT_REDUCTION_OPS_TD

def Agt_MatmulOp : Agt_TensorOp<"matmul", [Agt_Anchor]> {
  let summary = "`[..., m, k]` by `[..., k, n]`; leading dims broadcast";
  let description = [{
    Example:

    ```mlir
    %0 = agt.matmul %a, %b : (tensor<8x?x64xf32>, tensor<64x?xf32>) -> tensor<8x?x?xf32>
    ```

    **Constraints**
    - matmul_c1: the operands have at least two dims.
    - matmul_c2: they have one element type.
    - matmul_c3: columns of the first agree with rows of the second.
    - matmul_c4: their leading dims broadcast.
    - matmul_c5: the result is [leading..., m, n] of their element type.
  }];
  let arguments = (ins Agt_FloatTensor:$lhs, Agt_FloatTensor:$rhs);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_LinearOp : Agt_TensorOp<"linear", [Agt_Anchor]> {
  let summary = "`[..., k]` times `[n, k]` transposed, plus a bias `[n]`";
  let description = [{
    The weight is stored as checkpoints have it, [n, k].

    Example:

    ```mlir
    %0 = agt.linear %x, %w bias %b
        : (tensor<?x64xf32>, tensor<172x64xf32>, tensor<172xf32>) -> tensor<?x172xf32>
    ```

    **Constraints**
    - linear_c1: `input` has at least one dim.
    - linear_c2: `weight` is [n, k] with k the input's last dim, and has its element
      type.
    - linear_c3: `bias` is [n], and has that element type.
    - linear_c4: the result is [..., n] and has that element type.
  }];
  let arguments = (ins Agt_FloatTensor:$input, Agt_FloatTensor:$weight,
                       Optional<Agt_FloatTensor>:$bias);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Agt_ReduceOp : Agt_TensorOp<"reduce", [Agt_Anchor]> {
  let summary = "sum, mean, largest or smallest along one axis";
  let description = [{
    With `keep` the axis stays with size 1. Over no elements: sum 0, mean NaN,
    max -inf, min +inf (the smallest and the largest number for integers, and 0 for
    their mean). A NaN among the elements gives NaN.

    Example:

    ```mlir
    %0 = agt.reduce mean %x axis 1 keep : tensor<?x64xf32> -> tensor<?x1xf32>
    ```

    **Constraints**
    - reduce_c1: `axis` is an axis of the input.
    - reduce_c2: the result is the input without the axis, or with 1 in its place.
  }];
  let arguments = (ins Agt_ReduceAttr:$kind, Agt_NumberTensor:$input,
                       I64Attr:$axis, UnitAttr:$keep);
  let results = (outs Agt_NumberTensor:$result);
  let assemblyFormat = [{
    `` $kind $input `axis` $axis (`keep` $keep^)? attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_ArgmaxOp : Agt_TensorOp<"argmax", [Agt_Anchor]> {
  let summary = "where the largest element stands, the lowest among equals";
  let description = [{
    NaN counts as larger than any number.

    Example:

    ```mlir
    %0 = agt.argmax %x axis 1 : tensor<?x512xf32> -> tensor<?xi32>
    ```

    **Constraints**
    - argmax_c1: `axis` is an axis of the input.
    - argmax_c2: the result has the shape of the input without the axis.
  }];
  let arguments = (ins Agt_NumberTensor:$input, I64Attr:$axis);
  let results = (outs Agt_I32Tensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Agt_TopkOp : Agt_TensorOp<"topk", [Agt_Anchor]> {
  let summary = "the k largest of the last axis, largest first, and where they stand";
  let description = [{
    The lower index comes first among equals; NaN counts as larger than any number.

    Example:

    ```mlir
    %values, %indices = agt.topk %x k 4 : tensor<?x512xf32> -> (tensor<?x4xf32>, tensor<?x4xi32>)
    ```

    **Constraints**
    - topk_c1: the input has at least one dim.
    - topk_c2: `k` is 0 to the size of the last dim.
    - topk_c3: `values` are the input with k as its last dim.
    - topk_c4: `indices` have that shape.
  }];
  let arguments = (ins Agt_NumberTensor:$input, I64Attr:$k);
  let results = (outs Agt_NumberTensor:$values, Agt_I32Tensor:$indices);
  let assemblyFormat = [{
    $input `k` $k attr-dict `:` type($input) `->` `(` type($values) `,` type($indices) `)`
  }];
  let hasVerifier = 1;
}

def Agt_SoftmaxOp : Agt_TensorOp<"softmax", [SameOperandsAndResultType, Agt_Anchor]> {
  let summary = "`exp(x - max) / sum` along one axis";
  let description = [{
    Example:

    ```mlir
    %0 = agt.softmax %x axis 1 : tensor<?x64xf32>
    ```

    **Constraints**
    - softmax_c1: `axis` is an axis of the input.
  }];
  let arguments = (ins Agt_FloatTensor:$input, I64Attr:$axis);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Agt_RmsNormOp : Agt_TensorOp<"rms_norm", [Agt_Anchor]> {
  let summary = "`x / sqrt(mean(x^2) + eps) * w` over the last axis";
  let description = [{
    Example:

    ```mlir
    %0 = agt.rms_norm %x, %w eps 1.0e-05 : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    ```

    **Constraints**
    - rms_norm_c1: the input has at least one dim.
    - rms_norm_c2: `weight` has one dim, the input's last, and its element type.
    - rms_norm_c3: the result has the type of the input.
  }];
  let arguments = (ins Agt_FloatTensor:$input, Agt_FloatTensor:$weight, F64Attr:$eps);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight `eps` $eps attr-dict
    `:` `(` type($input) `,` type($weight) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_LayerNormOp : Agt_TensorOp<"layer_norm", [Agt_Anchor]> {
  let summary = "`(x - mean) / sqrt(variance + eps) * w + b` over the last axis";
  let description = [{
    The variance is the mean of squares of x - mean.

    Example:

    ```mlir
    %0 = agt.layer_norm %x, %w bias %b eps 1.0e-05
        : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    ```

    **Constraints**
    - layer_norm_c1: the input has at least one dim.
    - layer_norm_c2: `weight` has one dim, the input's last, and its element type.
    - layer_norm_c3: so has `bias`.
    - layer_norm_c4: the result has the type of the input.
  }];
  let arguments = (ins Agt_FloatTensor:$input, Agt_FloatTensor:$weight,
                       Optional<Agt_FloatTensor>:$bias, F64Attr:$eps);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? `eps` $eps attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Agt_RopeOp : Agt_TensorOp<"rope"> {
  let summary = "pairs of elements turned by an angle that grows with position";
  let description = [{
    `input` is [..., T, D], `positions` i32 or i64 [T] or [batch..., T] (broadcast
    over the dims between). Pair i turns by `pos * scale * base^(-2i/dims)`;
    pairs are (2i, 2i+1) if interleaved, (i, i + dims/2) if halves. Only the
    first `dims` elements turn (absent: all of D, which is even).

    Example:

    ```mlir
    %0 = agt.rope %x, %pos base 1.0e+04 scale 1.0 pairs interleaved dims 32
        : (tensor<8x?x64xf32>, tensor<?xi32>) -> tensor<8x?x64xf32>
    ```

    **Constraints**
    - rope_c1: the input has at least two dims.
    - rope_c2: `positions` are [T], or [batch..., T] with the input's first dims.
    - rope_c3: `dims` (or D) is even, and at most D.
    - rope_c4: the result has the type of the input.
  }];
  let arguments = (ins Agt_FloatTensor:$input, Agt_IndexTensor:$positions,
    F64Attr:$base, F64Attr:$scale, Agt_PairsAttr:$pairs, OptionalAttr<I64Attr>:$dims);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $positions `base` $base `scale` $scale `pairs` `` $pairs (`dims` $dims^)?
    attr-dict `:` `(` type($input) `,` type($positions) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_QuantizeOp : Agt_TensorOp<"quantize", [Agt_Anchor]> {
  let summary = "values of 8 bits and a scale per head and block of tokens";
  let description = [{
    `input` is [..., heads, tokens, dim]; `scales` are f32
    [..., heads, ceil(tokens / block)]: the largest magnitude of the block over
    127 (f8e4m3: 448). Values are x / scale, to nearest even, saturated; a block of
    zeros has scale 0 and values 0.

    Example:

    ```mlir
    %values, %scales = agt.quantize %k block 16 : tensor<2x?x64xf32> -> (tensor<2x?x64xi8>, tensor<2x?xf32>)
    ```

    **Constraints**
    - quantize_c1: the input has at least two dims.
    - quantize_c2: `block` is at least 1.
    - quantize_c3: `values` have the shape of the input.
    - quantize_c4: `scales` have the shape above.
  }];
  let arguments = (ins Agt_FloatTensor:$input, I64Attr:$block);
  let results = (outs Agt_NarrowTensor:$values, Agt_F32Tensor:$scales);
  let assemblyFormat = [{
    $input `block` $block attr-dict `:` type($input) `->` `(` type($values) `,` type($scales) `)`
  }];
  let hasVerifier = 1;
}

def Agt_DequantizeOp : Agt_TensorOp<"dequantize", [Agt_Pulled]> {
  let summary = "f32 values from 8-bit ones and their scales";
  let description = [{
    Example:

    ```mlir
    %0 = agt.dequantize %values, %scales block 16 : (tensor<2x?x64xi8>, tensor<2x?xf32>) -> tensor<2x?x64xf32>
    ```

    **Constraints**
    - dequantize_c1: `values` have at least two dims.
    - dequantize_c2: `block` is at least 1.
    - dequantize_c3: `scales` have the shape that `agt.quantize` gives them.
    - dequantize_c4: the result has the shape of the values.
  }];
  let arguments = (ins Agt_NarrowTensor:$values, Agt_F32Tensor:$scales,
                       I64Attr:$block);
  let results = (outs Agt_F32Tensor:$result);
  let assemblyFormat = [{
    $values `,` $scales `block` $block attr-dict
    `:` `(` type($values) `,` type($scales) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // AGT_REDUCTION_OPS_TD
