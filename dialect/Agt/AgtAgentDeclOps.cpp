//===- AgtAgentDeclOps.cpp - Records, enums, models, tools, agents --------===//

#include "dialect/Agt/Agt.h"

#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace agt;

/// The first name that is there twice, or empty.
static StringRef repeated(ArrayAttr names) {
  llvm::StringSet<> seen;
  for (StringAttr name : names.getAsRange<StringAttr>())
    if (!seen.insert(name.getValue()).second)
      return name.getValue();
  return {};
}

LogicalResult RecordTypeOp::verify() {
  // record_type_c1
  if (getFields().size() != getTypes().size())
    return emitOpError("expected a type for each of ")
           << getFields().size() << " fields, got " << getTypes().size();
  // record_type_c2
  if (StringRef name = repeated(getFields()); !name.empty())
    return emitOpError("has field '") << name << "' twice";
  return success();
}

LogicalResult EnumTypeOp::verify() {
  // enum_type_c1
  if (StringRef name = repeated(getValues()); !name.empty())
    return emitOpError("has value '") << name << "' twice";
  return success();
}

LogicalResult LlmOp::verify() {
  // llm_c1
  static const StringRef kinds[] = {"openai", "mock", "graph"};
  if (!llvm::is_contained(kinds, getKind()))
    return emitOpError("expected the kind 'openai', 'mock' or 'graph', got '")
           << getKind() << "'";
  return success();
}

LogicalResult ToolOp::verify() {
  // tool_c1
  if (getKind() != "exec" && getKind() != "http" && getKind() != "mcp")
    return emitOpError("expected the kind 'exec', 'http' or 'mcp', got '")
           << getKind() << "'";
  // tool_c2
  SmallVector<Type> types(getFunctionType().getInputs());
  types.push_back(StringType::get(getContext()));
  if (!llvm::equal(getRequest().getArgumentTypes(), types))
    return emitOpError("expected a request of (")
           << types << "), got (" << getRequest().getArgumentTypes() << ")";
  // tool_c3
  if ((getEffect() == "reconcile") == getReconcile().empty())
    return emitOpError("expected a region 'reconcile' exactly when the effect "
                       "is 'reconcile', which is '")
           << getEffect() << "'";
  // tool_c4
  if (getParams().size() != getFunctionType().getNumInputs())
    return emitOpError("expected ")
           << getFunctionType().getNumInputs() << " names of parameters, got "
           << getParams().size();
  return success();
}

//===----------------------------------------------------------------------===//
// agt.fn, agt.agent
//===----------------------------------------------------------------------===//

template <typename Function>
static ParseResult parseFunction(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      Function::getFunctionTypeAttrName(result.name), buildType,
      Function::getArgAttrsAttrName(result.name),
      Function::getResAttrsAttrName(result.name));
}

template <typename Function>
static void printFunction(Function op, OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, op, /*isVariadic=*/false, op.getFunctionTypeAttrName(),
      op.getArgAttrsAttrName(), op.getResAttrsAttrName());
}

static bool hasValueTypes(FunctionType type) {
  return type.getNumResults() == 1 && isAgentValue(type.getResult(0)) &&
         llvm::all_of(type.getInputs(), isAgentValue);
}

ParseResult FnOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction<FnOp>(parser, result);
}
void FnOp::print(OpAsmPrinter &printer) { printFunction(*this, printer); }

LogicalResult FnOp::verify() {
  // fn_c1
  if (!hasValueTypes(getFunctionType()))
    return emitOpError("expected values of agents and one result, got ")
           << getFunctionType();
  // fn_c2
  WalkResult found = walk([&](Operation *op) {
    if (!op->hasAttr("segment"))
      return WalkResult::advance();
    op->emitOpError("expected an agent around it, got fn '")
        << getSymName() << "'";
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}

ParseResult AgentOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction<AgentOp>(parser, result);
}
void AgentOp::print(OpAsmPrinter &printer) { printFunction(*this, printer); }

LogicalResult AgentOp::verify() {
  // agent_c1
  if (!hasValueTypes(getFunctionType()))
    return emitOpError("expected values of agents and one result, got ")
           << getFunctionType();
  // agent_c2
  llvm::StringSet<> seen;
  for (NodeOp node : getBody().getOps<NodeOp>())
    if (!seen.insert(node.getName()).second)
      return node.emitOpError("is the second node '") << node.getName() << "'";
  return success();
}
