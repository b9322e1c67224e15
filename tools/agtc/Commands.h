// The commands of agtc, one source file each. A command returns the exit code:
// 0 fine, 1 errors in the program, 2 bad command line or unreadable file.
#ifndef AGT_TOOLS_AGTC_COMMANDS_H
#define AGT_TOOLS_AGTC_COMMANDS_H

#include "frontend/Sema/Sema.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace agt::tool {

enum ExitCode { Fine = 0, ErrorsInProgram = 1, BadUsage = 2, Bug = 70 };

/// `agtc FILE.agt`
struct CompileOptions {
  std::string input;
  std::string output;
  std::string emit = "exe";
  std::string target = "all";
  std::string cpu;
  /// `NAME=VALUE`
  std::vector<std::string> defines;
  /// Declarations to compile; empty for all.
  std::vector<std::string> only;
  sema::SemaOptions::Tests tests = sema::SemaOptions::Tests::None;
  int64_t splitKeys = 1024;
  bool reproducible = false;
  bool verifyDiagnostics = false;
  bool verifyEach = false;
  bool explain = false;
  bool writeDependencies = false;
  std::string dependencyFile;
  /// MLIR's own options, as written.
  std::vector<std::string> mlirOptions;
  /// Asked once, before a result is written; empty where it always is.
  std::function<bool()> mayWrite;
};
int compile(const CompileOptions &options);
/// Where the result goes; empty for text to stdout.
std::string resultPath(const CompileOptions &options);
/// Whether results are to be written at all; says why not.
bool mayWrite(const CompileOptions &options);
/// Writes a text, where results are to be written; the exit code.
int writeResult(const CompileOptions &options, const std::string &path,
                llvm::StringRef text);

/// `agtc check FILE...`
struct CheckOptions {
  std::vector<std::string> files;
  std::vector<std::string> defines;
  std::vector<std::string> only;
  bool verifyDiagnostics = false;
};
int check(const CheckOptions &options);

/// `agtc fmt [--check] FILE...`
struct FmtOptions {
  std::vector<std::string> files;
  bool checkOnly = false;
};
int fmt(const FmtOptions &options);

/// `agtc graph FILE --agent|--ring`
struct GraphOptions {
  std::string input;
  std::string output;
  bool agent = false;
  bool ring = false;
  /// Of a ring: the size of dims that the source leaves open, operations a
  /// second of a position, bytes a second of a link that the mesh says nothing
  /// of.
  int64_t tokens = 8192;
  double rate = 1e12;
  double link = 1e10;
  /// Which one, where the file has several.
  std::string name;
};
int graph(const GraphOptions &options);

/// `agtc plan FILE [--model NAME] [--mesh NAME] [--tokens N] [--json]`
struct PlanOptions {
  std::string input;
  std::vector<std::string> defines;
  std::string model, mesh; // empty: all
  int64_t tokens = 1'000'000;
  std::vector<int64_t> rows; // of launches
  bool json = false;
};
int plan(const PlanOptions &options);

/// `agtc test FILE...`
struct TestOptions {
  std::vector<std::string> files;
  std::vector<std::string> defines;
};
int test(const TestOptions &options);

/// `agtc diff OLD NEW`; 1 where a live run would not simply go on.
struct DiffOptions {
  std::string before, after;
  std::vector<std::string> defines;
  std::string db;
  bool json = false;
};
int diff(const DiffOptions &options);

/// `agtc lsp [--define NAME=VALUE]`
int languageServer(const std::vector<std::string> &defines);

/// `agtc judge FOLDER`, which a program's `run --check` calls
int judge(const std::string &folder);

/// `agtc run --reference FILE GRAPH ...`
struct RunReferenceOptions {
  std::string input;
  std::vector<std::string> defines;
  std::vector<std::string> only;
  /// What stands behind FILE, as for a program's `run`.
  std::vector<std::string> arguments;
};
int runReference(const RunReferenceOptions &options);

} // namespace agt::tool

#endif
