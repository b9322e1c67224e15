//===- AgtShapeOps.td - Functions that move elements ----------------------===//

#ifndef AGT_SHAPE_OPS_TD
#define AGT_SHAPE_OPS_TD

class Agt_ShapeOp<string mnemonic, list<Trait> traits = []>
    : Agt_Op<mnemonic, !listconcat(traits, [
        Pure, Agt_Reify])>;

def Agt_ReshapeOp : Agt_ShapeOp<"reshape"> {
  let summary = "the same elements in C order under another shape";
  let description = [{
    `sizes` are the dims that the result type leaves open, in order. That the
    numbers of elements agree is required by the front end.

    Example:

    ```mlir
    %0 = agt.reshape %x [%t] : tensor<?x256xf32> -> tensor<?x8x32xf32>
    ```
  }];
  let arguments = (ins Agt_Tensor:$input, Variadic<Index>:$sizes);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $input `[` $sizes `]` attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Agt_TransposeOp : Agt_ShapeOp<"transpose"> {
  let summary = "dims in another order: dim i of the result is dim permutation[i]";
  let arguments = (ins Agt_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Agt_SliceOp : Agt_ShapeOp<"slice"> {
  let summary = "elements start to stop - 1 of one axis";
  let arguments = (ins Agt_Tensor:$input, I64Attr:$axis, Index:$start, Index:$stop);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $input `[` $start `to` $stop `]` `axis` $axis attr-dict
    `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Agt_ConcatOp : Agt_ShapeOp<"concat"> {
  let summary = "tensors one after the other along one axis";
  let arguments = (ins Variadic<Agt_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $inputs `axis` $axis attr-dict `:` functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Agt_IotaOp : Agt_ShapeOp<"iota"> {
  let summary = "0, 1, ..., n - 1 as i32";
  let arguments = (ins Index:$size);
  let results = (outs Agt_I32Tensor:$result);
  let assemblyFormat = "$size attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Agt_FullOp : Agt_ShapeOp<"full"> {
  let summary = "one number everywhere";
  let description = "`sizes` are the dims that the result type leaves open, in order.";
  let arguments = (ins Agt_Scalar:$value, Variadic<Index>:$sizes);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $value `[` $sizes `]` attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_EmbedOp : Agt_ShapeOp<"embed"> {
  let summary = "rows of a table";
  let description = [{
    `table` is [n, d], `ids` any shape; the result is [ids..., d]. An id
    outside 0..n-1 gives a row of NaN (0 for integers): a device cannot fail.
  }];
  let arguments = (ins Agt_Tensor:$table, Agt_IndexTensor:$ids);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $table `,` $ids attr-dict `:` `(` type($table) `,` type($ids) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // AGT_SHAPE_OPS_TD
