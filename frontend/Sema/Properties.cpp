// Declarations made of properties: targets, meshes, models, weights, llms.
// Which properties there are is a table for each; values are single expressions
// with units that the checker compares.
#include "frontend/Sema/ExprChecker.h"
#include "frontend/Sema/PropertyList.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using llvm::dyn_cast;

//===----------------------------------------------------------------------===//
// What all have in common
//===----------------------------------------------------------------------===//

llvm::StringRef agt::sema::labelOf(const ast::Prop &prop) {
  if (prop.stringLabel)
    return prop.stringLabel->constant().value_or("");
  return prop.label.text;
}

llvm::SMRange agt::sema::labelRange(const ast::Prop &prop) {
  if (prop.stringLabel)
    return prop.stringLabel->range;
  return prop.label ? prop.label.range : prop.word.range;
}

void agt::sema::forEachProp(Diagnostics &diags,
                            llvm::ArrayRef<ast::Prop *> props,
                            llvm::StringRef what,
                            llvm::ArrayRef<llvm::StringRef> known,
                            llvm::ArrayRef<llvm::StringRef> labelled,
                            llvm::function_ref<void(const ast::Prop &)> check) {
  llvm::StringMap<llvm::SMRange> seen;
  for (const ast::Prop *prop : props) {
    llvm::StringRef word = prop->word.text;
    if (!known.empty() && !llvm::is_contained(known, word)) {
      diags.error(prop->word.range, what + " has no property '" + word + "'" +
                                        didYouMean(word, known));
      continue;
    }
    bool hasLabel = prop->label || prop->stringLabel;
    bool mayHaveLabel = llvm::is_contained(labelled, word);
    if (hasLabel && !mayHaveLabel) {
      diags.error(labelRange(*prop), "'" + word + "' takes no label");
      continue;
    }
    std::string key = (word + " " + labelOf(*prop)).str();
    auto [entry, fresh] = seen.try_emplace(key, prop->word.range);
    if (!fresh) {
      diags
          .error(prop->word.range,
                 "'" + llvm::StringRef(key).rtrim() + "' is given twice")
          .note(entry->second, "first given here");
      continue;
    }
    check(*prop);
  }
}

const ast::Expr *agt::sema::singleValue(Diagnostics &diags,
                                        const ast::Prop &prop) {
  const ast::Value *value = prop.values.size() == 1 ? prop.values[0] : nullptr;
  if (value && value->value == ast::Value::Plain && value->more.empty())
    return value->expr;
  diags.error(prop.values.empty() ? prop.word.range
                                  : prop.values.front()->range,
              "'" + prop.word.text + "' takes one value");
  return nullptr;
}

static llvm::StringRef unitName(ast::QuantityLit::Unit unit) {
  switch (unit) {
  case ast::QuantityLit::Bytes:
    return "a size above 0, such as 80GiB,";
  case ast::QuantityLit::BytesPerSecond:
    return "a rate above 0, such as 50GB/s,";
  case ast::QuantityLit::FlopsPerSecond:
    return "a rate above 0, such as 990TFLOPS,";
  case ast::QuantityLit::Hertz:
    return "a frequency above 0, such as 1GHz,";
  }
  return "";
}

static double quantity(Diagnostics &diags, const ast::Prop &prop,
                       ast::QuantityLit::Unit unit) {
  const ast::Expr *expr = singleValue(diags, prop);
  if (!expr)
    return 0;
  const auto *literal = dyn_cast<ast::QuantityLit>(expr);
  if (literal && literal->unit == unit && literal->value > 0)
    return literal->value;
  diags.error(expr->range,
              "expected " + unitName(unit) + " for '" + prop.word.text + "'");
  return 0;
}

