// The order of checking: names, declarations, bodies of graphs, calls, what is
// chosen and what of it is refused. Errors are collected and shown in the
// order of the source.
#include "frontend/Sema/Sema.h"
#include "frontend/Sema/Agent/AgentChecker.h"
#include "frontend/Sema/CallChecks.h"
#include "frontend/Sema/GraphChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using llvm::dyn_cast;
using llvm::isa;

/// The declarations of `--only`, or tests, and what they use; all without.
static std::vector<const ast::Decl *>
chooseDecls(Checker &checker, const agents::AgentChecker &agents,
            const SemaOptions &options) {
  if (options.nothing)
    return {};
  using Tests = SemaOptions::Tests;
  llvm::DenseSet<const ast::Decl *> chosen;
  // In the order of the source, tools of a server behind it.
  auto ordered = [&](bool all) {
    std::vector<const ast::Decl *> list;
    for (const ast::Decl *decl : checker.allDecls()) {
      bool wanted =
          all && (options.tests == Tests::All || !isa<ast::TestDecl>(decl));
      if (wanted || chosen.contains(decl))
        list.push_back(decl);
      if (const auto *provider = dyn_cast<ast::ToolDecl>(decl))
        for (const ast::ToolDecl *tool : provider->tools)
          if (all || chosen.contains(tool))
            list.push_back(tool);
    }
    return list;
  };
  if (options.only.empty() && options.graph.empty() &&
      options.tests != Tests::Only)
    return ordered(true);
  std::vector<const ast::Decl *> work;
  if (options.tests == Tests::Only)
    for (const ast::Decl *decl : checker.allDecls())
      if (isa<ast::TestDecl>(decl) && chosen.insert(decl).second)
        work.push_back(decl);
  for (const std::string &name : options.only) {
    const ast::Decl *decl = checker.find(name);
    if (!decl)
      checker.optionError("--only " + name + ": no declaration has this name" +
                          didYouMean(name, checker.names()));
    else if (chosen.insert(decl).second)
      work.push_back(decl);
  }
  if (options.only.empty() && !options.graph.empty()) {
    const auto *graph = checker.findAs<ast::GraphDecl>(options.graph);
    if (graph && chosen.insert(graph).second)
      work.push_back(graph);
    if (!graph)
      checker.optionError(
          "there is no graph '" + options.graph + "'" +
          didYouMean(options.graph, checker.namesOf<ast::GraphDecl>()));
  }
  while (!work.empty()) {
    const ast::Decl *decl = work.back();
    work.pop_back();
    for (const agents::AgentChecker::Use &use : agents.usesOf(*decl))
      if (chosen.insert(use.decl).second)
        work.push_back(use.decl);
    const auto *llm = dyn_cast<ast::LlmDecl>(decl);
    const auto *decoder = llm && llm->fromGraph
                              ? checker.findAs<ast::GraphDecl>(llm->source.text)
                              : nullptr;
    if (decoder && chosen.insert(decoder).second)
      work.push_back(decoder);
    if (const auto *graph = dyn_cast<ast::GraphDecl>(decl))
      for (const Checker::CallSite &call : checker.callsOf(*graph))
        if (chosen.insert(call.callee).second)
          work.push_back(call.callee);
  }
  return ordered(false);
}

/// Reports in the order of the source, files in the order given, what was found
/// in the order of checking.
static void reportSorted(std::vector<Diagnostic> &found,
                         llvm::ArrayRef<const ast::File *> files,
                         Diagnostics &diags) {
  llvm::DenseMap<unsigned, size_t> order;
  for (auto [i, file] : llvm::enumerate(files))
    order[file->bufferId] = i + 1;
  using Key = std::tuple<size_t, const char *, size_t>;
  std::vector<Key> keys;
  for (auto [i, diagnostic] : llvm::enumerate(found)) {
    llvm::SMLoc loc = diagnostic.range.Start;
    size_t file =
        loc.isValid() ? order.lookup(bufferOf(diags.sourceMgr(), loc)) : 0;
    keys.emplace_back(file, loc.getPointer(), i);
  }
  llvm::sort(keys);
  for (const Key &key : keys)
    diags.report(found[std::get<2>(key)]);
}

/// The weights that the program's graphs use, in source order.
static void takeWeights(Checker &checker, Program &program) {
  llvm::DenseSet<const ast::Decl *> used;
  for (const CheckedGraph &graph : program.graphs)
    for (const HiddenInput &input : graph.hidden)
      used.insert(input.weights);
  for (const ast::Decl *decl : checker.allDecls())
    if (used.contains(decl))
      program.weights.push_back(
          *checker.weights(*llvm::cast<ast::WeightsDecl>(decl)));
}

static Program check(llvm::ArrayRef<const ast::File *> files,
                     Diagnostics &diags, const SemaOptions &options) {
  Program program;
  program.dims = std::make_unique<DimContext>();
  Checker checker(diags, *program.dims, options);
  checker.declare(files);
  checker.checkDeclarations();

  CheckedGraphs graphs;
  for (const ast::Decl *decl : checker.allDecls())
    if (const auto *graph = dyn_cast<ast::GraphDecl>(decl))
      graphs[decl] = GraphChecker(checker, checker.signature(*graph)).check();
  checkCalls(checker, graphs, diags);
  program.agents = std::make_unique<agents::AgentProgram>();
  agents::AgentChecker agentChecker(checker, *program.agents);
  agentChecker.check();

  std::vector<const ast::Decl *> chosen =
      chooseDecls(checker, agentChecker, options);
  checker.refuse(chosen);
  agentChecker.choose(chosen);
  for (const ast::Decl *decl : chosen) {
    auto found = graphs.find(decl);
    if (found != graphs.end())
      program.graphs.push_back(std::move(found->second));
  }
  takeWeights(checker, program);
  for (LocalLlm &llm : checker.localLlms)
    if (llvm::is_contained(chosen, llm.decl))
      program.localLlms.push_back(std::move(llm));
  program.signatures = std::move(checker.ownedSignatures);
  program.badOptions = checker.badOptions;
  program.targets = std::move(checker.targets);
  program.meshes = std::move(checker.meshes);
  program.models = std::move(checker.models);
  return program;
}

Program agt::sema::checkProgram(llvm::ArrayRef<const ast::File *> files,
                                Diagnostics &diags,
                                const SemaOptions &options) {
  std::vector<Diagnostic> found;
  Diagnostics collected(diags.sourceMgr());
  collected.setHandler(
      [&](const Diagnostic &diagnostic) { found.push_back(diagnostic); });
  Program program = check(files, collected, options);
  reportSorted(found, files, diags);
  return program;
}
