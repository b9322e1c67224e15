// Fuzzes everything from text to AST: any bytes are either reported or give an
// AST that can be dumped and formatted, and formatting twice changes nothing.
#include "frontend/AST/Dump.h"
#include "frontend/Format/Formatter.h"
#include "frontend/Parse/Lexer.h"
#include "frontend/Parse/Parser.h"

using namespace agt;

namespace {

/// One text with what hangs on it; reports go nowhere but are all printed.
struct Input {
  explicit Input(llvm::StringRef text) : diagnostics(sources, out) {
    diagnostics.setErrorLimit(0);
    buffer = sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, "fuzz.agt"), llvm::SMLoc());
  }

  std::optional<std::string> format() {
    return formatFile(sources, buffer, diagnostics);
  }

  llvm::SourceMgr sources;
  std::string printed;
  llvm::raw_string_ostream out{printed};
  Diagnostics diagnostics;
  unsigned buffer;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  Input input(text);
  ast::Context context;
  ast::File *file =
      parseFile(input.sources, input.buffer, context, input.diagnostics);
  // No AST without a reason, and no reason beside an AST.
  if ((file == nullptr) != input.diagnostics.hasErrors())
    __builtin_trap();
  if (auto list = lex(input.sources, input.buffer, input.diagnostics))
    dumpTokens(input.sources, *list, llvm::nulls());
  if (!file)
    return 0;
  ast::dump(*file, input.sources, llvm::nulls());
  auto once = input.format();
  if (!once)
    __builtin_trap(); // formatting would change the meaning
  Input again(*once);
  if (again.format() != once)
    __builtin_trap(); // formatting is not stable
  return 0;
}
