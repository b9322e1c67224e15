//===- AgtAgentValueOps.cpp - Values of agents ----------------------------===//

#include "dialect/Agt/Agt.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace agt;

/// Whether values of `from` are values of `to`, bounds of lists aside.
static bool sameValues(Type from, Type to) {
  if (from == to)
    return true;
  if (auto list = dyn_cast<ListType>(from)) {
    auto other = dyn_cast<ListType>(to);
    return other && sameValues(list.getElement(), other.getElement());
  }
  if (auto option = dyn_cast<OptionType>(from)) {
    auto other = dyn_cast<OptionType>(to);
    return other && sameValues(option.getElement(), other.getElement());
  }
  if (auto result = dyn_cast<ResultType>(from)) {
    auto other = dyn_cast<ResultType>(to);
    return other && sameValues(result.getElement(), other.getElement());
  }
  if (auto tuple = dyn_cast<TupleType>(from)) {
    auto other = dyn_cast<TupleType>(to);
    return other && tuple.size() == other.size() &&
           llvm::all_of(
               llvm::zip(tuple.getTypes(), other.getTypes()), [](auto pair) {
                 return sameValues(std::get<0>(pair), std::get<1>(pair));
               });
  }
  return false;
}

static bool converts(Type from, Type to) {
  if (sameValues(from, to) || (from.isSignlessInteger(64) && to.isF64()))
    return true;
  auto option = dyn_cast<OptionType>(to);
  if (!option)
    return false;
  auto held = dyn_cast<OptionType>(from);
  return converts(held ? held.getElement() : from, option.getElement());
}

LogicalResult LiteralOp::verify() {
  // literal_c1
  Type type = getType();
  bool fits = isa<StringType, EnumType>(type) ? isa<StringAttr>(getValue())
              : isa<DurationType>(type)       ? isa<IntegerAttr>(getValue())
                                              : false;
  if (!fits)
    return emitOpError("expected a string for a string or an enum, or an int "
                       "for a duration, got ")
           << getValue() << " for " << type;
  return success();
}

LogicalResult NoneOp::verify() {
  // none_c1
  if (!isa<OptionType>(getType()))
    return emitOpError("expected an option, got ") << getType();
  return success();
}

LogicalResult ConvertOp::verify() {
  // convert_c1
  if (!converts(getValue().getType(), getType()))
    return emitOpError("cannot make a ")
           << getType() << " of a " << getValue().getType();
  return success();
}

LogicalResult CalculateOp::verify() {
  // calculate_c1
  if (!llvm::is_contained({"add", "sub", "mul", "div", "rem"}, getKind()))
    return emitOpError("expected add, sub, mul, div or rem, got '")
           << getKind() << "'";
  // calculate_c2
  for (Type type : {getLeft().getType(), getRight().getType(), getType()})
    if (!type.isSignlessInteger(64) && !isa<DurationType>(type))
      return emitOpError("expected ints or durations, got ") << type;
  return success();
}

LogicalResult CompareValuesOp::verify() {
  // compare_values_c1
  if (!llvm::is_contained({"eq", "ne", "lt", "le", "gt", "ge"}, getPredicate()))
    return emitOpError("expected eq, ne, lt, le, gt or ge, got '")
           << getPredicate() << "'";
  return success();
}

LogicalResult AppendOp::verify() {
  // append_c1
  Type left = getLeft().getType(), right = getRight().getType();
  bool texts = isa<StringType>(left) && isa<StringType>(right) &&
               isa<StringType>(getType());
  bool lists =
      isa<ListType>(left) && isa<ListType>(right) && isa<ListType>(getType());
  if (!texts && !lists)
    return emitOpError("expected strings or lists, got ")
           << left << ", " << right << " and " << getType();
  return success();
}

