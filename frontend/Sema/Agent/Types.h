// Types of values in agents, fns and tools. Each type exists once in a
// TypeTable, so equal types are equal pointers. A list's bound is part of its
// type and no part of what its values are: `sameValues` looks past it.
#ifndef AGT_FRONTEND_SEMA_AGENT_TYPES_H
#define AGT_FRONTEND_SEMA_AGENT_TYPES_H

#include "frontend/AST/Decl.h"
#include "frontend/Sema/Types.h"

#include "llvm/ADT/StringMap.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agt::sema::agents {

struct Type;

struct RecordField {
  llvm::StringRef name;
  const Type *type = nullptr;
  /// `in lower..upper`.
  std::optional<double> lower, upper;
  std::string doc;
  llvm::SMRange range;
};

struct RecordInfo {
  llvm::StringRef name;
  std::string doc;
  /// Null for a record that every program has.
  const ast::RecordDecl *decl = nullptr;
  std::vector<RecordField> fields;

  const RecordField *find(llvm::StringRef name) const;
  std::vector<llvm::StringRef> names() const;
};

struct Type {
  enum Kind {
    /// An error was reported; fits everywhere and says nothing more.
    Error,
    /// The element of `[]`: fits every type.
    Nothing,
    /// `none` before it is known of what.
    None,
    Bool,
    Int,
    Float,
    String,
    Bytes,
    Duration,
    Context,
    Option,
    List,
    Handle,
    Result,
    Tuple,
    Record,
    Enum,
    /// What graphs take and give; in tests alone.
    Tensor,
  };
  Kind kind = Error;
  /// Of Option, List, Handle and Result.
  const Type *element = nullptr;
  /// Of List: `max n`.
  std::optional<int64_t> max;
  /// Of Tuple.
  std::vector<const Type *> elements;
  const RecordInfo *record = nullptr;
  const ast::EnumDecl *enumeration = nullptr;
  /// Of Tensor; a size below 0 is not known before the test runs.
  DType dtype = DType::F32;
  std::vector<int64_t> shape;

  bool is(Kind other) const { return kind == other; }
  bool isError() const { return kind == Error; }
  bool isNumber() const { return kind == Int || kind == Float; }
  /// "list<Role, max 8>"
  std::string str() const;
};

class TypeTable {
public:
  const Type *error() { return simple(Type::Error); }
  const Type *nothing() { return simple(Type::Nothing); }
  const Type *none() { return simple(Type::None); }
  const Type *boolean() { return simple(Type::Bool); }
  const Type *integer() { return simple(Type::Int); }
  const Type *floating() { return simple(Type::Float); }
  const Type *string() { return simple(Type::String); }
  const Type *bytes() { return simple(Type::Bytes); }
  const Type *duration() { return simple(Type::Duration); }
  const Type *context() { return simple(Type::Context); }
  const Type *option(const Type *element);
  const Type *list(const Type *element,
                   std::optional<int64_t> max = std::nullopt);
  const Type *handle(const Type *element);
  const Type *result(const Type *element);
  const Type *tuple(std::vector<const Type *> elements);
  const Type *record(const RecordInfo &info);
  const Type *enumeration(const ast::EnumDecl &decl);
  const Type *tensor(DType dtype, std::vector<int64_t> shape);

  /// The type of both, or null: an int with a float is a float, `none` with a
  /// T is a T?.
  const Type *meet(const Type *a, const Type *b);

private:
  const Type *simple(Type::Kind kind);
  const Type *intern(Type type);

  llvm::StringMap<std::unique_ptr<Type>> types;
};

/// Whether all values of `from` are values of `to` as they stand, bounds of
/// lists aside.
bool sameValues(const Type *from, const Type *to);
/// Whether a value of `from` can stand where `to` is declared: also an int for
/// a float and a T for a T?.
bool converts(const Type *from, const Type *to);
/// Whether `==` compares values of these types.
bool comparable(const Type *a, const Type *b);
/// Whether values are tensors or hold some: these have no text, no form in
/// JSON, and `==` does not compare them.
bool holdsTensors(const Type *type);
/// Whether values have a form in JSON that a model or a tool can give.
bool hasSchema(const Type *type);

} // namespace agt::sema::agents

#endif
