//===- AgtAgentTypes.cpp - Types of values in agents ----------------------===//

#include "dialect/Agt/Agt.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "dialect/Agt/AgtTypes.cpp.inc"

void agt::AgtDialect::addAgentTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Agt/AgtTypes.cpp.inc"
      >();
}

bool agt::isAgentValue(Type type) {
  if (type.isSignlessInteger(1) || type.isSignlessInteger(64) || type.isF64())
    return true;
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), isAgentValue);
  return isa<RankedTensorType, StringType, BytesType, DurationType, ContextType,
             OptionType, HandleType, ResultType, ListType, RecordType,
             EnumType>(type);
}
