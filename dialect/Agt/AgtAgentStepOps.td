//===- AgtAgentStepOps.td - Steps -----------------------------------------===//
//
// Each step shows its segment (`step "issue"`: the last part of its path) and
// the hash of its meaning (docs/Agents.md). `was` is an older name of it,
// `on_change` what to do when the log has another hash.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_AGENT_STEP_OPS_TD
#define AGT_AGENT_STEP_OPS_TD

class Agt_StepOp<string mnemonic, list<Trait> traits>
    : Agt_Op<mnemonic, traits> {
  dag step = (ins StrAttr:$segment, StrAttr:$hash, OptionalAttr<StrAttr>:$was,
    OptionalAttr<StrAttr>:$on_change);
}

def Agt_CallToolOp : Agt_StepOp<"call_tool", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a call of a tool";
  let description = [{
    A `pure` tool reads the world, any other writes it.

    Example:

    ```mlir
    %0 = agt.call_tool @find(%key) step "found" hash "5e0c"
      : (!agt.string) -> !agt.option<!agt.string>
    ```

    **Constraints**
    - call_tool_c1: `callee` is the name of an `agt.tool`, called with its types.
  }];
  let arguments = !con((ins FlatSymbolRefAttr:$callee,
    Variadic<Agt_Value>:$operands), step);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = [{
    $callee `(` $operands `)` `step` $segment `hash` $hash attr-dict
    `:` functional-type($operands, $result)
  }];
}

def Agt_CallAgentOp : Agt_StepOp<"call_agent", [Agt_Effects,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "an agent as a child";
  let description = [{
    Example:

    ```mlir
    %0 = agt.call_agent @solve(%task) step "checked" hash "77aa"
      : (!agt.string) -> !agt.string
    ```

    **Constraints**
    - call_agent_c1: `callee` is the name of an `agt.agent`, called with its types.
  }];
  let arguments = !con((ins FlatSymbolRefAttr:$callee,
    Variadic<Agt_Value>:$operands), step);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = [{
    $callee `(` $operands `)` `step` $segment `hash` $hash attr-dict
    `:` functional-type($operands, $result)
  }];
}

def Agt_AskOp : Agt_StepOp<"ask", [Agt_Effects, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a question to a model";
  let description = [{
    The answer is valid under the result's type. With `tools` the model may
    call those, at most `max` times.

    Example:

    ```mlir
    %0 = agt.ask @planner user(%text) tools [@find] max(%n)
      step "outline" hash "c0de" -> !agt.record<"Outline">
    ```

    **Constraints**
    - ask_c1: the model is the name of an `agt.llm`.
    - ask_c2: the tools are names of `agt.tool`s.
  }];
  let arguments = !con((ins FlatSymbolRefAttr:$llm,
    Optional<Agt_ContextValue>:$prefix, Optional<Agt_TextValue>:$system,
    Optional<Agt_TextValue>:$user,
    Optional<Agt_ListValue>:$messages, Optional<I64>:$max,
    Optional<F64>:$temperature, Optional<I64>:$tokens, Optional<I64>:$seed,
    Optional<Agt_ListValue>:$stop, OptionalAttr<FlatSymbolRefArrayAttr>:$tools),
    step);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = [{
    $llm (`with` `(` $prefix^ `)`)?
    (`system` `(` $system^ `)`)?
    (`user` `(` $user^ `)`)?
    (`messages` `(` $messages^ `:` type($messages) `)`)?
    (`tools` $tools^)? (`max` `(` $max^ `)`)?
    (`temperature` `(` $temperature^ `)`)?
    (`tokens` `(` $tokens^ `)`)?
    (`seed` `(` $seed^ `)`)?
    (`stop` `(` $stop^ `:` type($stop) `)`)?
    `step` $segment `hash` $hash attr-dict `->` type($result)
  }];
}

