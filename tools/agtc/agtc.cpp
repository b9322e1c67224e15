// The command line of agtc: options become a struct, a command becomes one
// call.
#include "frontend/Sema/Suggest.h"
#include "tools/agtc/Commands.h"
#include "tools/agtc/CrashReport.h"
#include "tools/agtc/Source.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>

using namespace agt::tool;

namespace {

/// Of every option that takes a value. An empty one is a variable of make or
/// of a shell that was not set.
std::string notEmpty(const std::string &value) {
  return value.empty() ? "expected a value, got ''" : "";
}

class CommandLine {
public:
  CommandLine() : app("Compiles agt programs.", "agtc") {
    app.set_version_flag("--version", "agtc " AGT_VERSION);
    app.require_subcommand(0, 1);
    addCompileOptions();
    addCheck();
    addFmt();
    addRun();
    addGraph();
    addPlan();
    addTest();
    addDiff();
    addJudge();
    addLsp();
  }

  int run(int argc, char **argv) {
    std::vector<std::string> args;
    for (int index = argc - 1; index > 0; --index)
      addArgument(argv[index], args);
    try {
      app.parse(args);
    } catch (const CLI::CallForHelp &help) {
      return print(help);
    } catch (const CLI::CallForVersion &version) {
      return print(version);
    } catch (const CLI::ParseError &error) {
      if (!isCommandMisspelt())
        complain(lowerFirst(error.what()));
      return BadUsage;
    }
    if (app.get_subcommands().empty())
      result = runCompile();
    return result;
  }

private:
  /// Help or the version, as the parser has it.
  int print(const CLI::Success &text) {
    int code = app.exit(text);
    if (std::cout.flush())
      return code;
    complain("cannot write to the standard output");
    return BadUsage;
  }

  void addArgument(llvm::StringRef text, std::vector<std::string> &args) {
    // Names of make and of MLIR that the option parser has no form for.
    if (text == "-MD" || text == "-MF")
      args.push_back("-" + text.str());
    else if (text.starts_with("--mlir-"))
      compileOptions.mlirOptions.insert(compileOptions.mlirOptions.begin(),
                                        text.str());
    else
      args.push_back(text.str());
  }

  void addCompileOptions() {
    CompileOptions &o = compileOptions;
    app.add_option("FILE", o.input, "the program");
    app.add_option("-o", o.output, "output file")->check(notEmpty);
    app.add_option("--emit", o.emit, "stop there")
        ->check(CLI::IsMember({"tokens", "ast", "agt", "ring", "kernels",
                               "spirv", "host", "llvm", "obj", "exe", "lib"}));
    app.add_option("--target", o.target, "kernels to build in")
        ->check(CLI::IsMember({"vulkan", "cpu", "all"}));
    app.add_option("--cpu", o.cpu, "CPU to build for")
        ->check(CLI::IsMember({"native", "x86-64-v3", "x86-64-v4"}));
    app.add_option("--define", o.defines, "NAME=VALUE: set a const")
        ->allow_extra_args(false);
    addOnly(app, o.only);
    app.add_flag_callback(
        "--tests", [&o] { o.tests = agt::sema::SemaOptions::Tests::All; },
        "compile the test blocks too, which 'agtc test' runs");
    app.add_flag("--reproducible", o.reproducible,
                 "the same bits whatever the mesh, balance or batch, on one "
                 "kind of device");
    app.add_option("--split-keys", o.splitKeys,
                   "N: keys that a part has at least where an attention of few "
                   "rows is split over its keys (1024); 0: none is split")
        ->check(CLI::Range(0, 1 << 30));
    app.add_flag("--verify-diagnostics", o.verifyDiagnostics,
                 "compare errors with 'expected-error {{...}}' comments");
    app.add_flag("--verify-each", o.verifyEach,
                 "verify the IR behind every pass, for those who change agtc");
    app.add_flag("--explain", o.explain,
                 "say why: decisions as remarks on source lines");
    CLI::Option *dependencies = app.add_flag(
        "--MD", o.writeDependencies, "-MD: write a dependency file for make");
    app.add_option("--MF", o.dependencyFile, "-MF: its name")
        ->check(notEmpty)
        ->needs(dependencies);
  }

  void addCheck() {
    CLI::App *sub = app.add_subcommand("check", "report errors");
    CheckOptions &o = checkOptions;
    sub->add_option("FILE", o.files, "programs")->required();
    sub->add_option("--define", o.defines, "NAME=VALUE: set a const")
        ->allow_extra_args(false);
    addOnly(*sub, o.only);
    sub->add_flag("--verify-diagnostics", o.verifyDiagnostics,
                  "compare errors with 'expected-error {{...}}' comments");
    sub->callback([this] { result = check(checkOptions); });
  }

  static void addOnly(CLI::App &app, std::vector<std::string> &only) {
    app.add_option("--only", only,
                   "NAME,...: compile these declarations and what they call")
        ->allow_extra_args(false)
        ->check(notEmpty)
        ->delimiter(',');
  }

  void addFmt() {
    CLI::App *sub = app.add_subcommand("fmt", "format files in place");
    sub->add_option("FILE", fmtOptions.files, "programs")->required();
    sub->add_flag("--check", fmtOptions.checkOnly,
                  "change nothing; exit 1 if a file is not formatted");
    sub->callback([this] { result = fmt(fmtOptions); });
  }

  void addRun() {
    CLI::App *sub = app.add_subcommand(
        "run",
        "run a graph with the float64 interpreter: "
        "run --reference FILE GRAPH, and the options of a program's run");
    RunReferenceOptions &o = runOptions;
    sub->set_help_flag(); // the program's own help is asked for
    sub->add_option("--reference", o.input, "the program")->required();
    sub->add_option("--define", o.defines, "NAME=VALUE: set a const")
        ->allow_extra_args(false);
    addOnly(*sub, o.only);
    sub->allow_extras();
    sub->callback([this, sub] {
      runOptions.arguments = sub->remaining();
      result = runReference(runOptions);
    });
  }

