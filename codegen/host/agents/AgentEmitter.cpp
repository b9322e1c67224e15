//===- AgentEmitter.cpp - Functions, blocks, values -----------------------===//

#include "codegen/host/agents/AgentEmitter.h"
#include "codegen/host/GraphLowering.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace agt;
using namespace agt::host;

//===----------------------------------------------------------------------===//
// Blocks and outcomes
//===----------------------------------------------------------------------===//

Block *AgentEmitter::newBlock(TypeRange types) {
  OpBuilder::InsertionGuard guard(b);
  llvm::SmallVector<Location> places(types.size(), host.location());
  return b.createBlock(&function.getBody(), function.getBody().end(), types,
                       places);
}

void AgentEmitter::jump(Block *to, ValueRange arguments) {
  cf::BranchOp::create(b, host.location(), to, arguments);
}

void AgentEmitter::branch(Value condition, Block *then, Block *otherwise) {
  cf::CondBranchOp::create(b, host.location(), condition, then, ValueRange(),
                           otherwise, ValueRange());
}

void AgentEmitter::check(Value outcome) {
  Value fine = arith::CmpIOp::create(
      b, host.location(), arith::CmpIPredicate::eq, outcome, host.i32(0));
  Block *next = newBlock();
  cf::CondBranchOp::create(b, host.location(), fine, next, ValueRange(), errors,
                           ValueRange{outcome});
  b.setInsertionPointToEnd(next);
}

void AgentEmitter::failUnless(Value condition, llvm::StringRef message,
                              Value first, Value second) {
  Block *failed = newBlock(), *next = newBlock();
  branch(condition, next, failed);
  b.setInsertionPointToEnd(failed);
  Value where = bytes(placeOf(host.location()));
  Value outcome = call("agt_scope_fail_with",
                       {scope, where, bytes(message), first, second});
  jump(errors, outcome);
  b.setInsertionPointToEnd(next);
}

