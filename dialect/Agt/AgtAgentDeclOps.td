//===- AgtAgentDeclOps.td - Records, enums, models, tools, agents ---------===//

#ifndef AGT_AGENT_DECL_OPS_TD
#define AGT_AGENT_DECL_OPS_TD

def Agt_RecordTypeOp : Agt_Op<"record_type", [Symbol]> {
  let summary = "a `record` declaration";
  let description = [{
    Fields by name and type, in the author's order. `settings` holds bounds and
    doc comments by field.

    Example:

    ```mlir
    agt.record_type @Finding ["claim", "score"] : [!agt.string, f64]
      {settings = {score = {max = 1.000000e+00 : f64, min = 0.000000e+00 : f64}}}
    ```

    **Constraints**
    - record_type_c1: there are as many types as names.
    - record_type_c2: no name is there twice.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$fields,
    TypeArrayAttr:$types, OptionalAttr<StrAttr>:$doc,
    OptionalAttr<DictionaryAttr>:$settings);
  let assemblyFormat = "$sym_name $fields `:` $types attr-dict";
  let hasVerifier = 1;
}

def Agt_EnumTypeOp : Agt_Op<"enum_type", [Symbol]> {
  let summary = "an `enum` declaration";
  let description = [{
    Example:

    ```mlir
    agt.enum_type @Severity ["low", "medium", "high"]
    ```

    **Constraints**
    - enum_type_c1: no value is there twice.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$values,
    OptionalAttr<StrAttr>:$doc);
  let assemblyFormat = "$sym_name $values attr-dict";
  let hasVerifier = 1;
}

def Agt_LlmOp : Agt_Op<"llm", [Symbol]> {
  let summary = "a model that answers";
  let description = [{
    `settings` is what the runtime is told, as docs/Agents.md has it: texts are
    strings, `{env = "NAME"}`, `{secret = "NAME"}` or `{parts = [...]}`. One of
    the kind `graph` is a graph of the program with a tokenizer, as docs/Models.md
    has it.

    Example:

    ```mlir
    agt.llm @script "mock" {settings = {file = "/replies.json"}}
    ```

    **Constraints**
    - llm_c1: the kind is `openai`, `mock` or `graph`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$kind,
    OptionalAttr<DictionaryAttr>:$settings);
  let assemblyFormat = "$sym_name $kind attr-dict";
  let hasVerifier = 1;
}

def Agt_ToolOp : Agt_Op<"tool", [Symbol, IsolatedFromAbove]> {
  let summary = "a tool: an action with an effect class";
  let description = [{
    `request` computes what depends on the call, from the parameters and the
    token behind them: of `exec` the argv and stdin, of `http` the URL, the body
    and the headers, a list of tuples; `none` for what is not there. A tool of
    an MCP server, `mcp`, is sent its arguments and computes nothing; its
    settings say how the server is reached. `reconcile` computes the arguments of the tool that finds the effect.

    Example:

    ```mlir
    agt.tool @find "exec" "pure" : (!agt.string) -> !agt.option<!agt.string>
        params ["key"] request {
    ^bb0(%key: !agt.string, %token: !agt.string):
      %0 = agt.literal "find" as !agt.string
      %1 = agt.make %0, %key : (!agt.string, !agt.string) -> !agt.list<!agt.string>
      %2 = agt.none : !agt.option<!agt.string>
      agt.result %1, %2 : !agt.list<!agt.string>, !agt.option<!agt.string>
    }
    ```

    **Constraints**
    - tool_c1: the kind is `exec`, `http` or `mcp`.
    - tool_c2: `request` takes the parameters and the token.
    - tool_c3: there is a `reconcile` region exactly when the effect is `reconcile`.
    - tool_c4: there is a name for every parameter.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type, StrAttr:$kind, StrAttr:$effect,
    StrArrayAttr:$params, OptionalAttr<StrAttr>:$doc,
    OptionalAttr<DictionaryAttr>:$settings);
  let regions = (region SizedRegion<1>:$request, AnyRegion:$reconcile);
  let assemblyFormat = [{
    $sym_name $kind $effect `:` $function_type `params` $params
    attr-dict-with-keyword `request` $request (`reconcile` $reconcile^)?
  }];
  let hasVerifier = 1;
}

class Agt_FunctionOp<string mnemonic> : Agt_Op<mnemonic, [
    FunctionOpInterface, IsolatedFromAbove, OpAsmOpInterface]> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::ArrayRef<mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    mlir::ArrayRef<mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Agt_FnOp : Agt_FunctionOp<"fn"> {
  let summary = "a function without steps";
  let description = [{
    Example:

    ```mlir
    agt.fn @small(%x: i64) -> i1 {
      %0 = arith.constant 10 : i64
      %1 = agt.compare_values "lt" %x, %0 : i64
      agt.finish %1 : i1
    }
    ```

    **Constraints**
    - fn_c1: arguments and the one result are values of agents.
    - fn_c2: nothing in it is a step.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<StrAttr>:$doc, OptionalAttr<StrAttr>:$sym_visibility);
}

def Agt_AgentOp : Agt_FunctionOp<"agent"> {
  let summary = "a durable agent";
  let description = [{
    The body is replayed: only its steps touch the world. Names of parameters
    stand in `agt.name`. `settings` is what the runtime is told: the budget and
    the number of attempts.

    Example:

    ```mlir
    agt.agent @greet(%name: !agt.string {agt.name = "name"}) -> !agt.string
        attributes {settings = {budget = {steps = 5 : i64}}} {
      agt.emit %name step "emit" hash "5e0c"
      agt.finish %name : !agt.string
    }
    ```

    **Constraints**
    - agent_c1: arguments and the one result are values of agents.
    - agent_c2: no two nodes have one name.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<StrAttr>:$doc, OptionalAttr<DictionaryAttr>:$settings,
    OptionalAttr<StrAttr>:$sym_visibility);
}

def Agt_TestOp : Agt_Op<"test", [IsolatedFromAbove]> {
  let summary = "a `test` block";
  let description = [{
    Example:

    ```mlir
    agt.test "a word is a word" {
      %0 = arith.constant true
      agt.expect %0 "true"
      agt.result
    }
    ```
  }];
  let arguments = (ins StrAttr:$title);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$title $body attr-dict";
}

#endif // AGT_AGENT_DECL_OPS_TD
