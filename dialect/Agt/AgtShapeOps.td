//===- AgtShapeOps.td - Functions that move elements ----------------------===//

#ifndef AGT_SHAPE_OPS_TD
#define AGT_SHAPE_OPS_TD

def Agt_ReshapeOp : Agt_TensorOp<"reshape"> {
  let summary = "the same elements in C order under another shape";
  let description = [{
    `sizes` are the dims that the result type leaves open, in order. That the
    numbers of elements agree is required by the front end.

    Example:

    ```mlir
    %0 = agt.reshape %x [%t] : tensor<?x256xf32> -> tensor<?x8x32xf32>
    ```

    **Constraints**
    - reshape_c1: there is one size for each open dim of the result.
    - reshape_c2: the result has the element type of the input.
    - reshape_c3: where both shapes are known, they have as many elements.
  }];
  let arguments = (ins Agt_Tensor:$input, Variadic<Index>:$sizes);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $input `[` $sizes `]` attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Agt_TransposeOp : Agt_TensorOp<"transpose", [Agt_Pulled]> {
  let summary = "dims in another order: dim i of the result is dim permutation[i]";
  let description = [{
    Dim i of the result is dim `permutation[i]` of the input.

    Example:

    ```mlir
    %0 = agt.transpose %x [1, 0, 2] : tensor<?x8x64xf32> -> tensor<8x?x64xf32>
    ```

    **Constraints**
    - transpose_c1: `permutation` has every axis of the input once.
    - transpose_c2: the result is the input with its dims in that order.
  }];
  let arguments = (ins Agt_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Agt_SliceOp : Agt_TensorOp<"slice", [Agt_Pulled]> {
  let summary = "elements start to stop - 1 of one axis";
  let description = [{
    That 0 <= start <= stop <= size holds is required by the front end.

    Example:

    ```mlir
    %0 = agt.slice %x [%a to %b] axis 0 : tensor<?x64xf32> -> tensor<?x64xf32>
    ```

    **Constraints**
    - slice_c1: `axis` is an axis of the input.
    - slice_c2: the result is the input with any size along the axis.
    - slice_c3: that size is at most the input's.
  }];
  let arguments = (ins Agt_Tensor:$input, I64Attr:$axis, Index:$start, Index:$stop);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $input `[` $start `to` $stop `]` `axis` $axis attr-dict
    `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Agt_ConcatOp : Agt_TensorOp<"concat", [Agt_Pulled]> {
  let summary = "tensors one after the other along one axis";
  let description = [{
    Example:

    ```mlir
    %0 = agt.concat %x, %y axis 1 : (tensor<4x?xf32>, tensor<4x2xf32>) -> tensor<4x?xf32>
    ```

    **Constraints**
    - concat_c1: there is at least one input.
    - concat_c2: `axis` is an axis of the inputs.
    - concat_c3: the inputs have one element type and agree in all dims but the
      axis.
    - concat_c4: the size of the result along the axis is the sum of theirs.
  }];
  let arguments = (ins Variadic<Agt_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $inputs `axis` $axis attr-dict `:` functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Agt_IotaOp : Agt_TensorOp<"iota", [Agt_Pulled]> {
  let summary = "0, 1, ..., n - 1 as i32";
  let description = [{
    Example:

    ```mlir
    %0 = agt.iota %n : tensor<?xi32>
    ```

    **Constraints**
    - iota_c1: the result has one dim.
  }];
  let arguments = (ins Index:$size);
  let results = (outs Agt_I32Tensor:$result);
  let assemblyFormat = "$size attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Agt_FullOp : Agt_TensorOp<"full", [Agt_Pulled]> {
  let summary = "one number everywhere";
  let description = [{
    `sizes` are the dims that the result type leaves open, in order. The number is
    converted once, as `agt.cast` converts.

    Example:

    ```mlir
    %0 = agt.full %x [%n] : f64 -> tensor<?x64xf32>
    ```

    **Constraints**
    - full_c1: there is one size for each open dim of the result.
  }];
  let arguments = (ins Agt_Scalar:$value, Variadic<Index>:$sizes);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $value `[` $sizes `]` attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_EmbedOp : Agt_TensorOp<"embed", [Agt_Pulled]> {
  let summary = "rows of a table";
  let description = [{
    `table` is [n, d], `ids` any shape; the result is [ids..., d]. An id
    outside 0..n-1 gives a row of NaN (0 for integers): a device cannot fail.

    Example:

    ```mlir
    %0 = agt.embed %table, %ids : (tensor<512x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
    ```

    **Constraints**
    - embed_c1: `table` has two dims.
    - embed_c2: the result has the shape of `ids` and one dim more, the table's
      last, and the element type of the table.
  }];
  let arguments = (ins Agt_Tensor:$table, Agt_IndexTensor:$ids);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $table `,` $ids attr-dict `:` `(` type($table) `,` type($ids) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // AGT_SHAPE_OPS_TD