LogicalResult MakeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  SmallVector<Type> types;
  if (auto list = dyn_cast<ListType>(getType())) {
    types.assign(getParts().size(), list.getElement());
  } else if (auto tuple = dyn_cast<TupleType>(getType())) {
    llvm::append_range(types, tuple.getTypes());
  } else if (auto record = dyn_cast<RecordType>(getType())) {
    // make_c2: `Output` and `Message` are declared nowhere.
    auto decl = symbols.lookupNearestSymbolFrom<RecordTypeOp>(
        *this, StringAttr::get(getContext(), record.getName()));
    if (!decl && record.getName() == "Message")
      types.assign(2, StringType::get(getContext()));
    else if (!decl && record.getName() == "Output")
      types = {IntegerType::get(getContext(), 1),
               IntegerType::get(getContext(), 64),
               StringType::get(getContext()), StringType::get(getContext())};
    else if (!decl)
      return emitOpError("expected the name of a record, got '")
             << record.getName() << "'";
    else
      llvm::append_range(types, decl.getTypes().getAsValueRange<TypeAttr>());
    if (!llvm::equal(types, getParts().getTypes()))
      return emitOpError("expected fields of types (")
             << types << "), got (" << getParts().getTypes() << ")";
    return success();
  } else {
    // make_c3
    return emitOpError("expected a list, a tuple or a record, got ")
           << getType();
  }
  // make_c1
  if (!llvm::equal(types, getParts().getTypes()))
    return emitOpError("expected parts of types (")
           << types << "), got (" << getParts().getTypes() << ")";
  return success();
}

LogicalResult FieldOp::verify() {
  // field_c1
  if (!isa<RecordType, TupleType>(getValue().getType()))
    return emitOpError("expected a record or a tuple, got ")
           << getValue().getType();
  return success();
}

LogicalResult ElementOp::verify() {
  // element_c1
  Type element = cast<ListType>(getList().getType()).getElement();
  if (element != getType())
    return emitOpError("expected the element type ")
           << element << ", got " << getType();
  return success();
}

LogicalResult IsNoneOp::verify() {
  // is_none_c1
  if (!isa<OptionType>(getValue().getType()))
    return emitOpError("expected an option, got ") << getValue().getType();
  return success();
}

LogicalResult UnwrapOp::verify() {
  // unwrap_c1
  auto option = dyn_cast<OptionType>(getValue().getType());
  if (!option || option.getElement() != getType())
    return emitOpError("expected what ")
           << getValue().getType() << " holds, got " << getType();
  return success();
}

LogicalResult OutcomeOp::verify() {
  // outcome_c1
  auto result = dyn_cast<ResultType>(getValue().getType());
  if (!result)
    return emitOpError("expected a result, got ") << getValue().getType();
  // outcome_c2
  StringRef field = getField();
  Type type = field == "ok"      ? IntegerType::get(getContext(), 1)
              : field == "value" ? result.getElement()
              : field == "error" || field == "key"
                  ? Type(StringType::get(getContext()))
                  : Type();
  if (type != getType())
    return emitOpError("expected ok, value, error or key with its type, got '")
           << field << "' as " << getType();
  return success();
}

LogicalResult CallFnOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // call_fn_c1
  auto fn = symbols.lookupNearestSymbolFrom<FnOp>(*this, getCalleeAttr());
  if (!fn)
    return emitOpError("expected the name of a fn, got '")
           << getCallee() << "'";
  auto type =
      FunctionType::get(getContext(), getOperands().getTypes(), getType());
  if (type != fn.getFunctionType())
    return emitOpError("expected the types ")
           << fn.getFunctionType() << ", got " << type;
  return success();
}

LogicalResult EnvironmentOp::verify() {
  // environment_c1
  if (!(*this)->getParentOfType<ToolOp>())
    return emitOpError("expected a tool around it");
  return success();
}

LogicalResult AssignOp::verify() {
  // assign_c1
  Region *home = getVariable().getParentRegion();
  for (Region *region = (*this)->getParentRegion(); region && region != home;
       region = region->getParentRegion())
    if (auto fork = dyn_cast<ForkOp>(region->getParentOp())) {
      InFlightDiagnostic diag =
          emitOpError("assigns a variable from outside its fork");
      diag.attachNote(fork.getLoc()) << "the fork is here";
      return diag;
    }
  return success();
}
