// Signatures of graphs: which names of dims there are, where each is read, and
// the types of parameters and results over them. A name is read from the first
// parameter that has it as a whole dim; `where` gives names a value instead.
#include "frontend/AST/Walk.h"
#include "frontend/Sema/ExprChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace agt;
using namespace agt::sema;
using llvm::dyn_cast;

namespace {

class SignatureBuilder {
public:
  SignatureBuilder(Checker &checker, const ast::GraphDecl &decl,
                   GraphSignature &signature)
      : checker(checker), diags(checker.diags), decl(decl), out(signature) {}

  void build();

private:
  void collectWhere();
  void collectSources();
  bool waits(const ast::Expr &expr);
  void evaluateWhere();
  void checkNames();
  bool isTensor(const ast::TypeRef &type) {
    return type.name.text == "tensor" && type.options == 0;
  }
  llvm::ArrayRef<ast::Expr *> dimsOf(const ast::TypeRef &type);
  bool knowsNames(const ast::Expr &expr);
  Dim evaluate(const ast::Expr &expr);
  SignatureItem item(const ast::Ident &name, const ast::TypeRef &type,
                     llvm::StringRef what);
  void cacheItem(SignatureItem &item, const ast::TypeRef &type);
  std::optional<unsigned> tokensParam();
  std::optional<int64_t> cacheSize(const ast::ModelDecl &model,
                                   llvm::StringRef field,
                                   const ast::TypeRef &type);
  void error(llvm::SMRange range, const llvm::Twine &message) {
    diags.error(range, message);
    out.valid = false;
  }

  Checker &checker;
  Diagnostics &diags;
  const ast::GraphDecl &decl;
  GraphSignature &out;
  /// Names inside larger dims of parameters, for a better message.
  llvm::StringSet<> inside;
};

} // namespace

llvm::ArrayRef<ast::Expr *> SignatureBuilder::dimsOf(const ast::TypeRef &type) {
  if (!isTensor(type) || type.args.size() != 2 ||
      type.args[1].kind != ast::TypeArg::Dims)
    return {};
  return type.args[1].dims;
}

void SignatureBuilder::collectWhere() {
  for (const ast::WhereDim &dim : decl.where) {
    llvm::StringRef name = dim.name.text;
    if (const auto *value = checker.findAs<ast::ConstDecl>(name)) {
      diags.error(dim.name.range, "'" + name + "' is a const already")
          .note(value->name.range, "declared here");
      out.valid = false;
    } else if (!out.env.try_emplace(name, nullptr).second) {
      error(dim.name.range, "dim '" + name + "' is fixed twice");
    }
  }
}

void SignatureBuilder::collectSources() {
  for (unsigned i = 0; i < decl.params.size(); ++i) {
    llvm::ArrayRef<ast::Expr *> dims = dimsOf(*decl.params[i]->type);
    for (unsigned j = 0; j < dims.size(); ++j) {
      const auto *name = dyn_cast<ast::NameRef>(dims[j]);
      if (!name) {
        ast::walk(*dims[j], [&](ast::Node &node) {
          if (const auto *part = dyn_cast<ast::NameRef>(&node))
            inside.insert(part->name.text);
          return true;
        });
        continue;
      }
      llvm::StringRef text = name->name.text;
      if (checker.findAs<ast::ConstDecl>(text) || out.env.count(text))
        continue;
      out.env[text] = checker.dims.name(text);
      out.sources.insert({text, DimSource{i, j, name->range}});
    }
  }
}

static bool canBeDim(ast::NodeKind kind) {
  switch (kind) {
  case ast::NodeKind::IntLit:
  case ast::NodeKind::FloatLit:
  case ast::NodeKind::StringLit:
  case ast::NodeKind::BoolLit:
  case ast::NodeKind::NoneLit:
  case ast::NodeKind::NameRef:
  case ast::NodeKind::UnaryExpr:
  case ast::NodeKind::ChainExpr:
    return true;
  default:
    return false;
  }
}

