// Types as written: do they exist, do they have the arguments that they take.
// Records and enums, which make types.
#include "frontend/Sema/ExprChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace agt;
using namespace agt::sema;
using llvm::dyn_cast;
using llvm::isa;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
/// What a built-in type has between its angle brackets.
enum class TypeArgs { None, One, List, Model, Tensor };
struct BuiltinType {
  llvm::StringLiteral name;
  TypeArgs args;
};
} // namespace

static constexpr BuiltinType builtinTypes[] = {
    {"bool", TypeArgs::None},    {"int", TypeArgs::None},
    {"float", TypeArgs::None},   {"string", TypeArgs::None},
    {"bytes", TypeArgs::None},   {"duration", TypeArgs::None},
    {"context", TypeArgs::None}, {"list", TypeArgs::List},
    {"handle", TypeArgs::One},   {"result", TypeArgs::One},
    {"kv", TypeArgs::Model},     {"tensor", TypeArgs::Tensor}};
/// Records that every program has.
static constexpr llvm::StringLiteral builtinRecords[] = {"Output", "Message"};

static const BuiltinType *findBuiltinType(llvm::StringRef name) {
  for (const BuiltinType &type : builtinTypes)
    if (type.name == name)
      return &type;
  return nullptr;
}

static bool isTypeArg(const ast::TypeArg &arg) {
  return arg.kind == ast::TypeArg::Type;
}

static bool isTensorForm(const ast::TypeRef &type) {
  return type.args.size() == 2 && isTypeArg(type.args[0]) &&
         type.args[1].kind == ast::TypeArg::Dims;
}

/// Reports a dtype that does not exist.
static std::optional<DType> dtypeOf(Diagnostics &diags,
                                    const ast::TypeRef &type) {
  std::optional<DType> dtype = parseDType(type.name.text);
  if (dtype && type.args.empty() && type.options == 0)
    return dtype;
  diags.error(type.range, "unknown dtype '" + type.name.text + "'" +
                              didYouMean(type.name.text, dtypeNames()));
  return std::nullopt;
}

static constexpr llvm::StringLiteral tensorForm =
    "'tensor' takes a dtype and dims, as in tensor<f32, [H, S, D]>";

bool Checker::checkType(const ast::TypeRef &type) {
  auto found = checkedTypes.find(&type);
  if (found != checkedTypes.end())
    return found->second;
  unsigned before = diags.errorCount();
  checkTypeOnce(type);
  return checkedTypes[&type] = diags.errorCount() == before;
}

void Checker::checkTypeOnce(const ast::TypeRef &type) {
  llvm::StringRef name = type.name.text;
  const BuiltinType *builtin = findBuiltinType(name);
  TypeArgs form = builtin ? builtin->args : TypeArgs::None;
  const ast::Decl *decl = builtin ? nullptr : find(name);
  bool declared = llvm::isa_and_nonnull<ast::RecordDecl, ast::EnumDecl>(decl);
  if (!builtin && !declared && !llvm::is_contained(builtinRecords, name)) {
    if (decl) {
      diags.error(type.name.range,
                  "'" + name + "' is " + kindOf(*decl) + ", not a type");
      return;
    }
    std::vector<llvm::StringRef> candidates(std::begin(builtinRecords),
                                            std::end(builtinRecords));
    for (const BuiltinType &known : builtinTypes)
      candidates.push_back(known.name);
    llvm::append_range(candidates, namesOf<ast::RecordDecl>());
    llvm::append_range(candidates, namesOf<ast::EnumDecl>());
    diags.error(type.name.range,
                "unknown type '" + name + "'" + didYouMean(name, candidates));
    return;
  }
  auto refuse = [&](const llvm::Twine &message) {
    diags.error(type.range, message);
  };
  switch (form) {
  case TypeArgs::None:
    if (!type.args.empty())
      refuse("'" + name + "' takes nothing in angle brackets");
    return;
  case TypeArgs::One:
    if (type.args.size() != 1 || !isTypeArg(type.args[0]))
      return refuse("'" + name + "' takes one type, as in " + name +
                    "<string>");
    checkType(*type.args[0].type);
    return;
  case TypeArgs::List: {
    bool bounded =
        type.args.size() == 2 && type.args[1].kind == ast::TypeArg::Max;
    if (type.args.empty() || !isTypeArg(type.args[0]) ||
        (type.args.size() > 1 && !bounded))
      return refuse("'list' takes a type and may take a bound, as in "
                    "list<string, max 8>");
    checkType(*type.args[0].type);
    if (!bounded)
      return;
    std::optional<int64_t> max =
        ExprChecker(*this).checkConstantInt(*type.args[1].max, "'max'");
    if (max && *max < 0)
      diags.error(type.args[1].max->range,
                  "'max' cannot be negative, got " + llvm::Twine(*max));
    return;
  }
  case TypeArgs::Model: {
    if (type.args.size() != 1 || !isTypeArg(type.args[0]))
      return refuse("'kv' takes a model, as in kv<M>");
    const ast::TypeRef &model = *type.args[0].type;
    if (!findAs<ast::ModelDecl>(model.name.text))
      diags.error(model.range,
                  "unknown model '" + model.name.text + "'" +
                      didYouMean(model.name.text, namesOf<ast::ModelDecl>()));
    return;
  }
  case TypeArgs::Tensor:
    if (!isTensorForm(type))
      return refuse(tensorForm);
    dtypeOf(diags, *type.args[0].type);
    return;
  }
}

