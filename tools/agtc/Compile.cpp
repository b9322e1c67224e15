// `agtc FILE.agt`: one stage after the other, up to the one that --emit names.
#include "frontend/AST/Dump.h"
#include "frontend/Parse/Lexer.h"
#include "frontend/Parse/Parser.h"
#include "frontend/VerifyDiagnostics.h"
#include "tools/agtc/Commands.h"
#include "tools/agtc/EmitAgt.h"
#include "tools/agtc/Source.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <optional>

using namespace agt;
using namespace agt::tool;

static int emitTokens(const CompileOptions &options, Source &source) {
  auto list = lex(source.sources, source.mainBuffer, source.diagnostics);
  if (!list || !checkTokens(*list, source.diagnostics))
    return ErrorsInProgram;
  std::string text;
  llvm::raw_string_ostream out(text);
  dumpTokens(source.sources, *list, out);
  return writeResult(options, options.output, text);
}

static int emitAst(const CompileOptions &options, Source &source) {
  ast::File *file = parseFile(source.sources, source.mainBuffer, source.context,
                              source.diagnostics);
  if (!file)
    return ErrorsInProgram;
  std::string text;
  llvm::raw_string_ostream out(text);
  ast::dump(*file, source.sources, out);
  return writeResult(options, options.output, text);
}

static int runStages(const CompileOptions &options, Source &source) {
  if (options.emit == "tokens")
    return emitTokens(options, source);
  if (options.emit == "ast")
    return emitAst(options, source);
  return emitAgt(options, source);
}

std::string agt::tool::resultPath(const CompileOptions &options) {
  if (!options.output.empty())
    return options.output;
  std::string stem = llvm::sys::path::stem(options.input).str();
  return llvm::StringSwitch<std::string>(options.emit)
      .Case("exe", stem)
      .Case("obj", stem + ".o")
      .Case("lib", "lib" + stem + ".so")
      .Case("spirv", stem + ".spirv") // a folder
      .Default("");
}

bool agt::tool::mayWrite(const CompileOptions &options) {
  return !options.mayWrite || options.mayWrite();
}

int agt::tool::writeResult(const CompileOptions &options,
                           const std::string &path, llvm::StringRef text) {
  if (!mayWrite(options))
    return ErrorsInProgram;
  return writeOutput(path, text) ? Fine : BadUsage;
}

/// A program may not replace its own source.
static bool keepsSource(const CompileOptions &options) {
  std::string path = resultPath(options);
  if (path.empty() || !llvm::sys::fs::equivalent(path, options.input))
    return true;
  complain("the output '" + path + "' is the source; name another with -o");
  return false;
}

/// A file's name as make reads it in a rule.
static std::string forMake(llvm::StringRef path) {
  std::string text;
  for (char c : path) {
    if (c == ' ' || c == '\t' || c == '#')
      text += '\\';
    if (c == '$')
      text += '$';
    text += c;
  }
  return text;
}

/// The rule of make that says what the result was made from: `-MD -MF FILE`.
static bool writeDependencies(const CompileOptions &options,
                              const Source &source) {
  if (!options.writeDependencies)
    return true;
  std::string result = resultPath(options);
  if (result.empty())
    result = llvm::sys::path::stem(options.input).str();
  std::string text = forMake(result) + ":";
  for (unsigned id = 1; id <= source.sources.getNumBuffers(); ++id)
    text += " \\\n  " +
            forMake(source.sources.getMemoryBuffer(id)->getBufferIdentifier());
  std::string path = options.dependencyFile;
  if (path.empty())
    path = result + ".d";
  return writeOutput(path, text + "\n");
}

static int runAll(const CompileOptions &options, Source &source) {
  int result = runStages(options, source);
  return result == Fine && !writeDependencies(options, source) ? BadUsage
                                                               : result;
}

/// The same where errors are what is asked for: fine when all of them are
/// expected. What is compiled without any is written like another program, and
/// nothing where one that was expected did not come.
static int runVerified(const CompileOptions &options, Source &source) {
  DiagnosticVerifier verifier(source.diagnostics);
  std::optional<bool> agrees;
  CompileOptions verified = options;
  verified.mayWrite = [&] {
    agrees = verifier.verify(llvm::errs());
    return *agrees;
  };
  int result = runAll(verified, source);
  if (result == BadUsage || result == Bug || agrees)
    return result;
  return verifier.verify(llvm::errs()) ? Fine : ErrorsInProgram;
}

int agt::tool::compile(const CompileOptions &options) {
  Source source;
  if (!source.read(options.input) || !keepsSource(options))
    return BadUsage;
  return options.verifyDiagnostics ? runVerified(options, source)
                                   : runAll(options, source);
}
