// The types a program declares, as data: what JSON is read against, and the
// JSON Schema that models are given.
#ifndef AGT_RUNTIME_VALUE_TYPES_H
#define AGT_RUNTIME_VALUE_TYPES_H

#include "runtime/Value/Json.h"
#include "runtime/Value/Value.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agt::rt {

enum class TypeKind {
  Bool,
  Int,
  Float,
  String,
  Bytes,
  Duration,
  Context,
  Option,
  List,
  Record,
  Enum,
  Handle,
  Result,
  Tuple
};

struct Type {
  struct Field {
    std::string name;
    uint32_t type = 0;
    std::string doc;
    std::optional<double> min, max;
  };
  TypeKind kind = TypeKind::String;
  uint32_t of = 0;
  std::optional<int64_t> max; // elements of a list
  std::string name, doc;
  std::vector<Field> fields;
  std::vector<std::string> values;
  std::vector<uint32_t> elements; // of a tuple
  std::unique_ptr<Shape> shape;   // of a record
};

/// Takes a text that a handle is to stand for and gives the handle's id.
using BlobSink = std::function<std::string(const std::string &)>;

struct Reading {
  /// Fields that the record has not are an error (a model that was given the
  /// schema), or dropped (the output of tools, which often says more).
  bool strict = false;
  /// NULL: a handle must be {"handle": id, "bytes": n} already.
  const BlobSink *blobs = nullptr;
};

class Types {
public:
  explicit Types(const Json &list);

  const Type &at(uint32_t index) const;
  size_t size() const { return types.size(); }
  /// The first of a kind; AGT_NO_INDEX where the program has none.
  uint32_t find(TypeKind kind) const;
  /// "list<Finding>"
  std::string text(uint32_t index) const;
  /// Throws StepFailure, which says where and what was expected.
  Value read(Arena &arena, const Json &json, uint32_t type,
             const Reading &reading) const;
  /// A new record; checks the declared ranges of its fields.
  Value record(Arena &arena, uint32_t type,
               const std::vector<Value> &fields) const;
  /// JSON Schema of draft 2020-12, in the strict subset that endpoints take:
  /// every field required, options as a union with null, no further fields.
  Json schema(uint32_t type) const;

private:
  friend class TypeReader;
  std::vector<Type> types;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_VALUE_TYPES_H