def Agt_PrefixOp : Agt_StepOp<"prefix", [Agt_Observes,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a text that a model reads once, for many questions";
  let description = [{
    The result is what `agt.ask ... with` begins from.

    Example:

    ```mlir
    %0 = agt.prefix @tiny reads %text step "ctx" hash "5f"
    ```

    **Constraints**
    - prefix_c1: the model is the name of an `agt.llm`.
  }];
  let arguments = !con((ins FlatSymbolRefAttr:$llm, Agt_TextValue:$text), step);
  let results = (outs Agt_ContextValue:$result);
  let assemblyFormat = [{
    $llm `reads` $text `step` $segment `hash` $hash attr-dict
  }];
}

def Agt_ApproveOp : Agt_StepOp<"approve", [Agt_Effects]> {
  let summary = "a question to a person";
  let description = [{
    False or true as the person says; `otherwise` when the time is over.

    Example:

    ```mlir
    %0 = agt.approve %text by %role within %d else false step "approve" hash "a0"
    ```
  }];
  let arguments = !con((ins Agt_TextValue:$text, Agt_TextValue:$role,
    Agt_DurationValue:$within, BoolAttr:$otherwise), step);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $text `by` $role `within` $within `else` $otherwise
    `step` $segment `hash` $hash attr-dict
  }];
}

def Agt_SleepOp : Agt_StepOp<"sleep", [Agt_Effects]> {
  let summary = "a wait";
  let description = [{
    Example:

    ```mlir
    agt.sleep %d step "sleep" hash "51"
    ```
  }];
  let arguments = !con((ins Agt_DurationValue:$duration), step);
  let assemblyFormat = [{
    $duration `step` $segment `hash` $hash attr-dict
  }];
}

def Agt_EmitOp : Agt_StepOp<"emit", [Agt_Effects]> {
  let summary = "a text for whoever watches";
  let description = [{
    Example:

    ```mlir
    agt.emit %text step "emit" hash "e0"
    ```
  }];
  let arguments = !con((ins Agt_TextValue:$text), step);
  let assemblyFormat = [{
    $text `step` $segment `hash` $hash attr-dict
  }];
}

