//===- StepEmitter.cpp - Steps --------------------------------------------===//
//
// A step is one call. Its arguments are laid out as the structs of agt/agent.h
// in the function's frame; the offsets below are checked against the header.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/GraphLowering.h"
#include "codegen/host/agents/AgentEmitter.h"
#include "runtime/include/agt/agent.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"

#include <cstddef>

using namespace mlir;
using namespace agt;
using namespace agt::host;

static_assert(sizeof(agt_ask) == 96 && offsetof(agt_ask, type) == 4 &&
              offsetof(agt_ask, context) == 8 && offsetof(agt_ask, stop) == 72);
static_assert(sizeof(agt_fork) == 72 && offsetof(agt_fork, keys) == 24 &&
              offsetof(agt_fork, n) == 56 && offsetof(agt_fork, type) == 68);
static_assert(sizeof(agt_join_op) == 32 && offsetof(agt_join_op, n) == 8 &&
              offsetof(agt_join_op, index) == 20 &&
              offsetof(agt_join_op, function) == 24);

//===----------------------------------------------------------------------===//
// ask
//===----------------------------------------------------------------------===//

Value AgentEmitter::ask(AskOp op) {
  Value room = host.frame(sizeof(agt_ask));
  auto optional = [&](Value irValue) {
    return irValue ? boxed(irValue) : host.null();
  };
  host.store(host.i32(module.llmIndex(op.getLlm())), room, 0);
  host.store(host.i32(module.typeIndex(op.getType())), room, 4);
  Value parts[] = {op.getPrefix(),   op.getSystem(), op.getUser(),
                   op.getMessages(), op.getMax(),    op.getTemperature(),
                   op.getTokens(),   op.getSeed(),   op.getStop()};
  for (auto [i, part] : llvm::enumerate(parts))
    host.store(optional(part), room, offsetof(agt_ask, context) + 8 * i);
  Value tools = host.null();
  size_t count = op.getTools() ? op.getTools()->size() : 0;
  if (count > 0) {
    tools = host.frame(4 * count);
    for (auto [i, tool] :
         llvm::enumerate(op.getTools()->getAsRange<FlatSymbolRefAttr>()))
      host.store(host.i32(module.toolIndex(tool.getValue())), tools, 4 * i);
  }
  host.store(tools, room, offsetof(agt_ask, tools));
  host.store(host.i64(count), room, offsetof(agt_ask, n_tools));
  return callForValue("agt_step_ask", {scope, site(op), room}, op.getType());
}

//===----------------------------------------------------------------------===//
// fork
//===----------------------------------------------------------------------===//

Value AgentEmitter::fork(ForkOp op) {
  Location loc = host.location();
  Value items = values.lookup(op.getItems());
  Value keys = host.null();
  if (!op.getKeys().empty()) {
    Block &body = op.getKeys().front();
    Value builder = call("agt_list_begin", scope);
    Value length = call("agt_value_length", items);
    Type given = body.getTerminator()->getOperand(0).getType();
    loopOver(length, op.getSegment(), [&](Value index) {
      values[body.getArgument(0)] = unbox(call("agt_value_at", {items, index}),
                                          body.getArgument(0).getType());
      std::optional<Values> key = emit(body);
      call("agt_list_add", {builder, box(key->front(), given)});
    });
    keys = call("agt_list_end", builder);
  }

  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(op.getBranch(), used);
  llvm::SmallVector<Value> captures(used.begin(), used.end());
  Value room = captures.empty() ? host.null() : host.frame(8 * captures.size());
  for (auto [i, capture] : llvm::enumerate(captures)) {
    Value value = values.lookup(capture);
    if (value.getType().isInteger(1))
      value = arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
    host.store(value, room, 8 * i);
  }

  std::string name = module.branchName(function.getSymName());
  Type ptr = host.ptr();
  auto type = FunctionType::get(
      b.getContext(), {ptr, ptr, ptr, b.getI64Type(), ptr}, {b.getI32Type()});
  OpBuilder atEnd = OpBuilder::atBlockEnd(module.module().getBody());
  auto branch = func::FuncOp::create(atEnd, op.getLoc(), name, type);
  AgentEmitter(module, branch).emitBranch(op, captures);

  auto number = [&](Value irValue, int64_t absent) {
    return irValue ? values.lookup(irValue) : host.i64(absent);
  };
  static constexpr llvm::StringLiteral policies[] = {"all", "collect", "quorum",
                                                     "first"};
  int64_t policy = llvm::find(policies, op.getPolicy()) - std::begin(policies);
  Value fork = host.frame(sizeof(agt_fork));
  Value function = func::ConstantOp::create(
      b, loc, type, FlatSymbolRefAttr::get(b.getContext(), name));
  Value address =
      UnrealizedConversionCastOp::create(b, loc, ptr, function).getResult(0);
  host.store(address, fork, 0);
  host.store(room, fork, offsetof(agt_fork, captures));
  host.store(items, fork, offsetof(agt_fork, items));
  host.store(keys, fork, offsetof(agt_fork, keys));
  host.store(number(op.getWidth(), 0), fork, offsetof(agt_fork, width));
  host.store(number(op.getMax(), AGT_NEVER), fork, offsetof(agt_fork, max));
  host.store(number(op.getDeadline(), AGT_NEVER), fork,
             offsetof(agt_fork, deadline));
  host.store(number(op.getLeast(), 0), fork, offsetof(agt_fork, n));
  host.store(host.i32(policy), fork, offsetof(agt_fork, policy));
  host.store(host.i32(module.typeIndex(op.getYieldedType())), fork,
             offsetof(agt_fork, type));
  return callForValue("agt_step_fork", {scope, site(op), fork}, op.getType());
}