  void addLsp() {
    CLI::App *sub = app.add_subcommand(
        "lsp", "the language server, for editors: on the standard streams");
    sub->add_option("--define", served, "NAME=VALUE: set a const")
        ->allow_extra_args(false);
    sub->callback([this] { result = languageServer(served); });
  }

  void addGraph() {
    CLI::App *sub = app.add_subcommand("graph", "a picture of a program");
    GraphOptions &o = graphOptions;
    sub->add_option("FILE", o.input, "the program")->required();
    sub->add_option("-o", o.output, "FILE.svg or FILE.dot; DOT to stdout");
    sub->add_flag("--agent", o.agent, "draw an agent");
    sub->add_flag(
        "--ring", o.ring,
        "draw how shards of an attention go round a mesh, by declared "
        "rates");
    sub->add_option("--name", o.name,
                    "which agent or graph, where there are several");
    sub->add_option("--tokens", o.tokens,
                    "of --ring: the size of open dims (8192)")
        ->check(CLI::NonNegativeNumber);
    sub->add_option("--rate", o.rate,
                    "of --ring: operations a second of a position (1e12)")
        ->check(CLI::PositiveNumber);
    sub->add_option("--link", o.link,
                    "of --ring: bytes a second of a link, where the mesh does "
                    "not say (1e10)")
        ->check(CLI::PositiveNumber);
    sub->callback([this] { result = graph(graphOptions); });
  }

  void addPlan() {
    CLI::App *sub = app.add_subcommand(
        "plan", "memory, bytes and time of a model on a mesh");
    PlanOptions &o = planOptions;
    sub->add_option("FILE", o.input, "the program")->required();
    sub->add_option("--define", o.defines, "NAME=VALUE: set a const")
        ->allow_extra_args(false);
    sub->add_option("--model", o.model, "which model; all of them")
        ->check(notEmpty);
    sub->add_option("--mesh", o.mesh, "which mesh; all of them")
        ->check(notEmpty);
    sub->add_option("--tokens", o.tokens, "of the cache (1,000,000)")
        ->check(CLI::Range(int64_t(1), int64_t(1) << 40));
    sub->add_option("--rows", o.rows,
                    "N,...: what launches of so many rows cost in either "
                    "placement of keys and queries")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(int64_t(1), int64_t(1) << 32));
    sub->add_flag("--json", o.json, "for machines: a list of plans");
    sub->callback([this] { result = plan(planOptions); });
  }

  void addTest() {
    CLI::App *sub = app.add_subcommand("test", "run the tests in the files");
    sub->add_option("FILE", testOptions.files, "programs")->required();
    sub->add_option("--define", testOptions.defines, "NAME=VALUE: set a const")
        ->allow_extra_args(false);
    sub->callback([this] { result = test(testOptions); });
  }

  void addDiff() {
    CLI::App *sub = app.add_subcommand(
        "diff", "which live runs of a step log go on in a changed program, and "
                "the steps that differ");
    DiffOptions &o = diffOptions;
    sub->add_option("OLD", o.before, "the program as it runs")->required();
    sub->add_option("NEW", o.after, "the program that is to take its place")
        ->required();
    sub->add_option("--db", o.db,
                    "sqlite:FILE or postgres://USER@HOST/NAME: the step log "
                    "(AGT_DB, else sqlite:agt.db)")
        ->check(notEmpty);
    sub->add_option("--define", o.defines, "NAME=VALUE: set a const in both")
        ->allow_extra_args(false);
    sub->add_flag("--json", o.json, "for machines");
    sub->callback([this] { result = diff(diffOptions); });
  }

  void addJudge() {
    CLI::App *sub = app.add_subcommand(
        "judge", "compare what 'run --check' of a program kept in a folder "
                 "with the float64 interpreter");
    sub->add_option("FOLDER", judged, "the folder")->required();
    sub->callback([this] { result = judge(judged); });
  }

  int runCompile() {
    if (compileOptions.input.empty()) {
      complain("expected a program or a command, see 'agtc --help'");
      return BadUsage;
    }
    return isCommandMisspelt() ? BadUsage : compile(compileOptions);
  }

  /// Says so where the program to compile is no file and nearly a command.
  bool isCommandMisspelt() {
    const std::string &word = compileOptions.input;
    if (word.empty() || llvm::sys::fs::exists(word))
      return false;
    std::vector<std::string> names;
    for (const CLI::App *sub : app.get_subcommands({}))
      names.push_back(sub->get_name());
    std::string meant = agt::sema::didYouMean(
        word, llvm::SmallVector<llvm::StringRef>(names.begin(), names.end()));
    if (meant.empty())
      return false;
    complain("'" + word + "' is neither a command nor a file" + meant);
    return true;
  }

  static std::string lowerFirst(std::string text) {
    if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
      text[0] = std::tolower(static_cast<unsigned char>(text[0]));
    return text;
  }

  CLI::App app;
  CompileOptions compileOptions;
  CheckOptions checkOptions;
  FmtOptions fmtOptions;
  GraphOptions graphOptions;
  PlanOptions planOptions;
  TestOptions testOptions;
  DiffOptions diffOptions;
  std::string judged;
  std::vector<std::string> served;
  RunReferenceOptions runOptions;
  int result = Fine;
};

} // namespace

int main(int argc, char **argv) {
  installCrashHandler(argc, argv);
  // A file beyond 'ulimit -f' is an error of its write, which is said.
  std::signal(SIGXFSZ, SIG_IGN);
  return CommandLine().run(argc, argv);
}
