// Names of a file, the values of consts, enums and fields of models, and the
// refusal of what has no meaning yet.
#include "frontend/Sema/ExprChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace agt;
using namespace agt::sema;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

llvm::StringRef agt::sema::keywordOf(const ast::Decl &decl) {
  switch (decl.kind) {
  case ast::NodeKind::ConstDecl:
    return "const";
  case ast::NodeKind::RecordDecl:
    return "record";
  case ast::NodeKind::EnumDecl:
    return "enum";
  case ast::NodeKind::TargetDecl:
    return "target";
  case ast::NodeKind::MeshDecl:
    return "mesh";
  case ast::NodeKind::ModelDecl:
    return "model";
  case ast::NodeKind::WeightsDecl:
    return "weights";
  case ast::NodeKind::LlmDecl:
    return "llm";
  case ast::NodeKind::GraphDecl:
    return "graph";
  case ast::NodeKind::ToolDecl:
    return "tool";
  case ast::NodeKind::FnDecl:
    return "fn";
  case ast::NodeKind::AgentDecl:
    return "agent";
  default:
    return "test";
  }
}

std::string agt::sema::kindOf(const ast::Decl &decl) {
  llvm::StringRef keyword = keywordOf(decl);
  if (isa<ast::WeightsDecl>(decl))
    return "weights";
  bool vowel = keyword == "enum" || keyword == "agent" || keyword == "llm";
  return (vowel ? "an " : "a ") + keyword.str();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void Checker::declareOne(const ast::Decl &decl) {
  decls.push_back(&decl);
  if (!decl.name)
    return;
  auto [entry, fresh] = globals.try_emplace(decl.name.text, &decl);
  if (fresh)
    return;
  diags.error(decl.name.range, "'" + decl.name.text + "' is already declared")
      .note(entry->second->name.range,
            kindOf(*entry->second) + " is declared with this name here");
}

void Checker::declare(llvm::ArrayRef<const ast::File *> files) {
  for (const ast::File *file : files)
    for (const ast::Decl *decl : file->decls)
      declareOne(*decl);
  llvm::StringMap<const ast::TestDecl *> titles;
  for (const ast::Decl *decl : decls) {
    const auto *test = dyn_cast<ast::TestDecl>(decl);
    if (!test || !test->title->constant())
      continue;
    auto [entry, fresh] = titles.try_emplace(*test->title->constant(), test);
    if (!fresh)
      diags.error(test->title->range, "a test with this title already exists")
          .note(entry->second->title->range, "it is here");
  }
}

const ast::Decl *Checker::find(llvm::StringRef name) const {
  return globals.lookup(name);
}

std::vector<llvm::StringRef> Checker::names() const {
  return namesOf<ast::Decl>();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Checker::constValue(const ast::ConstDecl &decl) {
  ConstEntry &entry = consts[&decl];
  if (entry.state == State::Done)
    return entry.value;
  bool cycle = entry.state == State::Running;
  if (cycle || constDepth >= maxConstDepth) {
    diags.error(decl.name.range,
                "const '" + decl.name.text + "' depends on " +
                    (cycle ? "itself"
                           : "more than 256 consts that are declared later"));
    consts[&decl] = {State::Done, Value::poison()};
    return Value::poison();
  }
  entry.state = State::Running;
  ++constDepth;
  Value value = ExprChecker(*this).check(*decl.value);
  --constDepth;
  if (value.kind == Value::Tuple || value.kind == Value::None) {
    diags.error(decl.value->range, "a const cannot hold " + describe(value));
    value = Value::poison();
  }
  // A cycle that was found below has put poison here.
  ConstEntry &done = consts[&decl];
  if (done.state == State::Done)
    return done.value;
  done = {State::Done, defined(decl, std::move(value))};
  return done.value;
}

/// The value of `--define`, if there is one for this const.
Value Checker::defined(const ast::ConstDecl &decl, Value value) {
  for (const auto &[name, text] : llvm::reverse(options.defines))
    if (name == decl.name.text)
      return parseDefine(name, text, value);
  return value;
}

static std::optional<int64_t> parseInt(llvm::StringRef text) {
  int64_t factor = 1, value;
  for (auto [suffix, power] : {std::pair("Ki", 10), {"Mi", 20}, {"Gi", 30}})
    if (text.consume_back(suffix))
      factor = int64_t(1) << power;
  if (text.contains("__") || text.ends_with("_"))
    return std::nullopt;
  std::string digits = text.str();
  llvm::erase(digits, '_');
  if (llvm::StringRef(digits).getAsInteger(10, value) ||
      llvm::MulOverflow(value, factor, value))
    return std::nullopt;
  return value;
}

Value Checker::parseDefine(llvm::StringRef name, llvm::StringRef text,
                           const Value &declared) {
  auto fail = [&](const llvm::Twine &expected) {
    optionError("--define " + name + "=" + text + ": expected " + expected);
    return Value::poison();
  };
  switch (declared.kind) {
  case Value::Poison:
    return declared;
  case Value::Int:
    if (std::optional<int64_t> value = parseInt(text))
      return Value::ofInt(dims.constant(*value));
    return fail("an int");
  case Value::Float: {
    double value;
    if (text.getAsDouble(value) || !std::isfinite(value))
      return fail("a float");
    return Value::ofFloat(value);
  }
  case Value::Bool:
    if (text == "true" || text == "false")
      return Value::ofBool(text == "true");
    return fail("true or false");
  case Value::String:
    return Value::ofString(text.str());
  default:
    return fail("a const that is an int, a float, a bool or a string");
  }
}

void Checker::applyDefines() {
  std::vector<llvm::StringRef> candidates = namesOf<ast::ConstDecl>();
  for (const auto &[name, text] : options.defines)
    if (!findAs<ast::ConstDecl>(name))
      optionError("--define " + name + "=" + text + ": no const has this name" +
                  didYouMean(name, candidates));
}

Value Checker::enumValue(const ast::EnumDecl &decl, const ast::Ident &member) {
  std::vector<llvm::StringRef> candidates;
  for (const ast::Ident &value : decl.values)
    candidates.push_back(value.text);
  if (!llvm::is_contained(candidates, member.text)) {
    diags
        .error(member.range, "enum '" + decl.name.text + "' has no value '" +
                                 member.text + "'" +
                                 didYouMean(member.text, candidates))
        .note(decl.name.range, "'" + decl.name.text + "' is declared here");
    return Value::poison();
  }
  Value value;
  value.kind = Value::EnumValue;
  value.decl = &decl;
  value.text = member.text.str();
  return value;
}

std::optional<Value> Checker::globalValue(llvm::StringRef name) {
  if (const auto *decl = findAs<ast::ConstDecl>(name))
    return constValue(*decl);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Calls and refusals
//===----------------------------------------------------------------------===//

void Checker::noteCall(const ast::GraphDecl &caller,
                       const ast::GraphDecl &callee, llvm::SMRange range) {
  std::vector<CallSite> &sites = calls[&caller];
  if (llvm::none_of(
          sites, [&](const CallSite &site) { return site.callee == &callee; }))
    sites.push_back({&callee, range});
}

llvm::ArrayRef<Checker::CallSite>
Checker::callsOf(const ast::GraphDecl &decl) const {
  auto found = calls.find(&decl);
  if (found == calls.end())
    return {};
  return found->second;
}

void Checker::refuseLater(const ast::Decl *decl, llvm::SMRange range,
                          llvm::StringRef construct) {
  ++refusalsSeen;
  for (const Refusal &refusal : refusals)
    if (refusal.decl == decl && refusal.construct == construct)
      return;
  refusals.push_back({decl, range, construct.str()});
}

void Checker::refuse(llvm::ArrayRef<const ast::Decl *> chosen) {
  llvm::DenseSet<const ast::Decl *> set(chosen.begin(), chosen.end());
  std::vector<std::pair<llvm::SMRange, std::string>> found;
  for (const Refusal &refusal : refusals)
    if (!refusal.decl || set.contains(refusal.decl))
      found.emplace_back(refusal.range,
                         "'" + refusal.construct + "' cannot be compiled yet");
  llvm::sort(found, [](const auto &a, const auto &b) {
    return a.first.Start.getPointer() < b.first.Start.getPointer();
  });
  for (const auto &[range, message] : found)
    diags.error(range, message);
}