def Agt_ReceiveOp : Agt_StepOp<"receive", [Agt_Effects]> {
  let summary = "a signal from outside";
  let description = [{
    `none` when the time is over.

    Example:

    ```mlir
    %0 = agt.receive "hint" within %d step "receive.hint" hash "f0"
      : !agt.option<!agt.string>
    ```

    **Constraints**
    - receive_c1: the result is an option.
  }];
  let arguments = !con((ins StrAttr:$name, Agt_DurationValue:$within), step);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = [{
    $name `within` $within `step` $segment `hash` $hash attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_ObserveOp : Agt_StepOp<"observe", [Agt_Observes]> {
  let summary = "what control code may read of the world";
  let description = [{
    `now random uuid env read_file open`, recorded.

    Example:

    ```mlir
    %0 = agt.observe "env"(%name) step "env" hash "0e"
      : (!agt.string) -> !agt.option<!agt.string>
    ```

    **Constraints**
    - observe_c1: the function is one of the six.
    - observe_c2: `now`, `random` and `uuid` take nothing, the others one value.
  }];
  let arguments = !con((ins StrAttr:$function, Variadic<Agt_Value>:$operands),
    step);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = [{
    $function `(` $operands `)` `step` $segment `hash` $hash attr-dict
    `:` functional-type($operands, $result)
  }];
  let hasVerifier = 1;
}

def Agt_ForkOp : Agt_StepOp<"fork", [Agt_Effects, AttrSizedOperandSegments]> {
  let summary = "branches that run at the same time";
  let description = [{
    A branch for every item; it ends in `agt.give`. `keys` gives the key of an
    item; without it the keys are the indices. Steps of the branch with key k
    have paths below `SEGMENT[k]`. Results come in the order of the items.

    Example:

    ```mlir
    %0 = agt.fork "collect" least(%n) over %items width(%w) max(%n) step "found"
        hash "f0" : !agt.list<!agt.string, 8> -> !agt.list<!agt.result<i64>, 8> keys {
    ^bb0(%item: !agt.string):
      agt.result %item : !agt.string
    } branch {
    ^bb0(%item: !agt.string, %index: i64):
      agt.give %n : i64
    }
    ```

    **Constraints**
    - fork_c1: the policy is `all`, `collect`, `quorum` or `first`; the middle two take a number.
    - fork_c2: the branch takes an item and its index.
    - fork_c3: `all` gives a list, `collect` and `quorum` a list of results.
  }];
  let arguments = !con((ins StrAttr:$policy, Optional<I64>:$least,
    Agt_ListValue:$items, Optional<I64>:$width, Optional<I64>:$max,
    Optional<Agt_DurationValue>:$deadline), step);
  let results = (outs Agt_Value:$result);
  let regions = (region AnyRegion:$keys, SizedRegion<1>:$branch);
  let assemblyFormat = [{
    $policy (`least` `(` $least^ `)`)? `over` $items (`width` `(` $width^ `)`)?
    (`max` `(` $max^ `)`)? (`deadline` `(` $deadline^ `)`)?
    `step` $segment `hash` $hash
    `:` type($items) `->` type($result) (`keys` $keys^)? `branch` $branch
    attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What a branch yields.
    mlir::Type getYieldedType();
  }];
}

def Agt_GiveOp : Agt_Op<"give", [Agt_Leaves, Terminator]> {
  let summary = "the value of a branch";
  let description = [{
    Example:

    ```mlir
    agt.give %0 : i64
    ```

    **Constraints**
    - give_c1: it stands in a fork, and the value is of the type that branches yield.
  }];
  let arguments = (ins Agt_Value:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Agt_JoinOp : Agt_StepOp<"join", [Agt_Effects]> {
  let summary = "what a fork gave, sifted and reduced";
  let description = [{
    `ops` in order: `{op = "flatten"}`, `{op = "dedupe", field = 0}`, `{op =
    "rank", field = 1, desc}`, `{op = "take"}`, `{op = "evidence"}`, `{op =
    "reduce", with = @reducer}`, `{op = "budget"}`. The operands are the numbers
    of `take`, `reduce` and `budget`, in order. Failures are dropped first.

    Example:

    ```mlir
    %0 = agt.join %list [{op = "flatten"}, {op = "take"} ](%n) step "top"
      hash "70" : !agt.list<!agt.list<i64>> -> !agt.list<i64>
    ```

    **Constraints**
    - join_c1: every op is one of the seven.
    - join_c2: there is a number for each op that takes one.
  }];
  let arguments = !con((ins Agt_ListValue:$list, DictArrayAttr:$ops,
    Variadic<I64>:$numbers), step);
  let results = (outs Agt_ListValue:$result);
  let assemblyFormat = [{
    $list $ops (`(` $numbers^ `)`)? `step` $segment `hash` $hash attr-dict
    `:` type($list) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_RerankOp : Agt_StepOp<"rerank", [Agt_Effects,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "texts in the order in which they answer a query";
  let description = [{
    A model is asked for the numbers of the texts, best first; a tool takes the
    texts and the query, and gives the texts in order. The first `take` of them
    are the result.

    Example:

    ```mlir
    %0 = agt.rerank %texts by %query with @planner take %n step "best" hash "71"
      : !agt.list<!agt.string> -> !agt.list<!agt.string, 5>
    ```

    **Constraints**
    - rerank_c1: `with` is the name of an `agt.llm` or an `agt.tool`.
  }];
  let arguments = !con((ins Agt_ListValue:$texts, Agt_TextValue:$query,
    FlatSymbolRefAttr:$with, I64:$take), step);
  let results = (outs Agt_ListValue:$result);
  let assemblyFormat = [{
    $texts `by` $query `with` $with `take` $take `step` $segment `hash` $hash
    attr-dict `:` type($texts) `->` type($result)
  }];
}

#endif // AGT_AGENT_STEP_OPS_TD