//===----------------------------------------------------------------------===//
// join
//===----------------------------------------------------------------------===//

Value AgentEmitter::join(JoinOp op) {
  Location loc = host.location();
  static constexpr llvm::StringLiteral kinds[] = {
      "flatten", "dedupe", "rank", "take", "evidence", "reduce", "budget"};
  size_t count = op.getOps().size(), number = 0;
  Value room = count ? host.frame(sizeof(agt_join_op) * count) : host.null();
  for (auto [i, entry] :
       llvm::enumerate(op.getOps().getAsRange<DictionaryAttr>())) {
    int64_t at = sizeof(agt_join_op) * i;
    llvm::StringRef kind = entry.getAs<StringAttr>("op").getValue();
    int64_t index = llvm::find(kinds, kind) - std::begin(kinds);
    auto field = entry.getAs<IntegerAttr>("field");
    Value n = host.i64(entry.get("desc") ? 1 : 0);
    if (kind == "take" || kind == "reduce" || kind == "budget")
      n = values.lookup(op.getNumbers()[number++]);
    int64_t with = 0, target = 0;
    Value function = host.null();
    if (auto reducer = entry.getAs<FlatSymbolRefAttr>("with")) {
      llvm::StringRef name = reducer.getValue();
      if (module.isLlm(name)) {
        target = module.llmIndex(name);
      } else if (module.isTool(name)) {
        with = AGT_WITH_TOOL;
        target = module.toolIndex(name);
      } else {
        with = AGT_WITH_FUNCTION;
        auto callee =
            module.module().lookupSymbol<func::FuncOp>(fnSymbol(name));
        Value constant = func::ConstantOp::create(
            b, loc, callee.getFunctionType(),
            FlatSymbolRefAttr::get(b.getContext(), callee.getSymName()));
        function =
            UnrealizedConversionCastOp::create(b, loc, host.ptr(), constant)
                .getResult(0);
      }
    }
    host.store(host.i32(index), room, at);
    host.store(host.i32(field ? field.getInt() : 0), room,
               at + offsetof(agt_join_op, field));
    host.store(n, room, at + offsetof(agt_join_op, n));
    host.store(host.i32(with), room, at + offsetof(agt_join_op, with));
    host.store(host.i32(target), room, at + offsetof(agt_join_op, index));
    host.store(function, room, at + offsetof(agt_join_op, function));
  }
  bool results =
      isa<ResultType>(cast<ListType>(op.getList().getType()).getElement());
  return callForPointer(
      "agt_step_join",
      {scope, site(op), values.lookup(op.getList()), host.i32(results),
       host.i32(module.typeIndex(op.getType())), room, host.i64(count)});
}

//===----------------------------------------------------------------------===//
// The others
//===----------------------------------------------------------------------===//