/// Reports names that nothing gives a value, and what is no dim at all.
bool SignatureBuilder::knowsNames(const ast::Expr &expr) {
  bool ok = true;
  ast::walk(const_cast<ast::Expr &>(expr), [&](ast::Node &node) {
    if (node.kind == ast::NodeKind::MemberExpr)
      return false; // The field of a model.
    if (!canBeDim(node.kind)) {
      error(node.range, "expected a dim: a number, a name, or + - * / % of "
                        "dims");
      return ok = false;
    }
    const auto *ref = dyn_cast<ast::NameRef>(&node);
    if (!ref)
      return true;
    llvm::StringRef name = ref->name.text;
    if (out.env.count(name) || checker.findAs<ast::ConstDecl>(name))
      return true;
    std::vector<llvm::StringRef> candidates = checker.namesOf<ast::ConstDecl>();
    for (const auto &entry : out.env)
      candidates.push_back(entry.first());
    llvm::sort(candidates);
    std::string what =
        inside.contains(name)
            ? "' cannot be worked out: no parameter has it as a whole dim"
            : "' is in no parameter" + didYouMean(name, candidates);
    error(ref->range, "dim '" + name + what);
    ok = false;
    return true;
  });
  return ok;
}

Dim SignatureBuilder::evaluate(const ast::Expr &expr) {
  if (!knowsNames(expr))
    return nullptr;
  return ExprChecker(checker, out).checkSize(expr);
}

/// Whether `where` fixes a name of the expression that has no value yet.
bool SignatureBuilder::waits(const ast::Expr &expr) {
  bool waits = false;
  ast::walk(const_cast<ast::Expr &>(expr), [&](ast::Node &node) {
    if (node.kind == ast::NodeKind::MemberExpr)
      return false; // The field of a model.
    if (const auto *ref = dyn_cast<ast::NameRef>(&node)) {
      auto found = out.env.find(ref->name.text);
      waits |= found != out.env.end() && !found->second;
    }
    return true;
  });
  return waits;
}

/// In whatever order they are written.
void SignatureBuilder::evaluateWhere() {
  std::vector<const ast::WhereDim *> open;
  llvm::StringSet<> fixed; // one that is fixed twice keeps its first value
  for (const ast::WhereDim &dim : decl.where)
    if (auto found = out.env.find(dim.name.text);
        found != out.env.end() && !found->second &&
        fixed.insert(dim.name.text).second)
      open.push_back(&dim);
  while (!open.empty()) {
    auto ready = llvm::find_if(
        open, [&](const ast::WhereDim *dim) { return !waits(*dim->value); });
    if (ready == open.end()) {
      // What waits for a value that is wrong says nothing more.
      const ast::Ident &name = open.front()->name;
      if (out.valid)
        error(name.range,
              "the value of dim '" + name.text + "' depends on itself");
      return;
    }
    Dim value = evaluate(*(*ready)->value);
    out.valid &= value != nullptr;
    out.env[(*ready)->name.text] = value;
    open.erase(ready);
  }
}

/// The first parameter that is tensor<i32, [T]>: the new tokens of caches.
std::optional<unsigned> SignatureBuilder::tokensParam() {
  for (unsigned i = 0; i < decl.params.size(); ++i) {
    const ast::TypeRef &type = *decl.params[i]->type;
    if (dimsOf(type).size() == 1 && type.args[0].kind == ast::TypeArg::Type &&
        type.args[0].type->name.text == "i32")
      return i;
  }
  return std::nullopt;
}

/// A field of a model that a cache is made by; nothing after an error.
std::optional<int64_t> SignatureBuilder::cacheSize(const ast::ModelDecl &model,
                                                   llvm::StringRef field,
                                                   const ast::TypeRef &type) {
  const ast::Prop *prop = model.props ? model.props->find(field) : nullptr;
  if (prop)
    return checker.modelField(model, prop->word).constantInt();
  diags
      .error(type.range,
             "a cache needs '" + field + "' of model '" + model.name.text + "'")
      .note(model.name.range, "'" + model.name.text + "' is declared here");
  return std::nullopt;
}

