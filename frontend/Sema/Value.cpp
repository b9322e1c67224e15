#include "frontend/Sema/Value.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt::sema;

static Value make(Value::Kind kind) {
  Value value;
  value.kind = kind;
  return value;
}

Value Value::ofTensor(TensorType type, ValueId id) {
  Value value = make(Tensor);
  value.tensor = std::move(type);
  value.id = id;
  return value;
}

Value Value::ofInt(Dim dim) {
  Value value = make(Int);
  value.dim = dim;
  return value;
}

Value Value::ofFloat(double number) {
  Value value = make(Float);
  value.number = number;
  return value;
}

Value Value::ofNumber(ValueId id) {
  Value value = make(Float);
  value.id = id;
  return value;
}

Value Value::ofBool(bool boolean) {
  Value value = make(Bool);
  value.integer = boolean;
  return value;
}

Value Value::ofString(std::string text) {
  Value value = make(String);
  value.text = std::move(text);
  return value;
}

Value Value::ofMask(MaskSpec mask) {
  Value value = make(Mask);
  value.mask = std::make_shared<MaskSpec>(std::move(mask));
  return value;
}

Value Value::ofCache(TensorType positions, ValueId param,
                     const ast::Decl *model) {
  Value value = make(Cache);
  value.tensor = std::move(positions);
  value.id = param;
  value.decl = model;
  return value;
}

Value Value::ofTuple(std::vector<Value> elements) {
  Value value = make(Tuple);
  value.elements = std::move(elements);
  return value;
}

bool Value::isConstant() const {
  switch (kind) {
  case Tensor:
  case Mask:
  case Cache:
    return false;
  case Int:
    return dim->constant().has_value();
  case Float:
    return number.has_value();
  case List:
  case Tuple:
    return llvm::all_of(elements,
                        [](const Value &e) { return e.isConstant(); });
  default:
    return true;
  }
}

std::string agt::sema::describe(const Value &value) {
  switch (value.kind) {
  case Value::Poison:
    return "an error";
  case Value::None:
    return "none";
  case Value::Tensor:
    return value.tensor.str();
  case Value::Int:
    return "the int " + value.dim->str();
  case Value::Float:
    return "a float";
  case Value::Bool:
    return "a bool";
  case Value::String:
    return "a string";
  case Value::Duration:
    return "a duration";
  case Value::EnumValue:
    return "a value of '" + value.decl->name.text.str() + "'";
  case Value::DTypeName:
    return "the dtype " + value.text;
  case Value::List:
    return "a list";
  case Value::Tuple:
    return std::to_string(value.elements.size()) + " values";
  case Value::Mask:
    return "a mask";
  case Value::Cache:
    return "a cache of '" + value.decl->name.text.str() + "'";
  }
  return "";
}