void AgentEmitter::giveBack(Value boxedValue) {
  host.store(boxedValue, resultPlace, 0);
  func::ReturnOp::create(b, host.location(), host.i32(0));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Type AgentEmitter::hostType(Type type) {
  if (type.isSignlessInteger(1) || type.isSignlessInteger(64) || type.isF64())
    return type;
  if (isa<DurationType>(type))
    return b.getI64Type();
  return host.ptr();
}

Value AgentEmitter::box(Value value, Type type) {
  if (type.isSignlessInteger(1)) {
    Value wide =
        arith::ExtUIOp::create(b, host.location(), b.getI32Type(), value);
    return call("agt_value_bool", {scope, wide});
  }
  if (type.isSignlessInteger(64) || isa<DurationType>(type))
    return call("agt_value_int", {scope, value});
  if (type.isF64())
    return call("agt_value_float", {scope, value});
  return value;
}

Value AgentEmitter::unbox(Value pointer, Type type) {
  if (type.isSignlessInteger(1)) {
    Value wide = call("agt_value_is_true", pointer);
    return arith::CmpIOp::create(b, host.location(), arith::CmpIPredicate::ne,
                                 wide, host.i32(0));
  }
  if (type.isSignlessInteger(64) || isa<DurationType>(type))
    return call("agt_value_as_int", pointer);
  if (type.isF64())
    return call("agt_value_as_float", pointer);
  return pointer;
}

Value AgentEmitter::isNull(Value pointer) {
  return LLVM::ICmpOp::create(b, host.location(), LLVM::ICmpPredicate::eq,
                              pointer, host.null());
}

Value AgentEmitter::bytes(llvm::StringRef text) {
  return LLVM::AddressOfOp::create(b, host.location(), host.ptr(),
                                   module.text(text));
}

Value AgentEmitter::stringValue(llvm::StringRef text) {
  return call("agt_value_string", {scope, bytes(text), host.i64(text.size())});
}

Value AgentEmitter::place(Operation *op) {
  return bytes(placeOf(op->getLoc()));
}

Value AgentEmitter::site(Operation *op) {
  return LLVM::AddressOfOp::create(b, host.location(), host.ptr(),
                                   module.site(op));
}

Value AgentEmitter::array(llvm::ArrayRef<Value> pointers) {
  if (pointers.empty())
    return host.null();
  Value base = host.frame(8 * pointers.size());
  for (auto [i, pointer] : llvm::enumerate(pointers))
    host.store(pointer, base, 8 * i);
  return base;
}

Value AgentEmitter::boxedArray(ValueRange irValues) {
  Values pointers;
  for (Value value : irValues)
    pointers.push_back(boxed(value));
  return array(pointers);
}

Value AgentEmitter::callForPointer(llvm::StringRef name, Values arguments) {
  Value out = host.frame(8);
  arguments.push_back(out);
  check(call(name, arguments));
  return host.load(out, 0, host.ptr());
}

Value AgentEmitter::callForValue(llvm::StringRef name, Values arguments,
                                 Type type) {
  return unbox(callForPointer(name, std::move(arguments)), type);
}

// An int is also what a float? holds: the accessors read both.
Value AgentEmitter::convert(Value value, Type from, Type to) {
  if (from == to)
    return value;
  if (auto option = dyn_cast<OptionType>(to)) {
    if (isa<OptionType>(from))
      return value;
    return box(convert(value, from, option.getElement()), option.getElement());
  }
  if (from.isSignlessInteger(64) && to.isF64())
    return arith::SIToFPOp::create(b, host.location(), to, value);
  auto list = dyn_cast<ListType>(to);
  if (!list || list.getMax() < 0)
    return value;
  int64_t known = cast<ListType>(from).getMax();
  if (known >= 0 && known <= list.getMax())
    return value;
  Value length = call("agt_value_length", value);
  Value max = host.i64(list.getMax());
  Value fits = arith::CmpIOp::create(b, host.location(),
                                     arith::CmpIPredicate::sle, length, max);
  failUnless(fits, "a list of {0} elements is longer than its bound {1}",
             length, max);
  return value;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void AgentEmitter::emitBody(Region &region) {
  resultPlace = host.argument(2);
  errors = newBlock(b.getI32Type());
  Value args = host.argument(1);
  for (auto [i, argument] : llvm::enumerate(region.getArguments())) {
    host.setLocation(argument.getLoc());
    values[argument] =
        unbox(host.load(args, 8 * i, host.ptr()), argument.getType());
  }
  host.setLocation(function.getLoc());
  std::optional<Values> given = emit(region.front());
  if (given) {
    host.setLocation(function.getLoc());
    auto result = cast<ResultOp>(region.front().getTerminator());
    Value list = boxedArray(result.getValues());
    giveBack(call("agt_value_list",
                  {scope, list, host.i64(result.getValues().size())}));
  }
  b.setInsertionPointToEnd(errors);
  func::ReturnOp::create(b, host.location(), errors->getArgument(0));
}

void AgentEmitter::emitBranch(ForkOp fork, llvm::ArrayRef<Value> captures) {
  resultPlace = host.argument(4);
  errors = newBlock(b.getI32Type());
  for (auto [i, capture] : llvm::enumerate(captures)) {
    // A variable is captured by its address: branches only read it.
    Type type = isa<VariableType>(capture.getType())
                    ? host.ptr()
                    : hostType(capture.getType());
    Type stored = type.isInteger(1) ? b.getI64Type() : type;
    Value value = host.load(host.argument(1), 8 * i, stored);
    if (type != stored)
      value = arith::TruncIOp::create(b, host.location(), type, value);
    values[capture] = value;
  }
  Block &body = fork.getBranch().front();
  values[body.getArgument(0)] =
      unbox(host.argument(2), body.getArgument(0).getType());
  values[body.getArgument(1)] = host.argument(3);
  if (emit(body))
    func::ReturnOp::create(b, host.location(), host.i32(4));
  b.setInsertionPointToEnd(errors);
  func::ReturnOp::create(b, host.location(), errors->getArgument(0));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The values of the `agt.result` that ends the block; nothing where control
/// leaves.
std::optional<AgentEmitter::Values> AgentEmitter::emit(Block &block) {
  for (Operation &op : block.without_terminator()) {
    host.setLocation(op.getLoc());
    if (isa<NodeOp>(op))
      continue; // emitted with the start
    emitOp(op);
  }
  Operation &last = block.back();
  host.setLocation(last.getLoc());
  auto result = dyn_cast<ResultOp>(last);
  if (!result) {
    emitLeave(last);
    return std::nullopt;
  }
  Values given;
  for (Value value : result.getValues())
    given.push_back(values.lookup(value));
  return given;
}

void AgentEmitter::emitOp(Operation &op) {
  if (isa<arith::ArithDialect>(op.getDialect())) {
    IRMapping mapping;
    for (Value operand : op.getOperands())
      mapping.map(operand, values.lookup(operand));
    Operation *copy = b.clone(op, mapping);
    for (auto [from, to] : llvm::zip_equal(op.getResults(), copy->getResults()))
      values[from] = to;
    return;
  }
  if (emitValue(op) || emitControl(op) || emitStep(op))
    return;
  llvm_unreachable("an op of agents");
}

void AgentEmitter::emitLeave(Operation &op) {
  if (auto finish = dyn_cast<FinishOp>(op))
    return giveBack(boxed(finish.getValue()));
  if (auto give = dyn_cast<GiveOp>(op))
    return giveBack(boxed(give.getValue()));
  if (auto fail = dyn_cast<FailOp>(op)) {
    Value outcome =
        call("agt_scope_fail", {scope, place(&op), boxed(fail.getMessage())});
    return jump(errors, outcome);
  }
  if (auto jump = dyn_cast<GotoOp>(op))
    return emitGoto(jump);
  emitNodes(*op.getBlock());
}

Value AgentEmitter::compare(CompareValuesOp op) {
  Location loc = host.location();
  Value left = values.lookup(op.getLeft()),
        right = values.lookup(op.getRight());
  static constexpr llvm::StringLiteral names[] = {"eq", "ne", "lt",
                                                  "le", "gt", "ge"};
  size_t index = llvm::find(names, op.getPredicate()) - std::begin(names);
  static constexpr arith::CmpIPredicate ints[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
      arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge};
  static constexpr arith::CmpFPredicate floats[] = {
      arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
      arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
      arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
  if (left.getType().isF64())
    return arith::CmpFOp::create(b, loc, floats[index], left, right);
  if (left.getType().isInteger())
    return arith::CmpIOp::create(b, loc, ints[index], left, right);
  if (index >= 2)
    return arith::CmpIOp::create(b, loc, ints[index],
                                 call("agt_value_compare", {left, right}),
                                 host.i32(0));
  Value same = call("agt_value_equals", {left, right});
  return arith::CmpIOp::create(b, loc, ints[1 - index], same, host.i32(0));
}

Value AgentEmitter::calculate(CalculateOp op) {
  static constexpr llvm::StringLiteral names[] = {"add", "sub", "mul", "div",
                                                  "rem"};
  size_t index = llvm::find(names, op.getKind()) - std::begin(names);
  Value out = host.frame(8);
  check(call("agt_int_calculate",
             {scope, place(op), host.i32(index), values.lookup(op.getLeft()),
              values.lookup(op.getRight()), out}));
  return host.load(out, 0, b.getI64Type());
}

static int64_t libraryNumber(llvm::StringRef name) {
  static const llvm::StringLiteral names[] = {
#define AGT_LIBRARY(NAME, MIN, MAX, SIGNATURE) #NAME,
#include "runtime/include/agt/library.def"
  };
  return llvm::find_if(names,
                       [&](llvm::StringRef known) {
                         return known.equals_insensitive(name);
                       }) -
         std::begin(names);
}

Value AgentEmitter::library(Operation *op, llvm::StringRef name, Value args,
                            size_t count, Type type) {
  return callForValue(
      "agt_library_call",
      {scope, place(op), host.i32(libraryNumber(name)), args, host.i64(count)},
      type);
}

Value AgentEmitter::outcome(OutcomeOp op) {
  Value result = values.lookup(op.getValue());
  auto field = [&](int64_t index) {
    return call("agt_value_field", {result, host.i64(index)});
  };
  if (op.getField() == "ok")
    return unbox(field(0), op.getType());
  if (op.getField() == "key")
    return field(3);
  Value error = field(2);
  if (op.getField() == "error") {
    Value none = stringValue("");
    return LLVM::SelectOp::create(b, host.location(), isNull(error), none,
                                  error);
  }
  Block *failed = newBlock(), *next = newBlock();
  branch(unbox(field(0), b.getI1Type()), next, failed);
  b.setInsertionPointToEnd(failed);
  jump(errors, call("agt_scope_fail", {scope, place(op), error}));
  b.setInsertionPointToEnd(next);
  return unbox(field(1), op.getType());
}

bool AgentEmitter::emitValue(Operation &op) {
  Value result;
  if (auto literal = dyn_cast<LiteralOp>(op)) {
    if (auto number = dyn_cast<IntegerAttr>(literal.getValue()))
      result = host.i64(number.getInt());
    else
      result = stringValue(cast<StringAttr>(literal.getValue()).getValue());
  } else if (isa<NoneOp>(op)) {
    result = host.null();
  } else if (auto change = dyn_cast<ConvertOp>(op)) {
    result = convert(values.lookup(change.getValue()),
                     change.getValue().getType(), change.getType());
  } else if (auto calculation = dyn_cast<CalculateOp>(op)) {
    result = calculate(calculation);
  } else if (auto comparison = dyn_cast<CompareValuesOp>(op)) {
    result = compare(comparison);
  } else if (auto append = dyn_cast<AppendOp>(op)) {
    result = call("agt_value_concat", {scope, values.lookup(append.getLeft()),
                                       values.lookup(append.getRight())});
  } else if (auto text = dyn_cast<TextOp>(op)) {
    result = call("agt_text_join", {scope, boxedArray(text.getParts()),
                                    host.i64(text.getParts().size())});
  } else if (auto make = dyn_cast<MakeOp>(op)) {
    Value parts = boxedArray(make.getParts());
    Value count = host.i64(make.getParts().size());
    result = isa<RecordType>(make.getType())
                 ? callForPointer("agt_value_record",
                                  {scope, place(&op),
                                   host.i32(module.typeIndex(make.getType())),
                                   parts, count})
                 : call("agt_value_list", {scope, parts, count});
  } else if (auto field = dyn_cast<FieldOp>(op)) {
    result = unbox(call("agt_value_field", {values.lookup(field.getValue()),
                                            host.i64(field.getIndex())}),
                   field.getType());
  } else if (auto element = dyn_cast<ElementOp>(op)) {
    result = callForValue("agt_value_element",
                          {scope, place(&op), values.lookup(element.getList()),
                           values.lookup(element.getIndex())},
                          element.getType());
  } else if (auto test = dyn_cast<IsNoneOp>(op)) {
    result = isNull(values.lookup(test.getValue()));
  } else if (auto unwrap = dyn_cast<UnwrapOp>(op)) {
    result = unbox(values.lookup(unwrap.getValue()), unwrap.getType());
  } else if (auto part = dyn_cast<OutcomeOp>(op)) {
    result = outcome(part);
  } else if (auto function = dyn_cast<LibraryOp>(op)) {
    result =
        library(&op, function.getFunction(), boxedArray(function.getOperands()),
                function.getOperands().size(), function.getType());
  } else if (auto variable = dyn_cast<EnvironmentOp>(op)) {
    result = library(&op, variable.getKind(), boxedArray(variable.getName()), 1,
                     variable.getType());
  } else if (auto parse = dyn_cast<ParseOp>(op)) {
    result = callForValue("agt_value_parse",
                          {scope, place(&op),
                           host.i32(module.typeIndex(parse.getType())),
                           values.lookup(parse.getText())},
                          parse.getType());
  } else if (auto callFn = dyn_cast<CallFnOp>(op)) {
    Value out = host.frame(8);
    auto callee = module.module().lookupSymbol<func::FuncOp>(
        fnSymbol(callFn.getCallee()));
    Value status = func::CallOp::create(
                       b, host.location(), callee,
                       ValueRange{scope, boxedArray(callFn.getOperands()), out})
                       .getResult(0);
    check(status);
    result = unbox(host.load(out, 0, host.ptr()), callFn.getType());
  } else if (auto variable = dyn_cast<VariableOp>(op)) {
    result = host.frame(8);
    host.store(values.lookup(variable.getInit()), result, 0);
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    result = host.load(values.lookup(load.getVariable()), 0,
                       hostType(load.getType()));
  } else if (auto assign = dyn_cast<AssignOp>(op)) {
    host.store(values.lookup(assign.getValue()),
               values.lookup(assign.getVariable()), 0);
    return true;
  } else {
    return false;
  }
  values[op.getResult(0)] = result;
  return true;
}
