//===- AgtAgentValueOps.td - Values of agents -----------------------------===//

#ifndef AGT_AGENT_VALUE_OPS_TD
#define AGT_AGENT_VALUE_OPS_TD

def Agt_LiteralOp : Agt_Op<"literal", [Pure]> {
  let summary = "a string, a value of an enum, or a duration";
  let description = [{
    Bools, ints and floats are `arith.constant`s.

    Example:

    ```mlir
    %0 = agt.literal "text" as !agt.string
    %1 = agt.literal "low" as !agt.enum<"Severity">
    %2 = agt.literal 1000000000 : i64 as !agt.duration
    ```

    **Constraints**
    - literal_c1: a string for a string or an enum, an int for a duration.
  }];
  let arguments = (ins AnyAttr:$value);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = "$value attr-dict `as` type($result)";
  let hasVerifier = 1;
}

def Agt_NoneOp : Agt_Op<"none", [Pure]> {
  let summary = "the option that holds nothing";
  let description = [{
    Example:

    ```mlir
    %0 = agt.none : !agt.option<i64>
    ```

    **Constraints**
    - none_c1: the result is an option.
  }];
  let results = (outs Agt_Value:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Agt_ConvertOp : Agt_Op<"convert", [Agt_Fails]> {
  let summary = "a value where another type is declared";
  let description = [{
    An int becomes a float, a T a T?; a list that may be too long for its new
    type is measured, and fails.

    Example:

    ```mlir
    %0 = agt.convert %n : i64 -> !agt.option<f64>
    ```

    **Constraints**
    - convert_c1: the value fits: the same but for bounds, an int for a float, a T for a T?.
  }];
  let arguments = (ins Agt_Value:$value);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Agt_CalculateOp : Agt_Op<"calculate", [Agt_Fails]> {
  let summary = "checked arithmetic of 64-bit integers";
  let description = [{
    `add sub mul div rem`. Overflow and division by zero fail; `div` truncates,
    `rem` has the sign of the left operand. Floats take `arith` ops.

    Example:

    ```mlir
    %0 = agt.calculate "add" %a, %b : (i64, i64) -> i64
    ```

    **Constraints**
    - calculate_c1: the operation is one of the five.
    - calculate_c2: operands and result are ints or durations.
  }];
  let arguments = (ins StrAttr:$kind, Agt_Value:$left, Agt_Value:$right);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = "$kind $left `,` $right attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def Agt_CompareValuesOp : Agt_Op<"compare_values", [Pure,
    AllTypesMatch<["left", "right"]>]> {
  let summary = "a comparison of two values of one type";
  let description = [{
    `eq ne lt le gt ge`; equality is deep.

    Example:

    ```mlir
    %0 = agt.compare_values "lt" %a, %b : i64
    ```

    **Constraints**
    - compare_values_c1: the predicate is one of the six.
  }];
  let arguments = (ins StrAttr:$predicate, Agt_Value:$left, Agt_Value:$right);
  let results = (outs I1:$result);
  let assemblyFormat = "$predicate $left `,` $right attr-dict `:` type($left)";
  let hasVerifier = 1;
}

def Agt_AppendOp : Agt_Op<"append", [Pure]> {
  let summary = "two strings, or two lists, one behind the other";
  let description = [{
    Example:

    ```mlir
    %0 = agt.append %a, %b : (!agt.list<i64>, !agt.list<i64, 1>) -> !agt.list<i64>
    ```

    **Constraints**
    - append_c1: strings give a string, lists a list.
  }];
  let arguments = (ins Agt_Value:$left, Agt_Value:$right);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = [{
    $left `,` $right attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Agt_TextOp : Agt_Op<"text", [Pure]> {
  let summary = "an interpolated string";
  let description = [{
    The texts of the parts, one behind the other: strings as they are,
    everything else as canonical JSON.

    Example:

    ```mlir
    %0 = agt.text %a, %n : !agt.string, i64
    ```
  }];
  let arguments = (ins Variadic<Agt_Value>:$parts);
  let results = (outs Agt_TextValue:$result);
  let assemblyFormat = "$parts attr-dict `:` type($parts)";
}

def Agt_MakeOp : Agt_Op<"make", [Agt_Fails,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a list, a tuple or a record of its parts";
  let description = [{
    A field outside the bounds of its record fails.

    Example:

    ```mlir
    %0 = agt.make %a, %b : (i64, i64) -> !agt.list<i64>
    ```

    **Constraints**
    - make_c1: the elements of a list have its element type, those of a tuple its types.
    - make_c2: the parts of a record are as many as its fields, and of their types.
    - make_c3: the result is a list, a tuple or a record.
  }];
  let arguments = (ins Variadic<Agt_Value>:$parts);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = "$parts attr-dict `:` functional-type($parts, $result)";
}

def Agt_FieldOp : Agt_Op<"field", [Pure]> {
  let summary = "a field of a record or a tuple";
  let description = [{
    Example:

    ```mlir
    %0 = agt.field %finding[1] : !agt.record<"Finding"> -> f64
    ```

    **Constraints**
    - field_c1: the value is a record or a tuple.
  }];
  let arguments = (ins Agt_Value:$value, I64Attr:$index);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = [{
    $value `[` $index `]` attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_ElementOp : Agt_Op<"element", [Agt_Fails]> {
  let summary = "an element of a list";
  let description = [{
    An index outside the list fails.

    Example:

    ```mlir
    %0 = agt.element %list[%i] : !agt.list<i64> -> i64
    ```

    **Constraints**
    - element_c1: the result has the list's element type.
  }];
  let arguments = (ins Agt_ListValue:$list, I64:$index);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = [{
    $list `[` $index `]` attr-dict `:` type($list) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_IsNoneOp : Agt_Op<"is_none", [Pure]> {
  let summary = "whether an option holds nothing";
  let description = [{
    Example:

    ```mlir
    %0 = agt.is_none %o : !agt.option<i64>
    ```

    **Constraints**
    - is_none_c1: the operand is an option.
  }];
  let arguments = (ins Agt_Value:$value);
  let results = (outs I1:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Agt_UnwrapOp : Agt_Op<"unwrap", [Pure]> {
  let summary = "the value of an option that is known to hold one";
  let description = [{
    Stands where `agt.is_none` was false; a match guards it.

    Example:

    ```mlir
    %0 = agt.unwrap %o : !agt.option<i64> -> i64
    ```

    **Constraints**
    - unwrap_c1: the result is what the option holds.
  }];
  let arguments = (ins Agt_Value:$value);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Agt_OutcomeOp : Agt_Op<"outcome", [Agt_Fails]> {
  let summary = "a field of a branch's result";
  let description = [{
    `ok`, `value` (fails where the branch failed), `error` (empty where it did
    not) or `key`.

    Example:

    ```mlir
    %0 = agt.outcome "ok" %r : !agt.result<i64> -> i1
    ```

    **Constraints**
    - outcome_c1: the operand is a result.
    - outcome_c2: the field is one of the four, and has its type.
  }];
  let arguments = (ins StrAttr:$field, Agt_Value:$value);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = [{
    $field $value attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Agt_LibraryOp : Agt_Op<"library", [Agt_Fails]> {
  let summary = "a call of the language's library";
  let description = [{
    The pure functions, by name; some fail.

    Example:

    ```mlir
    %0 = agt.library "trim"(%s) : (!agt.string) -> !agt.string
    ```
  }];
  let arguments = (ins StrAttr:$function, Variadic<Agt_Value>:$operands);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = [{
    $function `(` $operands `)` attr-dict `:` functional-type($operands, $result)
  }];
}

def Agt_ParseOp : Agt_Op<"parse", [Agt_Fails]> {
  let summary = "JSON text as a value";
  let description = [{
    Text that is no value of the type fails.

    Example:

    ```mlir
    %0 = agt.parse %s : !agt.list<i64>
    ```
  }];
  let arguments = (ins Agt_TextValue:$text);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = "$text attr-dict `:` type($result)";
}

def Agt_CallFnOp : Agt_Op<"call_fn", [Agt_Fails,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a call of a fn";
  let description = [{
    Example:

    ```mlir
    %0 = agt.call_fn @small(%x) : (i64) -> i1
    ```

    **Constraints**
    - call_fn_c1: `callee` is the name of an `agt.fn`, called with its types.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Agt_Value>:$operands);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = [{
    $callee `(` $operands `)` attr-dict `:` functional-type($operands, $result)
  }];
}

def Agt_EnvironmentOp : Agt_Op<"environment", [
    MemoryEffects<[MemRead<Agt_World>, MemWrite<Agt_Control>]>]> {
  let summary = "`env` or `secret` in the fields of a tool";
  let description = [{
    Read when the tool is called, and recorded nowhere; one that is not set
    fails.

    Example:

    ```mlir
    %0 = agt.environment "secret"(%name)
    ```

    **Constraints**
    - environment_c1: it stands in a tool.
  }];
  let arguments = (ins StrAttr:$kind, Agt_TextValue:$name);
  let results = (outs Agt_TextValue:$result);
  let assemblyFormat = "$kind `(` $name `)` attr-dict";
  let hasVerifier = 1;
}

class Agt_Holds<string value> : TypesMatchWith<
  "'" # value # "' is of the type that the variable holds", "variable", value,
  "::mlir::cast<::agt::VariableType>($_self).getElement()">;

def Agt_VariableOp : Agt_Op<"variable", [Agt_Holds<"init">]> {
  let summary = "a `var`";
  let description = [{
    Example:

    ```mlir
    %0 = agt.variable %init : !agt.variable<i64>
    ```
  }];
  let arguments = (ins Agt_Value:$init);
  let results = (outs Res<Agt_VariableValue, "", [MemAlloc, MemWrite]>:$variable);
  let assemblyFormat = "$init attr-dict `:` type($variable)";
}

def Agt_LoadOp : Agt_Op<"load", [Agt_Holds<"result">]> {
  let summary = "what a `var` holds now";
  let description = [{
    Example:

    ```mlir
    %1 = agt.load %0 : !agt.variable<i64>
    ```
  }];
  let arguments = (ins Arg<Agt_VariableValue, "", [MemRead]>:$variable);
  let results = (outs Agt_Value:$result);
  let assemblyFormat = "$variable attr-dict `:` type($variable)";
}

def Agt_AssignOp : Agt_Op<"assign", [Agt_Holds<"value">]> {
  let summary = "a new value for a `var`";
  let description = [{
    Example:

    ```mlir
    agt.assign %1 to %0 : !agt.variable<i64>
    ```

    **Constraints**
    - assign_c1: no fork stands between the variable and the assignment.
  }];
  let arguments = (ins Agt_Value:$value,
    Arg<Agt_VariableValue, "", [MemWrite]>:$variable);
  let assemblyFormat = "$value `to` $variable attr-dict `:` type($variable)";
  let hasVerifier = 1;
}

#endif // AGT_AGENT_VALUE_OPS_TD
