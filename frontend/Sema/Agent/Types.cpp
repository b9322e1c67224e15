#include "frontend/Sema/Agent/Types.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

#include <functional>

using namespace agt;
using namespace agt::sema::agents;

const RecordField *RecordInfo::find(llvm::StringRef name) const {
  for (const RecordField &field : fields)
    if (field.name == name)
      return &field;
  return nullptr;
}

std::vector<llvm::StringRef> RecordInfo::names() const {
  std::vector<llvm::StringRef> result;
  for (const RecordField &field : fields)
    result.push_back(field.name);
  return result;
}

std::string Type::str() const {
  switch (kind) {
  case Error:
    return "error";
  case Nothing:
    return "nothing";
  case None:
    return "none";
  case Bool:
    return "bool";
  case Int:
    return "int";
  case Float:
    return "float";
  case String:
    return "string";
  case Bytes:
    return "bytes";
  case Duration:
    return "duration";
  case Context:
    return "context";
  case Option:
    return element->str() + "?";
  case List:
    return "list<" + element->str() +
           (max ? ", max " + std::to_string(*max) : "") + ">";
  case Handle:
    return "handle<" + element->str() + ">";
  case Result:
    return "result<" + element->str() + ">";
  case Tuple: {
    std::vector<std::string> texts;
    for (const Type *type : elements)
      texts.push_back(type->str());
    return "(" + llvm::join(texts, ", ") + ")";
  }
  case Record:
    return record->name.str();
  case Enum:
    return enumeration->name.text.str();
  case Tensor: {
    std::vector<std::string> sizes;
    for (int64_t size : shape)
      sizes.push_back(size < 0 ? "?" : std::to_string(size));
    return "tensor<" + dtypeName(dtype).str() + ", [" +
           llvm::join(sizes, ", ") + "]>";
  }
  }
  return "";
}

// Names of records and enums are unique in a program, so the text of a type
// names it; only the builtin words `nothing` and `none` are also no names of
// records there.
const Type *TypeTable::intern(Type type) {
  std::string key = std::to_string(int(type.kind)) + type.str();
  std::unique_ptr<Type> &entry = types[key];
  if (!entry)
    entry = std::make_unique<Type>(std::move(type));
  return entry.get();
}

const Type *TypeTable::simple(Type::Kind kind) {
  Type type;
  type.kind = kind;
  return intern(std::move(type));
}

const Type *TypeTable::option(const Type *element) {
  if (element->is(Type::Option) || element->isError())
    return element;
  if (element->is(Type::None))
    return element;
  Type type;
  type.kind = Type::Option;
  type.element = element;
  return intern(std::move(type));
}

const Type *TypeTable::list(const Type *element, std::optional<int64_t> max) {
  if (element->isError())
    return element;
  Type type;
  type.kind = Type::List;
  type.element = element;
  type.max = max;
  return intern(std::move(type));
}

const Type *TypeTable::handle(const Type *element) {
  if (element->isError())
    return element;
  Type type;
  type.kind = Type::Handle;
  type.element = element;
  return intern(std::move(type));
}

const Type *TypeTable::result(const Type *element) {
  if (element->isError())
    return element;
  Type type;
  type.kind = Type::Result;
  type.element = element;
  return intern(std::move(type));
}

const Type *TypeTable::tuple(std::vector<const Type *> elements) {
  for (const Type *element : elements)
    if (element->isError())
      return element;
  Type type;
  type.kind = Type::Tuple;
  type.elements = std::move(elements);
  return intern(std::move(type));
}

const Type *TypeTable::record(const RecordInfo &info) {
  Type type;
  type.kind = Type::Record;
  type.record = &info;
  return intern(std::move(type));
}

const Type *TypeTable::enumeration(const ast::EnumDecl &decl) {
  Type type;
  type.kind = Type::Enum;
  type.enumeration = &decl;
  return intern(std::move(type));
}

const Type *TypeTable::tensor(DType dtype, std::vector<int64_t> shape) {
  Type type;
  type.kind = Type::Tensor;
  type.dtype = dtype;
  type.shape = std::move(shape);
  return intern(std::move(type));
}

