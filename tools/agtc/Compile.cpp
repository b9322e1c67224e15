// `agtc FILE.agt`: one stage after the other, up to the one that --emit names.
#include "frontend/AST/Dump.h"
#include "frontend/Parse/Lexer.h"
#include "frontend/Parse/Parser.h"
#include "frontend/VerifyDiagnostics.h"
#include "tools/agtc/Commands.h"
#include "tools/agtc/EmitAgt.h"
#include "tools/agtc/Source.h"

using namespace agt;
using namespace agt::tool;

static int emitTokens(const CompileOptions &options, Source &source) {
  auto list = lex(source.sources, source.mainBuffer, source.diagnostics);
  if (!list || !checkTokens(*list, source.diagnostics))
    return ErrorsInProgram;
  std::string text;
  llvm::raw_string_ostream out(text);
  dumpTokens(source.sources, *list, out);
  return writeOutput(options.output, text) ? Fine : BadUsage;
}

static int emitAst(const CompileOptions &options, Source &source) {
  ast::File *file = parseFile(source.sources, source.mainBuffer, source.context,
                              source.diagnostics);
  if (!file)
    return ErrorsInProgram;
  std::string text;
  llvm::raw_string_ostream out(text);
  ast::dump(*file, source.sources, out);
  return writeOutput(options.output, text) ? Fine : BadUsage;
}

static int runStages(const CompileOptions &options, Source &source) {
  if (options.emit == "tokens")
    return emitTokens(options, source);
  if (options.emit == "ast")
    return emitAst(options, source);
  return emitAgt(options, source);
}

int agt::tool::compile(const CompileOptions &options) {
  Source source;
  if (!source.read(options.input))
    return BadUsage;
  if (!options.verifyDiagnostics)
    return runStages(options, source);
  DiagnosticVerifier verifier(source.diagnostics);
  int result = runStages(options, source);
  if (result == BadUsage)
    return result;
  return verifier.verify(llvm::errs()) ? Fine : ErrorsInProgram;
}
