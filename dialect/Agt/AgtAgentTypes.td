//===- AgtAgentTypes.td - Types of values in agents -----------------------===//
//
// `bool` is i1, `int` is i64, `float` is f64, a tuple is the builtin tuple.
// All other values are immutable and the runtime's.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_AGENT_TYPES_TD
#define AGT_AGENT_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialect/Agt/AgtDialect.td"

class Agt_ValueType<string name, string typeMnemonic, string what>
    : TypeDef<Agt_Dialect, name> {
  let mnemonic = typeMnemonic;
  let summary = what;
}

class Agt_ElementType<string name, string typeMnemonic, string what>
    : Agt_ValueType<name, typeMnemonic, what> {
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

class Agt_NamedType<string name, string typeMnemonic, string what>
    : Agt_ValueType<name, typeMnemonic, what> {
  let parameters = (ins StringRefParameter<"the declared name">:$name);
  let assemblyFormat = "`<` $name `>`";
}

def Agt_StringType : Agt_ValueType<"String", "string", "UTF-8 text">;
def Agt_BytesType : Agt_ValueType<"Bytes", "bytes", "bytes">;
def Agt_DurationType : Agt_ValueType<"Duration", "duration",
  "a time span in nanoseconds">;
def Agt_ContextType : Agt_ValueType<"Context", "context",
  "a text that a model has read">;
def Agt_OptionType : Agt_ElementType<"Option", "option",
  "`none` or a value">;
def Agt_HandleType : Agt_ElementType<"Handle", "handle",
  "a reference to a stored value">;
def Agt_ResultType : Agt_ElementType<"Result", "result",
  "what a branch gave, or its failure">;
def Agt_ListType : Agt_ValueType<"List", "list", "a list, maybe bounded"> {
  let parameters = (ins "::mlir::Type":$element,
                    DefaultValuedParameter<"int64_t", "-1">:$max);
  let assemblyFormat = "`<` $element (`,` $max^)? `>`";
}
def Agt_RecordType : Agt_NamedType<"Record", "record",
  "a record: declared by `agt.record_type`, or `Output`, `Message`, `failure`">;
def Agt_EnumType : Agt_NamedType<"Enum", "enum",
  "a value of an `agt.enum_type`">;
def Agt_VariableType : Agt_ElementType<"Variable", "variable",
  "the place that a `var` names">;

def Agt_Value : Type<CPred<"::agt::isAgentValue($_self)">,
  "a value of agents">;
def Agt_TextValue : Type<CPred<"::mlir::isa<::agt::StringType>($_self)">,
  "a string">, BuildableType<"::agt::StringType::get($_builder.getContext())">;
def Agt_DurationValue : Type<CPred<"::mlir::isa<::agt::DurationType>($_self)">,
  "a duration">, BuildableType<"::agt::DurationType::get($_builder.getContext())">;
def Agt_ContextValue : Type<CPred<"::mlir::isa<::agt::ContextType>($_self)">,
  "a context">, BuildableType<"::agt::ContextType::get($_builder.getContext())">;
def Agt_ListValue : Type<CPred<"::mlir::isa<::agt::ListType>($_self)">,
  "a list">;
def Agt_VariableValue : Type<CPred<"::mlir::isa<::agt::VariableType>($_self)">,
  "a variable">;

// What steps and failures touch; see Effects.h.
def Agt_StepLog : Resource<"::agt::StepLog">;
def Agt_World : Resource<"::agt::World">;
def Agt_Control : Resource<"::agt::Control">;

// May fail: neither dropped nor merged, because the failure would be.
defvar Agt_Fails = MemoryEffects<[MemWrite<Agt_Control>]>;
// Leaves the regions around it.
defvar Agt_Leaves = MemoryEffects<[MemWrite<Agt_Control>]>;
// Writes the log and touches the world.
defvar Agt_Effects = MemoryEffects<[MemRead<Agt_StepLog>, MemWrite<Agt_StepLog>,
  MemWrite<Agt_World>, MemWrite<Agt_Control>]>;
// Writes the log and reads the world.
defvar Agt_Observes = MemoryEffects<[MemRead<Agt_StepLog>, MemWrite<Agt_StepLog>,
  MemRead<Agt_World>, MemWrite<Agt_Control>]>;

#endif // AGT_AGENT_TYPES_TD