std::optional<TensorType> Checker::tensorType(const ast::TypeRef &type,
                                              DimEvaluator evaluate) {
  if (!isTensorForm(type)) {
    diags.error(type.range, tensorForm);
    return std::nullopt;
  }
  std::optional<DType> dtype = dtypeOf(diags, *type.args[0].type);
  TensorType result{dtype.value_or(DType::F32), {}};
  bool ok = dtype.has_value();
  for (const ast::Expr *expr : type.args[1].dims) {
    Dim dim = evaluate(*expr);
    ok &= dim != nullptr;
    result.shape.push_back(dim);
  }
  if (!ok || !checkSize(result, type.range))
    return std::nullopt;
  return result;
}

bool Checker::checkSize(const TensorType &type, llvm::SMRange range) {
  // Bytes: no dtype has more than 8.
  int64_t bytes = 8;
  bool overflow = false;
  for (Dim dim : type.shape) {
    std::optional<int64_t> size = dim->constant();
    if (size == 0)
      return true;
    overflow |= size && llvm::MulOverflow(bytes, *size, bytes);
  }
  if (overflow)
    diags.error(range, type.str() + " has more bytes than fit 64 bits");
  return !overflow;
}

std::string Checker::typeText(const ast::TypeRef &type) {
  llvm::StringRef source(type.range.Start.getPointer(),
                         type.range.End.getPointer() -
                             type.range.Start.getPointer());
  std::string text;
  while (!source.empty()) {
    if (source.starts_with("//")) {
      source = source.drop_until([](char c) { return c == '\n'; });
    } else if (source.consume_front("/*")) {
      source =
          source.drop_front(std::min(source.size(), source.find("*/") + 2));
    } else if (llvm::isSpace(source.front())) {
      source = source.ltrim();
      if (!text.empty() && text.back() != ' ')
        text += ' ';
    } else {
      text += source.front();
      source = source.drop_front();
    }
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Records and enums
//===----------------------------------------------------------------------===//

/// Reports the second of two names.
static bool checkTwice(Diagnostics &diags, llvm::StringMap<llvm::SMRange> &seen,
                       const ast::Ident &name, llvm::StringRef what) {
  auto [entry, fresh] = seen.try_emplace(name.text, name.range);
  if (!fresh)
    diags.error(name.range, what + " '" + name.text + "' is declared twice")
        .note(entry->second, "first declared here");
  return fresh;
}

static void checkTypeName(Diagnostics &diags, const ast::Decl &decl) {
  if (findBuiltinType(decl.name.text) ||
      llvm::is_contained(builtinRecords, decl.name.text))
    diags.error(decl.name.range, "'" + decl.name.text + "' is a built-in type");
}

void Checker::checkBounds(const ast::Field &field) {
  llvm::StringRef type = field.type->name.text;
  bool isInt = type == "int", isFloat = type == "float";
  if (!isInt && !isFloat) {
    diags.error(field.bounds->range,
                "only an int or a float has bounds, got '" + type + "'");
    return;
  }
  const auto *range = dyn_cast<ast::RangeExpr>(field.bounds);
  if (!range) {
    diags.error(field.bounds->range,
                "expected a range as bounds, such as 0.0..1.0");
    return;
  }
  std::optional<double> ends[2];
  const ast::Expr *exprs[2] = {range->from, range->to};
  for (unsigned i = 0; i < 2; ++i) {
    Value value = ExprChecker(*this).check(*exprs[i]);
    if (value.isPoison())
      return;
    ends[i] = value.constantNumber();
    if (!ends[i] || (isInt && !value.isInt())) {
      diags.error(exprs[i]->range,
                  "expected " + llvm::Twine(isInt ? "an int" : "a number") +
                      " as a bound, got " + describe(value));
      return;
    }
  }
  if (*ends[0] > *ends[1])
    diags.error(field.bounds->range, "the lower bound is above the upper one");
}

void Checker::checkRecord(const ast::RecordDecl &decl) {
  checkTypeName(diags, decl);
  llvm::StringMap<llvm::SMRange> seen;
  for (const ast::Field *field : decl.fields) {
    checkTwice(diags, seen, field->name, "field");
    checkType(*field->type);
    if (field->bounds) {
      unsigned before = diags.errorCount();
      checkBounds(*field);
      if (diags.errorCount() == before)
        boundedFields.insert(field);
    }
  }
}

void Checker::checkEnum(const ast::EnumDecl &decl) {
  checkTypeName(diags, decl);
  llvm::StringMap<llvm::SMRange> seen;
  for (const ast::Ident &value : decl.values)
    checkTwice(diags, seen, value, "value");
}

// A record that holds itself, not behind an option, a list or a handle, would
// never end. Each record is followed through its first such field only once, so
// this is linear; the path stands on a stack of its own.
void Checker::checkRecordCycles() {
  llvm::DenseMap<const ast::RecordDecl *, State> states;
  struct Frame {
    const ast::RecordDecl *record;
    size_t next;
  };
  for (const ast::Decl *decl : decls) {
    const auto *root = dyn_cast<ast::RecordDecl>(decl);
    if (!root || states[root] != State::Fresh)
      continue;
    std::vector<Frame> path = {{root, 0}};
    states[root] = State::Running;
    while (!path.empty()) {
      Frame &frame = path.back();
      if (frame.next == frame.record->fields.size()) {
        states[frame.record] = State::Done;
        path.pop_back();
        continue;
      }
      const ast::Field &field = *frame.record->fields[frame.next++];
      llvm::StringRef type = field.type->name.text;
      // A record may not have the name of a built-in type; the name goes on to
      // mean that one.
      const auto *inner = field.type->options || findBuiltinType(type)
                              ? nullptr
                              : findAs<ast::RecordDecl>(type);
      if (!inner || states[inner] == State::Done)
        continue;
      if (states[inner] == State::Running) {
        diags.error(field.type->range,
                    "record '" + inner->name.text +
                        "' contains itself; use an option, a list or a handle");
        continue;
      }
      states[inner] = State::Running;
      path.push_back({inner, 0});
    }
  }
}

void Checker::checkDeclarations() {
  applyDefines();
  for (const ast::Decl *decl : decls)
    if (const auto *value = dyn_cast<ast::ConstDecl>(decl))
      constValue(*value);
  for (const ast::Decl *decl : decls) {
    if (const auto *record = dyn_cast<ast::RecordDecl>(decl))
      checkRecord(*record);
    else if (const auto *declared = dyn_cast<ast::EnumDecl>(decl))
      checkEnum(*declared);
    else if (const auto *target = dyn_cast<ast::TargetDecl>(decl))
      checkTarget(*target);
    else if (const auto *mesh = dyn_cast<ast::MeshDecl>(decl))
      checkMesh(*mesh);
    else if (const auto *model = dyn_cast<ast::ModelDecl>(decl))
      checkModel(*model);
    else if (const auto *weights = dyn_cast<ast::WeightsDecl>(decl))
      checkWeights(*weights);
    else if (const auto *llm = dyn_cast<ast::LlmDecl>(decl))
      checkLlm(*llm);
  }
  checkRecordCycles();
}
