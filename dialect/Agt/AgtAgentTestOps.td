//===- AgtAgentTestOps.td - What only tests do ----------------------------===//
//
// A test calls agents and graphs. Its tensors are values that the runtime owns,
// as a graph's inputs and results are; nothing computes on them here.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_AGENT_TEST_OPS_TD
#define AGT_AGENT_TEST_OPS_TD

def Agt_MockOp : Agt_Op<"mock", [MemoryEffects<[MemWrite<Agt_World>]>,
    HasParent<"TestOp">]> {
  let summary = "a script in place of a model, until the test ends";
  let description = [{
    Example:

    ```mlir
    agt.mock @planner "/replies.json"
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$llm, StrAttr:$file);
  let assemblyFormat = "$llm $file attr-dict";
}

def Agt_CallsOp : Agt_Op<"calls", [MemoryEffects<[MemRead<Agt_World>]>]> {
  let summary = "how often a model or a tool was called in this test";
  let description = [{
    Example:

    ```mlir
    %0 = agt.calls @planner : i64
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee);
  let results = (outs I64:$result);
  let assemblyFormat = "$callee attr-dict `:` type($result)";
}

def Agt_ExpectOp : Agt_Op<"expect", [MemoryEffects<[MemWrite<Agt_Control>]>]> {
  let summary = "what a test expects";
  let description = [{
    `text` is the source of the condition; of a comparison the two sides are
    shown when it does not hold.

    Example:

    ```mlir
    agt.expect %same "a == b"(%a, %b) : i64, i64
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$text, Variadic<Agt_Value>:$sides);
  let assemblyFormat = [{
    $condition $text (`(` $sides^ `)` `:` type($sides))? attr-dict
  }];
}

def Agt_RandomTensorOp : Agt_Op<"random_tensor", [Agt_Fails]> {
  let summary = "normally distributed numbers";
  let description = [{
    The same on every machine for a seed and a number of elements: element i
    is made from Philox4x32-10 with the counter i / 4 and the seed as its key,
    by the method of Box and Muller (docs/Agents.md). A dim below 0 fails the
    test.

    Example:

    ```mlir
    %0 = agt.random_tensor [%heads, %tokens, %dim] seed %one
      : tensor<8x1000x128xf32>
    ```

    **Constraints**
    - random_tensor_c1: there are as many sizes as the result has dims.
  }];
  let arguments = (ins Variadic<I64>:$shape, I64:$seed);
  let results = (outs Agt_F32Tensor:$result);
  let assemblyFormat = "`[` $shape `]` `seed` $seed attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Agt_RunGraphOp : Agt_Op<"run_graph", [
    MemoryEffects<[MemWrite<Agt_Control>, MemWrite<Agt_World>]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a graph, run on the devices of its mesh";
  let description = [{
    Its results are one value: a tensor, or a tuple of several. Sizes that do not
    agree fail the test, as they fail a run.

    Example:

    ```mlir
    %0 = agt.run_graph @ring(%q, %k, %v)
      : (tensor<8x9x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>)
      -> tuple<tensor<8x?x4xf32>, tensor<8x?xf32>>
    ```

    **Constraints**
    - run_graph_c1: `callee` is the name of an `agt.graph`.
    - run_graph_c2: arguments and results have its element types and ranks.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
    Variadic<Agt_Tensor>:$operands);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = [{
    $callee `(` $operands `)` attr-dict `:` functional-type($operands, $result)
  }];
}

def Agt_ExpectCloseOp : Agt_Op<"expect_close", [Agt_Fails]> {
  let summary = "what a test expects of two tensors";
  let description = [{
    They have one shape, and each pair of elements differs by no more than
    `atol + rtol * |expected|`; infinities are equal to themselves, NaN is equal
    to NaN. Integers are compared as integers where both are some. `text` is the
    source of the two.

    Example:

    ```mlir
    agt.expect_close %a, %b "ring(x) and dense(x)" atol %small rtol %none
      : tensor<8x?xf32>, tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Agt_Tensor:$actual, Agt_Tensor:$expected,
    StrAttr:$text, F64:$atol, F64:$rtol);
  let assemblyFormat = [{
    $actual `,` $expected $text `atol` $atol `rtol` $rtol attr-dict
    `:` type($actual) `,` type($expected)
  }];
}

#endif // AGT_AGENT_TEST_OPS_TD
