//===- AgtAgentControlOps.td - Control flow of agents ---------------------===//
//
// Regions of one block. `agt.finish`, `agt.give`, `agt.fail` and `agt.goto`
// end a block wherever it is nested and leave all regions up to the one that
// takes them; every other block ends in `agt.result`.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_AGENT_CONTROL_OPS_TD
#define AGT_AGENT_CONTROL_OPS_TD

def Agt_ResultOp : Agt_Op<"result", [Pure, Terminator, ReturnLike]> {
  let summary = "the end of a region, and the values that it gives";
  let description = [{
    Example:

    ```mlir
    agt.result %0, %1 : i1, !agt.string
    ```
  }];
  let arguments = (ins Variadic<Agt_Value>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), "">];
}

def Agt_FinishOp : Agt_Op<"finish", [Agt_Leaves, Terminator]> {
  let summary = "the result of an agent or a fn";
  let description = [{
    `return`: ends the agent or fn around it.

    Example:

    ```mlir
    agt.finish %0 : !agt.string
    ```

    **Constraints**
    - finish_c1: the value is of the type of the agent's or fn's result.
    - finish_c2: no fork stands between it and the agent.
  }];
  let arguments = (ins Agt_Value:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Agt_FailOp : Agt_Op<"fail", [Agt_Leaves, Terminator]> {
  let summary = "a failure, which `try` catches";
  let description = [{
    Example:

    ```mlir
    agt.fail %message
    ```
  }];
  let arguments = (ins Agt_TextValue:$message);
  let assemblyFormat = "$message attr-dict";
}

def Agt_IfOp : Agt_Op<"if", [RecursiveMemoryEffects]> {
  let summary = "one of two regions";
  let description = [{
    As a value both regions end in `agt.result` with it, or leave.

    Example:

    ```mlir
    %0 = agt.if %c -> i64 {
      agt.result %a : i64
    } else {
      agt.result %b : i64
    }
    ```

    **Constraints**
    - if_c1: regions that end in `agt.result` give values of the results' types.
  }];
  let arguments = (ins I1:$condition);
  let results = (outs Variadic<Agt_Value>:$results);
  let regions = (region SizedRegion<1>:$then, SizedRegion<1>:$otherwise);
  let assemblyFormat = [{
    $condition (`->` type($results)^)? $then `else` $otherwise attr-dict
  }];
  let hasVerifier = 1;
}

def Agt_ForOp : Agt_Op<"for", [RecursiveMemoryEffects]> {
  let summary = "a loop over a list";
  let description = [{
    Steps of iteration i have paths below `NAME#i`.

    Example:

    ```mlir
    agt.for "x" in %list : !agt.list<i64> {
    ^bb0(%x: i64):
      agt.result
    }
    ```

    **Constraints**
    - for_c1: the region takes an element of the list.
  }];
  let arguments = (ins StrAttr:$name, Agt_ListValue:$list);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `in` $list `:` type($list) $body attr-dict";
  let hasVerifier = 1;
}

def Agt_LoopOp : Agt_Op<"loop", [RecursiveMemoryEffects]> {
  let summary = "a loop that is bounded by a number";
  let description = [{
    Runs i = 0 .. max - 1. Steps of iteration i have paths below `NAME#i`.

    Example:

    ```mlir
    agt.loop "i" max %n {
    ^bb0(%i: i64):
      agt.result
    }
    ```

    **Constraints**
    - loop_c1: the region takes an i64.
  }];
  let arguments = (ins StrAttr:$name, I64:$max);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `max` $max $body attr-dict";
  let hasVerifier = 1;
}

def Agt_WhileOp : Agt_Op<"while", [MemoryEffects<[MemWrite<Agt_Control>]>,
    RecursiveMemoryEffects]> {
  let summary = "a loop while a condition holds";
  let description = [{
    Fails when the condition still holds after `max` iterations. Condition and
    body of iteration i have paths below `NAME#i`.

    Example:

    ```mlir
    agt.while "while" max %n {
      agt.result %c : i1
    } do {
      agt.result
    }
    ```

    **Constraints**
    - while_c1: the condition gives an i1.
  }];
  let arguments = (ins StrAttr:$name, I64:$max);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = "$name `max` $max $condition `do` $body attr-dict";
  let hasVerifier = 1;
}

def Agt_CollectOp : Agt_Op<"collect", [RecursiveMemoryEffects]> {
  let summary = "a list comprehension";
  let description = [{
    Every element of the list for which the region gives true adds the value
    that it gives with it. Steps have paths as in `agt.for`.

    Example:

    ```mlir
    %0 = agt.collect "x" in %list : !agt.list<i64> -> !agt.list<i64> {
    ^bb0(%x: i64):
      %true = arith.constant true
      agt.result %true, %x : i1, i64
    }
    ```

    **Constraints**
    - collect_c1: the region takes an element of the list.
    - collect_c2: it gives an i1 and an element of the result.
  }];
  let arguments = (ins StrAttr:$name, Agt_ListValue:$list);
  let results = (outs Agt_ListValue:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `in` $list `:` type($list) `->` type($result) $body attr-dict
  }];
  let hasVerifier = 1;
}

def Agt_TryOp : Agt_Op<"try", [RecursiveMemoryEffects]> {
  let summary = "a region whose failures are caught";
  let description = [{
    The second region runs when the first one failed, with the failure. What
    suspends, cancels or stops the run is not caught.

    Example:

    ```mlir
    agt.try {
      agt.result
    } catch {
    ^bb0(%err: !agt.record<"failure">):
      agt.result
    }
    ```

    **Constraints**
    - try_c1: the handler takes a `failure`.
  }];
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$handler);
  let assemblyFormat = "$body `catch` $handler attr-dict";
  let hasVerifier = 1;
}

def Agt_NodeOp : Agt_Op<"node", [HasParent<"AgentOp">, RecursiveMemoryEffects]> {
  let summary = "a node of an agent";
  let description = [{
    Runs when a `goto` leads to it. Steps of visit v have paths below `NAME#v`.

    Example:

    ```mlir
    agt.node "act" {
    ^bb0(%plan: !agt.string):
      agt.goto "done"(%plan) : !agt.string
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<StrAttr>:$doc);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name $body attr-dict";
}

def Agt_GotoOp : Agt_Op<"goto", [Agt_Leaves, Terminator]> {
  let summary = "the way to another node";
  let description = [{
    Example:

    ```mlir
    agt.goto "done"(%plan) : !agt.string
    ```

    **Constraints**
    - goto_c1: the agent has a node of that name.
    - goto_c2: the values are of the types that the node takes.
  }];
  let arguments = (ins StrAttr:$node, Variadic<Agt_Value>:$values);
  let assemblyFormat = [{
    $node (`(` $values^ `)` `:` type($values))? attr-dict
  }];
  let hasVerifier = 1;
}

def Agt_StartOp : Agt_Op<"start", [Agt_Leaves, Terminator, HasParent<"AgentOp">]> {
  let summary = "the first node, and a bound for all visits";
  let description = [{
    Fails when a `goto` would make more than `max` visits.

    Example:

    ```mlir
    agt.start "plan" max 40
    ```

    **Constraints**
    - start_c1: the agent has a node of that name, which takes nothing.
  }];
  let arguments = (ins StrAttr:$node, I64Attr:$max);
  let assemblyFormat = "$node `max` $max attr-dict";
  let hasVerifier = 1;
}

#endif // AGT_AGENT_CONTROL_OPS_TD
