//===- AgtGraphOps.td - Graphs, calls, checks, scalars --------------------===//

#ifndef AGT_GRAPH_OPS_TD
#define AGT_GRAPH_OPS_TD

def Agt_GraphOp : Agt_Op<"graph", [
    FunctionOpInterface, IsolatedFromAbove, AutomaticAllocationScope,
    OpAsmOpInterface]> {
  let summary = "a function of tensors";
  let description = [{
    One `graph` declaration. Arguments and results carry the author's names in
    the attribute `agt.name` and the text of their type in `agt.type`; `doc`
    is the `///` comment. Dims that several arguments share are checked by
    `agt.require` at the top of the body.

    Arguments with `agt.input` are not the caller's: a program binds them. Its
    `kind` is `weight` (a `tensor` of the file `weights`, which may lie in
    `blocks` of quantised numbers), or what a `cache` that the author names is
    made of: `positions` and `length` of the tokens, `keys` and `values` of a
    `layer`; where many sequences share it (`agt-page-caches`), the `places` of
    the tokens, the `key_positions` of all places, and what is `visible`.

    Example:

    ```mlir
    agt.graph @scores(%q: tensor<?x64xf32> {agt.name = "q"},
                      %k: tensor<?x64xf32> {agt.name = "k"})
        -> (tensor<?x?xf32> {agt.name = "out"}) attributes {doc = "all pairs"} {
      %0 = agt.linear %q, %k : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x?xf32>
      agt.return %0 : tensor<?x?xf32>
    }
    ```

    **Constraints**
    - graph_c1: it has a body; a graph is never only declared.
    - graph_c2: arguments and results are tensors of the dialect's element types.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<StrAttr>:$doc, OptionalAttr<StrAttr>:$mesh,
    OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::ArrayRef<mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    mlir::ArrayRef<mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Agt_ReturnOp : Agt_Op<"return", [
    Pure, HasParent<"GraphOp">, ReturnLike, Terminator]> {
  let summary = "the results of a graph";
  let description = [{
    Ends the body of a graph.

    Example:

    ```mlir
    agt.return %values, %indices : tensor<4xf32>, tensor<4xi32>
    ```

    **Constraints**
    - return_c1: the values have the types of the graph's results.
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

def Agt_CallOp : Agt_Op<"call", [
    CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a graph called by a graph";
  let description = [{
    Inlined before kernels are formed. Operand and result types may know more
    than the callee's signature does; `inline` puts `tensor.cast`s between.

    Example:

    ```mlir
    %0 = agt.call @scores(%q, %k) : (tensor<5x64xf32>, tensor<?x64xf32>) -> tensor<5x?xf32>
    ```

    **Constraints**
    - call_c1: `callee` is the name of an `agt.graph`.
    - call_c2: operands are as many as the callee's arguments, of the same element
      types, with dims that agree (equal, or one of them `?`).
    - call_c3: results likewise.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `(` $operands `)` attr-dict `:` functional-type($operands, results)
  }];
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getOperands(); }
    mlir::MutableOperandRange getArgOperandsMutable() { return getOperandsMutable(); }
    mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(mlir::CallInterfaceCallable callee) {
      setCalleeAttr(mlir::cast<mlir::FlatSymbolRefAttr>(mlir::cast<mlir::SymbolRefAttr>(callee)));
    }
  }];
}

def Agt_RequireOp : Agt_Op<"require", []> {
  let summary = "a check that is left for run time";
  let description = [{
    Where `condition` is false the run ends with exit code 2 and the message,
    in which `{0}` and `{1}` stand for the two values, at the op's place.

    Example:

    ```mlir
    agt.require %same, "'k' has {1} tokens in dim S, and 'q' has {0}"(%s, %t)
    ```

    **Constraints**
    - require_c1: there is a value for every `{n}` of the message.
  }];
  let arguments = (ins I1:$condition, StrAttr:$message, Variadic<Index>:$values);
  let assemblyFormat = "$condition `,` $message (`(` $values^ `)`)? attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Agt_ScalarOp : Agt_TensorOp<"scalar", [Agt_Pulled]> {
  let summary = "a number as a tensor without dims";
  let description = [{
    Literals and sizes take part in element-wise functions as tensors of rank
    0. The number is an `index` or an `f64` and is converted once, as `agt.cast`
    converts.

    Example:

    ```mlir
    %0 = agt.scalar %n : index -> tensor<f32>
    ```

    **Constraints**
    - scalar_c1: the result has no dims.
  }];
  let arguments = (ins Agt_Scalar:$value);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

#endif // AGT_GRAPH_OPS_TD