void SignatureBuilder::cacheItem(SignatureItem &item,
                                 const ast::TypeRef &type) {
  const auto &model =
      *checker.findAs<ast::ModelDecl>(type.args[0].type->name.text);
  CacheInfo info;
  info.model = &model;
  bool ok = true;
  for (auto [field, size] : {std::pair("layers", &info.layers),
                             {"kv_heads", &info.heads},
                             {"head_dim", &info.headDim}}) {
    std::optional<int64_t> value = cacheSize(model, field, type);
    ok &= value.has_value();
    *size = value.value_or(0);
  }
  if (const ast::Prop *kv = model.props ? model.props->find("kv") : nullptr) {
    Value value = checker.modelField(model, kv->word);
    ok &= !value.isPoison();
    if (!value.isPoison())
      info.dtype = *parseDType(value.text);
  }
  if (const ast::Prop *vocab =
          model.props ? model.props->find("vocab") : nullptr)
    info.vocab =
        checker.modelField(model, vocab->word).constantInt().value_or(0);
  std::optional<unsigned> tokens = tokensParam();
  if (!tokens)
    error(type.range, "a graph with a cache needs a parameter for its new "
                      "tokens, a tensor<i32, [T]>");
  if (ok && !isFloat(info.dtype)) {
    checker.refuseLater(&decl, type.range,
                        ("a cache of " + dtypeName(info.dtype)).str());
    ok = false;
  }
  if (ok && decl.mesh) {
    checker.refuseLater(&decl, type.range, "a cache on a mesh");
    ok = false;
  }
  Dim count =
      tokens ? evaluate(*dimsOf(*decl.params[*tokens]->type)[0]) : nullptr;
  item.valid = ok && count;
  out.valid &= item.valid;
  if (!item.valid)
    return;
  info.tokens = *tokens;
  item.type = {DType::I32, {count}};
  item.cache = info;
}

SignatureItem SignatureBuilder::item(const ast::Ident &name,
                                     const ast::TypeRef &type,
                                     llvm::StringRef what) {
  SignatureItem item;
  item.name = name.text;
  item.range =
      name ? llvm::SMRange(name.range.Start, type.range.End) : type.range;
  item.text = Checker::typeText(type);
  for (const ast::Expr *dim : dimsOf(type))
    item.dimRanges.push_back(dim->range);
  if (!isTensor(type)) {
    unsigned before = diags.errorCount();
    checker.checkType(type);
    if (diags.errorCount() != before) {
      out.valid = false;
      return item;
    }
    if (type.name.text == "kv" && type.options == 0 && what == "parameter")
      cacheItem(item, type);
    else
      error(type.range, "a " + what + " of a graph must be a tensor, got '" +
                            item.text + "'");
    return item;
  }
  std::optional<TensorType> tensor = checker.tensorType(
      type, [&](const ast::Expr &expr) { return evaluate(expr); });
  out.valid &= tensor.has_value();
  if (tensor)
    item.type = std::move(*tensor);
  item.valid = tensor.has_value();
  return item;
}

/// Reports two parameters, or two results, of one name.
void SignatureBuilder::checkNames() {
  auto check = [&](llvm::StringMap<llvm::SMRange> &seen, const ast::Ident &name,
                   llvm::StringRef what) {
    if (!name)
      return;
    auto [entry, fresh] = seen.try_emplace(name.text, name.range);
    if (fresh)
      return;
    diags.error(name.range, what + " '" + name.text + "' is declared twice")
        .note(entry->second, "first declared here");
    out.valid = false;
  };
  llvm::StringMap<llvm::SMRange> params, results;
  for (const ast::Param *param : decl.params)
    check(params, param->name, "parameter");
  for (const ast::GraphResult &result : decl.results)
    check(results, result.name, "result");
}

void SignatureBuilder::build() {
  out.decl = &decl;
  checkNames();
  collectWhere();
  collectSources();
  evaluateWhere();
  for (const ast::Param *param : decl.params)
    out.params.push_back(item(param->name, *param->type, "parameter"));
  for (const ast::GraphResult &result : decl.results)
    out.results.push_back(item(result.name, *result.type, "result"));
  if (!decl.mesh)
    return;
  if (!checker.findAs<ast::MeshDecl>(decl.mesh.text))
    diags.error(
        decl.mesh.range,
        "unknown mesh '" + decl.mesh.text + "'" +
            didYouMean(decl.mesh.text, checker.namesOf<ast::MeshDecl>()));
}

const GraphSignature &Checker::signature(const ast::GraphDecl &decl) {
  GraphSignature *&signature = signatures[&decl];
  if (!signature) {
    ownedSignatures.push_back(std::make_unique<GraphSignature>());
    signature = ownedSignatures.back().get();
    SignatureBuilder(*this, decl, *signature).build();
  }
  return *signature;
}
