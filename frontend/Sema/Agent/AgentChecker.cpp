// The order of checking: types and signatures first, so that bodies may call
// what is declared later; then tools and models; then bodies; then what needs
// all bodies: recursion and budgets.
#include "frontend/Sema/Agent/AgentChecker.h"
#include "frontend/Sema/Agent/BodyChecker.h"
#include "frontend/Sema/Agent/Properties.h"
#include "frontend/Sema/ExprChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::dyn_cast;
using llvm::isa;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

const Type *AgentChecker::builtinRecord(llvm::StringRef name) {
  auto found = builtins.find(name);
  return found == builtins.end() ? nullptr : types.record(*found->second);
}

const Type *AgentChecker::resolve(const ast::TypeRef &ref) {
  if (!checker.checkType(ref))
    return types.error();
  llvm::StringRef name = ref.name.text;
  const Type *type = nullptr;
  auto element = [&] { return resolve(*ref.args[0].type); };
  if (name == "bool")
    type = types.boolean();
  else if (name == "int")
    type = types.integer();
  else if (name == "float")
    type = types.floating();
  else if (name == "string")
    type = types.string();
  else if (name == "bytes")
    type = types.bytes();
  else if (name == "duration")
    type = types.duration();
  else if (name == "context")
    type = types.context();
  else if (name == "handle")
    type = types.handle(element());
  else if (name == "result")
    type = types.result(element());
  else if (name == "list")
    type = types.list(element(), ref.args.size() == 2
                                     ? ExprChecker(checker).checkConstantInt(
                                           *ref.args[1].max, "'max'")
                                     : std::nullopt);
  else if (const auto *record = checker.findAs<ast::RecordDecl>(name))
    type = types.record(*recordOf(*record));
  else if (const auto *decl = checker.findAs<ast::EnumDecl>(name))
    type = types.enumeration(*decl);
  else
    type = builtinRecord(name);
  if (!type) {
    diags.error(ref.range, "a '" + name +
                               "' is a value of graphs, and agents "
                               "have none");
    return types.error();
  }
  return ref.options ? types.option(type) : type;
}

const Type *AgentChecker::typeOf(const Value &value) {
  switch (value.kind) {
  case Value::Int:
    return value.constantInt() ? types.integer() : nullptr;
  case Value::Float:
    return value.number ? types.floating() : nullptr;
  case Value::Bool:
    return types.boolean();
  case Value::String:
    return types.string();
  case Value::Duration:
    return types.duration();
  case Value::EnumValue:
    return types.enumeration(*llvm::cast<ast::EnumDecl>(value.decl));
  case Value::List: {
    const Type *element = types.nothing();
    for (const Value &item : value.elements) {
      const Type *type = typeOf(item);
      element = type ? types.meet(element, type) : nullptr;
      if (!element)
        return nullptr;
    }
    return types.list(element, value.elements.size());
  }
  default:
    return nullptr;
  }
}

/// The ends of `in lower..upper`, which were checked with the record.
static void fillBounds(Checker &checker, const ast::Field &field,
                       RecordField &out) {
  const auto *range = llvm::dyn_cast_or_null<ast::RangeExpr>(field.bounds);
  if (!range || !checker.goodBounds(field))
    return;
  out.lower = ExprChecker(checker).check(*range->from).constantNumber();
  out.upper = ExprChecker(checker).check(*range->to).constantNumber();
}

void AgentChecker::fillRecord(RecordInfo &info) {
  for (const ast::Field *field : info.decl->fields) {
    RecordField entry;
    entry.name = field->name.text;
    entry.doc = field->doc;
    entry.range = llvm::SMRange(field->name.range.Start, field->range.End);
    // A tensor in a record is nobody's fault until an agent names the record.
    entry.type = resolve(*field->type);
    fillBounds(checker, *field, entry);
    info.fields.push_back(std::move(entry));
  }
}

