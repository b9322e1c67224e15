//===- AgtAgentStepOps.cpp - Steps ----------------------------------------===//

#include "dialect/Agt/Agt.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace agt;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Compares a call with what it calls.
static LogicalResult calls(Operation *op, FunctionType callee) {
  auto type = FunctionType::get(op->getContext(), op->getOperandTypes(),
                                op->getResultTypes());
  if (type == callee)
    return success();
  return op->emitOpError("expected the types ") << callee << ", got " << type;
}

LogicalResult CallToolOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // call_tool_c1
  auto tool = symbols.lookupNearestSymbolFrom<ToolOp>(*this, getCalleeAttr());
  if (!tool)
    return emitOpError("expected the name of a tool, got '")
           << getCallee() << "'";
  return calls(*this, tool.getFunctionType());
}

void CallToolOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  auto tool =
      SymbolTable::lookupNearestSymbolFrom<ToolOp>(*this, getCalleeAttr());
  effects.emplace_back(MemoryEffects::Read::get(), StepLog::get());
  effects.emplace_back(MemoryEffects::Write::get(), StepLog::get());
  effects.emplace_back(MemoryEffects::Write::get(), Control::get());
  if (tool && tool.getEffect() == "pure")
    effects.emplace_back(MemoryEffects::Read::get(), World::get());
  else
    effects.emplace_back(MemoryEffects::Write::get(), World::get());
}

LogicalResult CallAgentOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // call_agent_c1
  auto agent = symbols.lookupNearestSymbolFrom<AgentOp>(*this, getCalleeAttr());
  if (!agent)
    return emitOpError("expected the name of an agent, got '")
           << getCallee() << "'";
  return calls(*this, agent.getFunctionType());
}

LogicalResult AskOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // ask_c1
  if (!symbols.lookupNearestSymbolFrom<LlmOp>(*this, getLlmAttr()))
    return emitOpError("expected the name of an llm, got '") << getLlm() << "'";
  // ask_c2
  if (!getTools())
    return success();
  for (auto tool : getTools()->getAsRange<FlatSymbolRefAttr>())
    if (!symbols.lookupNearestSymbolFrom<ToolOp>(*this, tool))
      return emitOpError("expected the name of a tool, got '")
             << tool.getValue() << "'";
  return success();
}

LogicalResult PrefixOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // prefix_c1
  if (!symbols.lookupNearestSymbolFrom<LlmOp>(*this, getLlmAttr()))
    return emitOpError("expected the name of an llm, got '") << getLlm() << "'";
  return success();
}

LogicalResult RerankOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // rerank_c1
  if (symbols.lookupNearestSymbolFrom<LlmOp>(*this, getWithAttr()) ||
      symbols.lookupNearestSymbolFrom<ToolOp>(*this, getWithAttr()))
    return success();
  return emitOpError("expected the name of an llm or a tool, got '")
         << getWith() << "'";
}

//===----------------------------------------------------------------------===//
// Waiting and observing
//===----------------------------------------------------------------------===//

LogicalResult ReceiveOp::verify() {
  // receive_c1
  if (!isa<OptionType>(getType()))
    return emitOpError("expected an option, got ") << getType();
  return success();
}

LogicalResult ObserveOp::verify() {
  StringRef function = getFunction();
  bool alone = llvm::is_contained({"now", "random", "uuid"}, function);
  // observe_c1
  if (!alone && !llvm::is_contained({"env", "read_file", "open"}, function))
    return emitOpError(
               "expected now, random, uuid, env, read_file or open, got '")
           << function << "'";
  // observe_c2
  size_t expected = alone ? 0 : 1;
  if (getOperands().size() != expected)
    return emitOpError("expected ") << expected << " values for '" << function
                                    << "', got " << getOperands().size();
  return success();
}

//===----------------------------------------------------------------------===//
// Forks and joins
//===----------------------------------------------------------------------===//

Type ForkOp::getYieldedType() {
  if (getPolicy() == "first")
    return getType();
  Type element = cast<ListType>(getType()).getElement();
  if (getPolicy() == "all")
    return element;
  return cast<ResultType>(element).getElement();
}

LogicalResult ForkOp::verify() {
  // fork_c1
  StringRef policy = getPolicy();
  bool counts = policy == "collect" || policy == "quorum";
  if (!counts && policy != "all" && policy != "first")
    return emitOpError("expected all, collect, quorum or first, got '")
           << policy << "'";
  if (counts != bool(getLeast()))
    return emitOpError("expected a number exactly for collect and quorum");
  // fork_c2
  Type item = cast<ListType>(getItems().getType()).getElement();
  SmallVector<Type> types = {item, IntegerType::get(getContext(), 64)};
  if (!llvm::equal(getBranch().getArgumentTypes(), types))
    return emitOpError("expected a branch of (")
           << types << "), got (" << getBranch().getArgumentTypes() << ")";
  // fork_c3
  if (policy == "first")
    return success();
  auto list = dyn_cast<ListType>(getType());
  if (!list || (counts && !isa<ResultType>(list.getElement())))
    return emitOpError("expected a list")
           << (counts ? " of results" : "") << ", got " << getType();
  return success();
}

LogicalResult GiveOp::verify() {
  // give_c1
  auto fork = (*this)->getParentOfType<ForkOp>();
  if (!fork)
    return emitOpError("expected a fork around it");
  if (fork.getYieldedType() != getValue().getType())
    return emitOpError("expected a branch to yield ")
           << fork.getYieldedType() << ", got " << getValue().getType();
  return success();
}

LogicalResult JoinOp::verify() {
  size_t numbers = 0;
  for (auto op : getOps().getAsRange<DictionaryAttr>()) {
    auto name = op.getAs<StringAttr>("op");
    StringRef kind = name ? name.getValue() : "";
    // join_c1
    if (!llvm::is_contained({"flatten", "dedupe", "rank", "take", "evidence",
                             "reduce", "budget"},
                            kind))
      return emitOpError("expected flatten, dedupe, rank, take, evidence, "
                         "reduce or budget, got '")
             << kind << "'";
    numbers += kind == "take" || kind == "reduce" || kind == "budget";
  }
  // join_c2
  if (numbers != getNumbers().size())
    return emitOpError("expected ")
           << numbers << " numbers, got " << getNumbers().size();
  return success();
}