const Type *TypeTable::meet(const Type *a, const Type *b) {
  if (a == b || b->is(Type::Nothing) || a->isError())
    return a;
  if (a->is(Type::Nothing) || b->isError())
    return b;
  if (a->isNumber() && b->isNumber())
    return floating();
  if (a->is(Type::None))
    return option(b);
  if (b->is(Type::None))
    return option(a);
  if (a->is(Type::Option) || b->is(Type::Option)) {
    const Type *left = a->is(Type::Option) ? a->element : a;
    const Type *right = b->is(Type::Option) ? b->element : b;
    const Type *element = meet(left, right);
    return element ? option(element) : nullptr;
  }
  if (a->is(Type::List) && b->is(Type::List)) {
    const Type *element = sameValues(a->element, b->element)   ? b->element
                          : sameValues(b->element, a->element) ? a->element
                                                               : nullptr;
    if (!element)
      return nullptr;
    std::optional<int64_t> max;
    if (a->max && b->max)
      max = std::max(*a->max, *b->max);
    return list(element, max);
  }
  if (sameValues(a, b))
    return b;
  return sameValues(b, a) ? a : nullptr;
}

/// What is not known of a tensor shows when the test runs.
static bool sameTensors(const Type *from, const Type *to) {
  if (from->dtype != to->dtype || from->shape.size() != to->shape.size())
    return false;
  for (size_t i = 0; i < from->shape.size(); ++i)
    if (from->shape[i] >= 0 && to->shape[i] >= 0 &&
        from->shape[i] != to->shape[i])
      return false;
  return true;
}

bool agt::sema::agents::sameValues(const Type *from, const Type *to) {
  if (from == to || from->isError() || to->isError() || from->is(Type::Nothing))
    return true;
  if (from->is(Type::None) && to->is(Type::Option))
    return true;
  if (from->kind != to->kind)
    return false;
  switch (from->kind) {
  case Type::Option:
  case Type::List:
  case Type::Handle:
  case Type::Result:
    return sameValues(from->element, to->element);
  case Type::Tuple:
    if (from->elements.size() != to->elements.size())
      return false;
    for (size_t i = 0; i < from->elements.size(); ++i)
      if (!sameValues(from->elements[i], to->elements[i]))
        return false;
    return true;
  case Type::Tensor:
    return sameTensors(from, to);
  default:
    return false;
  }
}

bool agt::sema::agents::converts(const Type *from, const Type *to) {
  if (sameValues(from, to))
    return true;
  if (from->is(Type::Int) && to->is(Type::Float))
    return true;
  if (to->is(Type::Option))
    return converts(from->is(Type::Option) ? from->element : from, to->element);
  return false;
}

bool agt::sema::agents::comparable(const Type *a, const Type *b) {
  if (a->isNumber() && b->isNumber())
    return true;
  if (holdsTensors(a) || holdsTensors(b))
    return false;
  return converts(a, b) || converts(b, a);
}

bool agt::sema::agents::holdsTensors(const Type *type) {
  if (type->is(Type::Tensor))
    return true;
  for (const Type *element : type->elements)
    if (holdsTensors(element))
      return true;
  return type->element && holdsTensors(type->element);
}

static bool hasSchemaIn(const Type *type,
                        llvm::SmallPtrSetImpl<const Type *> &seen) {
  switch (type->kind) {
  case Type::Error:
  case Type::Bool:
  case Type::Int:
  case Type::Float:
  case Type::String:
  case Type::Enum:
    return true;
  case Type::Option:
  case Type::List:
  case Type::Handle:
    return hasSchemaIn(type->element, seen);
  case Type::Record:
    if (!seen.insert(type).second)
      return true;
    for (const RecordField &field : type->record->fields)
      if (!hasSchemaIn(field.type, seen))
        return false;
    return true;
  default:
    return false;
  }
}

bool agt::sema::agents::hasSchema(const Type *type) {
  llvm::SmallPtrSet<const Type *, 8> seen;
  return hasSchemaIn(type, seen);
}