bool AgentEmitter::emitStep(Operation &op) {
  Value result;
  if (auto step = dyn_cast<CallToolOp>(op)) {
    result = callForValue("agt_step_tool",
                          {scope, site(&op),
                           host.i32(module.toolIndex(step.getCallee())),
                           boxedArray(step.getOperands())},
                          step.getType());
  } else if (auto step = dyn_cast<CallAgentOp>(op)) {
    result = callForValue("agt_step_agent",
                          {scope, site(&op),
                           host.i32(module.agentIndex(step.getCallee())),
                           boxedArray(step.getOperands())},
                          step.getType());
  } else if (auto step = dyn_cast<AskOp>(op)) {
    result = ask(step);
  } else if (auto step = dyn_cast<ForkOp>(op)) {
    result = fork(step);
  } else if (auto step = dyn_cast<JoinOp>(op)) {
    result = join(step);
  } else if (auto step = dyn_cast<ApproveOp>(op)) {
    Value out = host.frame(8);
    check(call("agt_step_approve",
               {scope, site(&op), values.lookup(step.getText()),
                values.lookup(step.getRole()), values.lookup(step.getWithin()),
                host.i32(step.getOtherwise()), out}));
    result =
        arith::CmpIOp::create(b, host.location(), arith::CmpIPredicate::ne,
                              host.load(out, 0, b.getI32Type()), host.i32(0));
  } else if (auto step = dyn_cast<SleepOp>(op)) {
    check(call("agt_step_sleep",
               {scope, site(&op), values.lookup(step.getDuration())}));
  } else if (auto step = dyn_cast<EmitOp>(op)) {
    check(call("agt_step_emit",
               {scope, site(&op), values.lookup(step.getText())}));
  } else if (auto step = dyn_cast<ReceiveOp>(op)) {
    Type carried = cast<OptionType>(step.getType()).getElement();
    result = callForPointer("agt_step_receive",
                            {scope, site(&op), bytes(step.getName()),
                             host.i32(module.typeIndex(carried)),
                             values.lookup(step.getWithin())});
  } else if (auto step = dyn_cast<ObserveOp>(op)) {
    static constexpr llvm::StringLiteral readings[] = {
        "now", "random", "uuid", "env", "read_file", "open"};
    int64_t reading =
        llvm::find(readings, step.getFunction()) - std::begin(readings);
    Value argument = step.getOperands().empty()
                         ? host.null()
                         : boxed(step.getOperands().front());
    result =
        callForValue("agt_step_read",
                     {scope, site(&op), host.i32(reading),
                      host.i32(module.typeIndex(step.getType())), argument},
                     step.getType());
  } else if (auto prefix = dyn_cast<PrefixOp>(op)) {
    module.typeIndex(prefix.getType()); // of what the log holds
    result = callForPointer("agt_step_prefix",
                            {scope, site(&op),
                             host.i32(module.llmIndex(prefix.getLlm())),
                             values.lookup(prefix.getText())});
  } else if (auto rerank = dyn_cast<RerankOp>(op)) {
    // What a model answers, numbers of texts.
    module.typeIndex(ListType::get(b.getContext(), b.getI64Type(), -1));
    bool tool = module.isTool(rerank.getWith());
    uint32_t index = tool ? module.toolIndex(rerank.getWith())
                          : module.llmIndex(rerank.getWith());
    result = callForPointer("agt_step_rerank",
                            {scope, site(&op), values.lookup(rerank.getTexts()),
                             values.lookup(rerank.getQuery()),
                             host.i32(tool ? AGT_WITH_TOOL : AGT_WITH_LLM),
                             host.i32(index), values.lookup(rerank.getTake())});
  } else if (auto mock = dyn_cast<MockOp>(op)) {
    check(call("agt_test_mock",
               {scope, place(&op), host.i32(module.llmIndex(mock.getLlm())),
                bytes(mock.getFile())}));
  } else if (auto calls = dyn_cast<CallsOp>(op)) {
    bool tool = module.isTool(calls.getCallee());
    uint32_t index = tool ? module.toolIndex(calls.getCallee())
                          : module.llmIndex(calls.getCallee());
    result = call("agt_test_calls",
                  {scope, host.i32(tool ? AGT_WITH_TOOL : AGT_WITH_LLM),
                   host.i32(index)});
  } else if (auto expect = dyn_cast<ExpectOp>(op)) {
    Value truth = arith::ExtUIOp::create(b, host.location(), b.getI32Type(),
                                         values.lookup(expect.getCondition()));
    bool sides = expect.getSides().size() == 2;
    Value left = sides ? boxed(expect.getSides()[0]) : host.null();
    Value right = sides ? boxed(expect.getSides()[1]) : host.null();
    check(call("agt_test_expect", {scope, place(&op), bytes(expect.getText()),
                                   truth, left, right}));
  } else if (auto random = dyn_cast<RandomTensorOp>(op)) {
    Values sizes;
    for (Value size : random.getShape())
      sizes.push_back(values.lookup(size));
    result =
        callForPointer("agt_test_randn",
                       {scope, place(&op), array(sizes), host.i64(sizes.size()),
                        values.lookup(random.getSeed())});
  } else if (auto run = dyn_cast<RunGraphOp>(op)) {
    result = callForPointer(
        "agt_test_graph",
        {scope, place(&op), host.symbol(descriptorSymbol(run.getCallee())),
         boxedArray(run.getOperands()), host.i64(run.getOperands().size())});
  } else if (auto close = dyn_cast<ExpectCloseOp>(op)) {
    check(call("agt_test_close", {scope, place(&op), bytes(close.getText()),
                                  values.lookup(close.getActual()),
                                  values.lookup(close.getExpected()),
                                  values.lookup(close.getAtol()),
                                  values.lookup(close.getRtol())}));
  } else {
    return false;
  }
  if (op.getNumResults() == 1)
    values[op.getResult(0)] = result;
  return true;
}
