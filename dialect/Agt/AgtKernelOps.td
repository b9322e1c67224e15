//===- AgtKernelOps.td - What runs as one kernel --------------------------===//

#ifndef AGT_KERNEL_OPS_TD
#define AGT_KERNEL_OPS_TD

def Agt_KernelOp : Agt_Op<"kernel", [
    Pure, AttrSizedOperandSegments, IsolatedFromAbove, SingleBlockImplicitTerminator<"::agt::YieldOp">,
    Agt_Reify]> {
  let summary = "ops that become one kernel";
  let description = [{
    Made by `agt-form-kernels`. The body computes each result element from
    elements of the arguments; only arguments and results exist in memory.
    Tensor arguments are buffers, `index` and `f64` arguments are scalars.
    `sizes` are the dims that the result types leave open, in order.

    Example:

    ```mlir
    %r = agt.kernel "silu_mul" (%a = %gate : tensor<?x64xf32>, %b = %up : tensor<?x64xf32>)
        [%t] -> tensor<?x64xf32> {
      %s = agt.silu %a : tensor<?x64xf32>
      %m = agt.mul %s, %b : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
      agt.yield %m : tensor<?x64xf32>
    }
    ```

    **Constraints**
    - kernel_c1: the arguments of the body have the types of the inputs.
    - kernel_c2: inputs are tensors of the dialect's element types, `index` and
      `f64`.
    - kernel_c3: there is one size for each open dim of the results.
    - kernel_c4: the yielded values have the types of the results, up to what is
      known of their dims.
  }];
  let arguments = (ins StrAttr:$label, Variadic<AnyTypeOf<[Agt_Tensor, Index, F64]>>:$inputs,
      Variadic<Index>:$sizes);
  let results = (outs Variadic<Agt_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Agt_YieldOp : Agt_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"KernelOp">]> {
  let summary = "the results of a kernel";
  let description = [{
    Ends the body of a kernel. Its types are checked there (kernel_c4).

    Example:

    ```mlir
    agt.yield %m : tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ }]>];
}

def Agt_RopeTableOp : Agt_TensorOp<"rope_table"> {
  let summary = "the frequencies of a rotation, made on the host";
  let description = [{
    Row i holds round(scale * base^(-2i/dims) / (2 pi) * 2^64) mod 2^64 as two
    32-bit words, low word first: turns per position as a binary fraction, so
    that a kernel reduces angles exactly in integer arithmetic.

    Example:

    ```mlir
    %table = agt.rope_table %dims base 1.0e+04 scale 1.0 : tensor<32x2xi32>
    ```

    **Constraints**
    - rope_table_c1: the result is [dims / 2, 2].
  }];
  let arguments = (ins Index:$dims, F64Attr:$base, F64Attr:$scale);
  let results = (outs Agt_I32Tensor:$result);
  let assemblyFormat = "$dims `base` $base `scale` $scale attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Agt_RotateOp : Agt_TensorOp<"rotate", [Agt_Pulled]> {
  let summary = "`agt.rope` with its table of frequencies made";
  let description = [{
    As many pairs turn as the table has rows.

    Example:

    ```mlir
    %0 = agt.rotate %x, %pos, %table pairs halves
        : (tensor<8x?x64xf32>, tensor<?xi32>, tensor<32x2xi32>) -> tensor<8x?x64xf32>
    ```

    **Constraints**
    - rotate_c1: `positions` are those of `agt.rope` (rope_c2).
    - rotate_c2: `table` is [rows, 2].
    - rotate_c3: it has at most half as many rows as the input's last dim.
    - rotate_c4: the result has the type of the input.
  }];
  let arguments = (ins Agt_FloatTensor:$input, Agt_IndexTensor:$positions,
                       Agt_I32Tensor:$table, Agt_PairsAttr:$pairs);
  let results = (outs Agt_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $positions `,` $table `pairs` `` $pairs attr-dict
    `:` `(` type($input) `,` type($positions) `,` type($table) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // AGT_KERNEL_OPS_TD
