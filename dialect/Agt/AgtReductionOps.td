//===- AgtReductionOps.td - Products, reductions, norms, rotation ---------===//

#ifndef AGT_REDUCTION_OPS_TD
#define AGT_REDUCTION_OPS_TD

class Agt_ComputeOp<string mnemonic, list<Trait> traits = []>
    : Agt_Op<mnemonic, !listconcat(traits, [
        Pure, Agt_Reify])>;

def Agt_MatmulOp : Agt_ComputeOp<"matmul"> {
  let summary = "`[..., m, k]` by `[..., k, n]`; leading dims broadcast";
  let arguments = (ins Agt_FloatTensor:$lhs, Agt_FloatTensor:$rhs);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_LinearOp : Agt_ComputeOp<"linear"> {
  let summary = "`[..., k]` times `[n, k]` transposed, plus a bias `[n]`";
  let arguments = (ins Agt_FloatTensor:$input, Agt_FloatTensor:$weight,
                       Optional<Agt_FloatTensor>:$bias);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Agt_ReduceOp : Agt_ComputeOp<"reduce"> {
  let summary = "sum, mean, largest or smallest along one axis";
  let description = [{
    With `keep` the axis stays with size 1. Over no elements: sum 0, mean NaN,
    max -inf, min +inf (the smallest and the largest number for integers).
    A NaN among the elements gives NaN.
  }];
  let arguments = (ins Agt_ReduceAttr:$kind, Agt_NumberTensor:$input,
                       I64Attr:$axis, UnitAttr:$keep);
  let results = (outs Agt_NumberTensor:$result);
  let assemblyFormat = [{
    $kind $input `axis` $axis (`keep` $keep^)? attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_ArgmaxOp : Agt_ComputeOp<"argmax"> {
  let summary = "where the largest element stands, the lowest among equals";
  let arguments = (ins Agt_NumberTensor:$input, I64Attr:$axis);
  let results = (outs Agt_I32Tensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Agt_TopkOp : Agt_ComputeOp<"topk"> {
  let summary = "the k largest of the last axis, largest first, and where they stand";
  let arguments = (ins Agt_NumberTensor:$input, I64Attr:$k);
  let results = (outs Agt_NumberTensor:$values, Agt_I32Tensor:$indices);
  let assemblyFormat = [{
    $input `k` $k attr-dict `:` type($input) `->` `(` type($values) `,` type($indices) `)`
  }];
  let hasVerifier = 1;
}

def Agt_SoftmaxOp : Agt_ComputeOp<"softmax", [SameOperandsAndResultType]> {
  let summary = "`exp(x - max) / sum` along one axis";
  let arguments = (ins Agt_FloatTensor:$input, I64Attr:$axis);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Agt_RmsNormOp : Agt_ComputeOp<"rms_norm"> {
  let summary = "`x / sqrt(mean(x^2) + eps) * w` over the last axis";
  let arguments = (ins Agt_FloatTensor:$input, Agt_FloatTensor:$weight, F64Attr:$eps);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight `eps` $eps attr-dict
    `:` `(` type($input) `,` type($weight) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_LayerNormOp : Agt_ComputeOp<"layer_norm"> {
  let summary = "`(x - mean) / sqrt(variance + eps) * w + b` over the last axis";
  let arguments = (ins Agt_FloatTensor:$input, Agt_FloatTensor:$weight,
                       Optional<Agt_FloatTensor>:$bias, F64Attr:$eps);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? `eps` $eps attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Agt_RopeOp : Agt_ComputeOp<"rope"> {
  let summary = "pairs of elements turned by an angle that grows with position";
  let description = [{
    `input` is [..., T, D], `positions` i32 [T] or [batch..., T] (broadcast
    over the dims between). Pair i turns by `pos * scale * base^(-2i/dims)`;
    pairs are (2i, 2i+1) if interleaved, (i, i + dims/2) if halves. Only the
    first `dims` elements turn (absent: all of D, which is even).
  }];
  let arguments = (ins Agt_FloatTensor:$input, Agt_IndexTensor:$positions,
    F64Attr:$base, F64Attr:$scale, Agt_PairsAttr:$pairs, OptionalAttr<I64Attr>:$dims);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $positions `base` $base `scale` $scale `pairs` $pairs (`dims` $dims^)?
    attr-dict `:` `(` type($input) `,` type($positions) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_QuantizeOp : Agt_ComputeOp<"quantize"> {
  let summary = "values of 8 bits and a scale per head and block of tokens";
  let description = [{
    `input` is [..., heads, tokens, dim]; `scales` are f32
    [..., heads, ceil(tokens / block)]: the largest magnitude of the block over
    127 (f8e4m3: 448). Values are x / scale, to nearest even, saturated.
  }];
  let arguments = (ins Agt_FloatTensor:$input, I64Attr:$block);
  let results = (outs RankedTensorOf<[F8E4M3FN, I8]>:$values, Agt_F32Tensor:$scales);
  let assemblyFormat = [{
    $input `block` $block attr-dict `:` type($input) `->` `(` type($values) `,` type($scales) `)`
  }];
  let hasVerifier = 1;
}

def Agt_DequantizeOp : Agt_ComputeOp<"dequantize"> {
  let summary = "f32 values from 8-bit ones and their scales";
  let arguments = (ins RankedTensorOf<[F8E4M3FN, I8]>:$values, Agt_F32Tensor:$scales,
                       I64Attr:$block);
  let results = (outs Agt_F32Tensor:$result);
  let assemblyFormat = [{
    $values `,` $scales `block` $block attr-dict
    `:` `(` type($values) `,` type($scales) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // AGT_REDUCTION_OPS_TD