/// A declaration may have no properties at all.
static llvm::ArrayRef<ast::Prop *> listOf(const ast::Props *props) {
  if (!props)
    return {};
  return props->props;
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral builtinForm =
    "expected a built-in description, such as builtin(\"h100-sxm\")";

/// `builtin("name")`.
static TargetInfo baseOf(Diagnostics &diags, const ast::Expr &expr) {
  const auto *call = dyn_cast<ast::CallExpr>(&expr);
  const auto *callee = call ? dyn_cast<ast::NameRef>(call->callee) : nullptr;
  const auto *literal = callee && callee->name.text == "builtin" &&
                                call->args.size() == 1 && !call->args[0].name
                            ? dyn_cast<ast::StringLit>(call->args[0].value)
                            : nullptr;
  if (!literal || !literal->constant()) {
    diags.error(expr.range, builtinForm);
    return {};
  }
  llvm::StringRef name = *literal->constant();
  if (const TargetInfo *device = findDevice(name))
    return *device;
  diags.error(literal->range, "unknown device '" + name + "'" +
                                  didYouMean(name, deviceNames()));
  return {};
}

void Checker::checkTarget(const ast::TargetDecl &decl) {
  TargetInfo info;
  if (decl.base)
    info = baseOf(diags, *decl.base);
  info.name = decl.name.text.str();
  forEachProp(
      diags, listOf(decl.props), "a target",
      {"memory", "flops", "bandwidth", "link", "overhead"}, {"flops"},
      [&](const ast::Prop &prop) {
        llvm::StringRef word = prop.word.text;
        if (word == "memory") {
          info.memoryBytes = quantity(diags, prop, ast::QuantityLit::Bytes);
        } else if (word == "flops") {
          double rate = quantity(diags, prop, ast::QuantityLit::FlopsPerSecond);
          std::optional<DType> dtype = parseDType(labelOf(prop));
          if (dtype)
            info.flops[unsigned(*dtype)] = rate;
          else if (labelOf(prop).empty())
            diags.error(labelRange(prop),
                        "'flops' needs a dtype, as in flops f16: 990TFLOPS");
          else
            diags.error(labelRange(prop),
                        "unknown dtype '" + labelOf(prop) + "'" +
                            didYouMean(labelOf(prop), dtypeNames()));
        } else if (word == "overhead") {
          const ast::Expr *expr = singleValue(diags, prop);
          const auto *time = llvm::dyn_cast_or_null<ast::DurationLit>(expr);
          if (time)
            info.overheadNanoseconds = time->nanoseconds;
          else if (expr)
            diags.error(expr->range,
                        "expected a duration, such as 4us, for 'overhead'");
        } else {
          double rate = quantity(diags, prop, ast::QuantityLit::BytesPerSecond);
          (word == "link" ? info.link : info.bandwidth) = rate;
        }
      });
  targets.push_back(std::move(info));
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

static MeshAxis *findAxis(MeshInfo &mesh, llvm::StringRef name) {
  for (MeshAxis &axis : mesh.axes)
    if (axis.name == name)
      return &axis;
  return nullptr;
}

static std::string axisSuggestion(const MeshInfo &mesh, llvm::StringRef name) {
  std::vector<llvm::StringRef> names;
  for (const MeshAxis &axis : mesh.axes)
    names.push_back(axis.name);
  return didYouMean(name, names);
}

void Checker::checkAxes(const ast::Prop &prop, MeshInfo &mesh) {
  for (const ast::Value *value : prop.values) {
    if (value->value != ast::Value::Named) {
      diags.error(value->range, "expected an axis and its size, as in cp = 4");
      continue;
    }
    if (findAxis(mesh, value->name.text)) {
      diags.error(value->name.range,
                  "axis '" + value->name.text + "' is declared twice");
      continue;
    }
    std::optional<int64_t> size = ExprChecker(*this).checkConstantInt(
        *value->expr, "the size of an axis");
    if (size && *size < 1)
      diags.error(value->expr->range,
                  "an axis has at least 1 position, got " + llvm::Twine(*size));
    mesh.axes.push_back({value->name.text.str(), size.value_or(1), 0});
  }
}

void Checker::checkMesh(const ast::MeshDecl &decl) {
  MeshInfo mesh;
  mesh.name = decl.name.text.str();
  mesh.range = decl.name.range;
  if (mesh.name == "single")
    diags.error(decl.name.range,
                "'single' is the name of one device and cannot be a mesh");
  if (const ast::Prop *axes = decl.props ? decl.props->find("axes") : nullptr)
    checkAxes(*axes, mesh);
  else
    diags.error(decl.name.range, "mesh '" + decl.name.text +
                                     "' needs 'axes', as in axes: cp = 4");
  forEachProp(diags, listOf(decl.props), "a mesh", {"axes", "target", "link"},
              {"link"}, [&](const ast::Prop &prop) {
                if (prop.word.text == "target")
                  checkMeshTarget(prop, mesh);
                else if (prop.word.text == "link")
                  checkMeshLink(prop, mesh);
              });
  meshes.push_back(std::move(mesh));
}

void Checker::checkMeshTarget(const ast::Prop &prop, MeshInfo &mesh) {
  const ast::Expr *expr = singleValue(diags, prop);
  if (!expr)
    return;
  const auto *name = dyn_cast<ast::NameRef>(expr);
  if (!name) {
    diags.error(expr->range, "expected the name of a target");
    return;
  }
  mesh.target = name->name.text.str();
  if (!findAs<ast::TargetDecl>(mesh.target))
    diags.error(expr->range,
                "unknown target '" + mesh.target + "'" +
                    didYouMean(mesh.target, namesOf<ast::TargetDecl>()));
}

void Checker::checkMeshLink(const ast::Prop &prop, MeshInfo &mesh) {
  double rate = quantity(diags, prop, ast::QuantityLit::BytesPerSecond);
  llvm::StringRef label = labelOf(prop);
  if (MeshAxis *axis = findAxis(mesh, label)) {
    axis->link = rate;
    return;
  }
  if (label.empty())
    diags.error(prop.word.range, "'link' needs an axis, as in link cp: 50GB/s");
  else
    diags.error(labelRange(prop), "mesh '" + mesh.name + "' has no axis '" +
                                      label + "'" +
                                      axisSuggestion(mesh, label));
}

const MeshInfo *Checker::mesh(llvm::StringRef name) const {
  for (const MeshInfo &mesh : meshes)
    if (mesh.name == name)
      return &mesh;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

Value Checker::modelField(const ast::ModelDecl &decl,
                          const ast::Ident &member) {
  std::vector<llvm::StringRef> candidates;
  if (decl.props)
    for (const ast::Prop *prop : decl.props->props)
      candidates.push_back(prop->word.text);
  const ast::Prop *prop = decl.props ? decl.props->find(member.text) : nullptr;
  if (prop)
    return modelValue(*prop);
  diags
      .error(member.range, "model '" + decl.name.text + "' has no field '" +
                               member.text + "'" +
                               didYouMean(member.text, candidates))
      .note(decl.name.range, "'" + decl.name.text + "' is declared here");
  return Value::poison();
}

Value Checker::modelValue(const ast::Prop &prop) {
  State &state = modelFieldStates[&prop];
  if (state == State::Done)
    return modelFields[&prop];
  if (state == State::Running) {
    diags.error(prop.word.range,
                "field '" + prop.word.text + "' depends on itself");
    return Value::poison();
  }
  if (constDepth >= maxConstDepth) {
    diags.error(prop.word.range, "field '" + prop.word.text +
                                     "' depends on more than 256 fields and "
                                     "consts that are declared later");
    state = State::Done;
    return modelFields[&prop] = Value::poison();
  }
  state = State::Running;
  ++constDepth;
  Value value = evaluateField(prop);
  --constDepth;
  modelFieldStates[&prop] = State::Done;
  return modelFields[&prop] = value;
}

Value Checker::evaluateField(const ast::Prop &prop) {
  const ast::Expr *expr = singleValue(diags, prop);
  if (!expr)
    return Value::poison();
  llvm::StringRef word = prop.word.text;
  if (word == "weights" || word == "kv") {
    const auto *name = dyn_cast<ast::NameRef>(expr);
    llvm::StringRef text = name ? name->name.text : "";
    if (!parseDType(text)) {
      diags.error(expr->range, "expected a dtype for '" + word + "'" +
                                   didYouMean(text, dtypeNames()));
      return Value::poison();
    }
    Value value;
    value.kind = Value::DTypeName;
    value.text = text.str();
    return value;
  }
  Value value = ExprChecker(*this).check(*expr);
  bool count = llvm::is_contained(
      llvm::ArrayRef<llvm::StringRef>{"layers", "hidden", "heads", "kv_heads",
                                      "head_dim", "ffn", "vocab"},
      word);
  if (value.isPoison())
    return value;
  if (count ? value.constantInt().value_or(0) < 1 : !value.isNumber()) {
    diags.error(expr->range,
                "expected " +
                    llvm::Twine(count ? "an int of at least 1" : "a number") +
                    " for '" + word + "', got " + describe(value));
    return Value::poison();
  }
  return value;
}

void Checker::noteModel(const ast::ModelDecl &decl) {
  ModelInfo info;
  info.name = decl.name.text.str();
  info.range = decl.name.range;
  auto value = [&](llvm::StringRef word) {
    const ast::Prop *prop = decl.props ? decl.props->find(word) : nullptr;
    return prop ? modelValue(*prop) : Value::poison();
  };
  auto count = [&](llvm::StringRef word) {
    return value(word).constantInt().value_or(0);
  };
  info.layers = count("layers");
  info.heads = count("heads");
  info.kvHeads = count("kv_heads");
  info.headDim = count("head_dim");
  info.hidden = count("hidden");
  info.params = value("params").constantNumber().value_or(0);
  info.weights = parseDType(value("weights").text).value_or(DType::F32);
  info.cache = parseDType(value("kv").text).value_or(DType::F32);
  models.push_back(std::move(info));
}

void Checker::checkModel(const ast::ModelDecl &decl) {
  forEachProp(diags, listOf(decl.props), "a model", {}, {},
              [&](const ast::Prop &prop) { modelValue(prop); });
  noteModel(decl);
  const ast::Prop *heads = decl.props ? decl.props->find("heads") : nullptr;
  const ast::Prop *shared = decl.props ? decl.props->find("kv_heads") : nullptr;
  if (!heads || !shared)
    return;
  std::optional<int64_t> n = modelValue(*heads).constantInt(),
                         m = modelValue(*shared).constantInt();
  if (n && m && *n % *m != 0)
    diags.error(shared->word.range,
                "'heads' must be a multiple of 'kv_heads', got " +
                    llvm::Twine(*n) + " and " + llvm::Twine(*m));
}

//===----------------------------------------------------------------------===//
// Llms
//===----------------------------------------------------------------------===//

void Checker::checkLlm(const ast::LlmDecl &decl) {
  llvm::StringRef source = decl.source.text;
  if (decl.fromGraph)
    return checkLocalLlm(decl);
  static const llvm::StringRef providers[] = {"openai", "mock"};
  if (!llvm::is_contained(providers, source))
    diags.error(decl.source.range, "unknown provider '" + source +
                                       "', expected " + oneOf(providers) +
                                       didYouMean(source, providers));
}