void AgentChecker::declareRecords() {
  auto builtin =
      [&](llvm::StringRef name,
          std::vector<std::pair<llvm::StringRef, const Type *>> fields) {
        program.records.emplace_back();
        RecordInfo &info = program.records.back();
        info.name = name;
        for (const auto &[field, type] : fields) {
          RecordField entry;
          entry.name = field;
          entry.type = type;
          info.fields.push_back(entry);
        }
        builtins[name] = &info;
      };
  builtin("Output", {{"ok", types.boolean()},
                     {"exit", types.integer()},
                     {"stdout", types.string()},
                     {"stderr", types.string()}});
  builtin("Message", {{"role", types.string()}, {"text", types.string()}});
  builtin("failure", {{"step", types.string()}, {"message", types.string()}});
  for (const ast::Decl *decl : checker.allDecls()) {
    if (const auto *enumeration = dyn_cast<ast::EnumDecl>(decl))
      program.enums.push_back(enumeration);
    if (const auto *record = dyn_cast<ast::RecordDecl>(decl)) {
      program.records.emplace_back();
      RecordInfo &info = program.records.back();
      info.name = record->name.text;
      info.doc = record->doc;
      info.decl = record;
      records[record] = &info;
    }
  }
  for (RecordInfo &info : program.records)
    if (info.decl)
      fillRecord(info);
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

std::vector<Param> AgentChecker::params(llvm::ArrayRef<ast::Param *> list) {
  llvm::StringMap<llvm::SMRange> seen;
  std::vector<Param> result;
  for (const ast::Param *param : list) {
    auto [entry, fresh] = seen.try_emplace(param->name.text, param->name.range);
    if (!fresh)
      diags
          .error(param->name.range,
                 "parameter '" + param->name.text + "' is declared twice")
          .note(entry->second, "first declared here");
    result.push_back(
        {param->name.text, resolve(*param->type),
         llvm::SMRange(param->name.range.Start, param->type->range.End)});
  }
  return result;
}

void AgentChecker::declareProvider(const ast::ToolDecl &decl) {
  if (decl.provider.text != "mcp")
    diags.error(decl.provider.range,
                "unknown provider '" + decl.provider.text +
                    "', expected 'mcp'" +
                    didYouMean(decl.provider.text, {"mcp"}));
  program.servers.emplace_back();
  McpServer &server = program.servers.back();
  server.decl = &decl;
  if (decl.provider.text == "mcp")
    checkMcp(*this, server);
  llvm::StringMap<llvm::SMRange> seen;
  for (const ast::ToolDecl *tool : decl.tools) {
    auto [entry, fresh] = seen.try_emplace(tool->name.text, tool->name.range);
    if (!fresh)
      diags
          .error(tool->name.range,
                 "tool '" + tool->name.text + "' is declared twice")
          .note(entry->second, "first declared here");
    declareTool(*tool, &server);
    noteUse(decl, *tool, tool->name.range);
  }
}

const ToolInfo *AgentChecker::listedTool(const ast::ToolDecl &provider,
                                         const ast::Ident &name) {
  std::vector<llvm::StringRef> names;
  for (const ast::ToolDecl *tool : provider.tools) {
    if (tool->name.text == name.text)
      return program.toolOf.lookup(tool);
    names.push_back(tool->name.text);
  }
  diags
      .error(name.range, "tool '" + provider.name.text + "' lists no tool '" +
                             name.text + "'" + didYouMean(name.text, names))
      .note(provider.name.range, "declared here");
  return nullptr;
}

void AgentChecker::declareTool(const ast::ToolDecl &decl,
                               const McpServer *server) {
  program.tools.emplace_back();
  ToolInfo &info = program.tools.back();
  info.decl = &decl;
  info.server = server;
  info.name = decl.name.text.str();
  if (server)
    info.name = (server->decl->name.text + "." + decl.name.text).str();
  info.params = params(decl.params);
  info.result = resolve(*decl.result);
  info.timeoutRange = decl.name.range;
  if (!hasSchema(info.result))
    diags.error(decl.result->range,
                "a tool cannot give a '" + info.result->str() + "'");
  for (const Param &param : info.params)
    if (server && !hasSchema(param.type) && !param.type->is(Type::Bytes))
      diags.error(param.range,
                  "an MCP tool cannot be given a '" + param.type->str() + "'");
  program.toolOf[&decl] = &info;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void AgentChecker::noteUse(const ast::Decl &caller, const ast::Decl &callee,
                           llvm::SMRange range) {
  uses[&caller].push_back({&callee, range});
}

llvm::ArrayRef<AgentChecker::Use>
AgentChecker::usesOf(const ast::Decl &decl) const {
  auto found = uses.find(&decl);
  if (found == uses.end())
    return {};
  return found->second;
}

// Depth first on a stack of its own; each cycle is reported once, at a call in
// it.
void AgentChecker::checkRecursion() {
  enum class State { Fresh, Running, Done };
  llvm::DenseMap<const ast::Decl *, State> states;
  struct Frame {
    const ast::Decl *decl;
    size_t next;
  };
  for (const ast::Decl *root : checker.allDecls()) {
    if (!isa<ast::FnDecl, ast::AgentDecl>(root) || states[root] != State::Fresh)
      continue;
    std::vector<Frame> path = {{root, 0}};
    states[root] = State::Running;
    while (!path.empty()) {
      Frame &frame = path.back();
      llvm::ArrayRef<Use> calls = usesOf(*frame.decl);
      if (frame.next == calls.size()) {
        states[frame.decl] = State::Done;
        path.pop_back();
        continue;
      }
      const Use &use = calls[frame.next++];
      if (!isa<ast::FnDecl, ast::AgentDecl>(use.decl))
        continue;
      State &state = states[use.decl];
      if (state == State::Running) {
        bool direct = use.decl == frame.decl;
        diags.error(
            use.range,
            keywordOf(*use.decl) + " '" + use.decl->name.text +
                "' calls itself" +
                (direct ? ""
                        : " through '" + frame.decl->name.text.str() + "'") +
                "; nothing bounds the recursion");
      } else if (state == State::Fresh) {
        state = State::Running;
        path.push_back({use.decl, 0});
      }
    }
  }
}

// What the agent may reach: its own calls, those of its children and what its
// models may choose.
void AgentChecker::findServers(AgentInfo &agent) {
  llvm::DenseSet<const ast::Decl *> seen{agent.decl};
  llvm::DenseSet<const McpServer *> found;
  std::vector<const ast::Decl *> work{agent.decl};
  while (!work.empty()) {
    const ast::Decl *decl = work.back();
    work.pop_back();
    if (const ToolInfo *info = tool(*decl); info && info->server)
      found.insert(info->server);
    for (const Use &use : usesOf(*decl))
      if (seen.insert(use.decl).second)
        work.push_back(use.decl);
  }
  for (const McpServer &server : program.servers)
    if (found.contains(&server))
      agent.servers.push_back(&server);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

void AgentChecker::check() {
  declareRecords();
  for (const ast::Decl *decl : checker.allDecls()) {
    if (const auto *tool = dyn_cast<ast::ToolDecl>(decl)) {
      if (tool->provider)
        declareProvider(*tool);
      else
        declareTool(*tool, nullptr);
    } else if (const auto *fn = dyn_cast<ast::FnDecl>(decl)) {
      program.fns.emplace_back();
      FnInfo &info = program.fns.back();
      info.decl = fn;
      info.params = params(fn->params);
      info.result = resolve(*fn->result);
      program.fnOf[fn] = &info;
    } else if (const auto *agent = dyn_cast<ast::AgentDecl>(decl)) {
      program.agents.emplace_back();
      AgentInfo &info = program.agents.back();
      info.decl = agent;
      info.params = params(agent->params);
      info.result = resolve(*agent->result);
      program.agentOf[agent] = &info;
      for (const Param &param : info.params)
        if (!hasSchema(param.type) && !param.type->is(Type::Bytes) &&
            !param.type->is(Type::Duration))
          diags.error(param.range,
                      "an agent cannot be given a '" + param.type->str() + "'");
    }
  }
  for (ToolInfo &tool : program.tools)
    ToolChecker(*this, tool).check();
  for (const ast::Decl *decl : checker.allDecls())
    if (const auto *llm = dyn_cast<ast::LlmDecl>(decl))
      if (!llm->fromGraph) {
        program.llms.emplace_back();
        program.llms.back().decl = llm;
        program.llmOf[llm] = &program.llms.back();
        checkLlm(*this, program.llms.back());
      }
  for (AgentInfo &agent : program.agents)
    checkAgentProps(*this, agent);
  for (FnInfo &fn : program.fns) {
    BodyChecker body(*this, BodyChecker::Mode::Fn, *fn.decl, fn.result,
                     fn.decl->result);
    fn.locals = body.declareParams(fn.decl->params, fn.params);
    body.checkFn(*fn.decl->body);
  }
  for (AgentInfo &agent : program.agents) {
    BodyChecker body(*this, BodyChecker::Mode::Agent, *agent.decl, agent.result,
                     agent.decl->result);
    agent.locals = body.declareParams(agent.decl->params, agent.params);
    body.checkAgent(agent);
  }
  for (const ast::Decl *decl : checker.allDecls())
    if (const auto *test = dyn_cast<ast::TestDecl>(decl))
      BodyChecker(*this, BodyChecker::Mode::Test, *decl, types.error(), nullptr)
          .checkTest(*test->body);
  checkRecursion();
  for (AgentInfo &agent : program.agents)
    findServers(agent);
  for (const AgentInfo &agent : program.agents)
    for (const Use &use : usesOf(*agent.decl))
      checkCallee(agent, use);
}

void AgentChecker::choose(llvm::ArrayRef<const ast::Decl *> chosen) {
  program.chosen.assign(chosen.begin(), chosen.end());
}
