// What the frontend's tests share: a source in memory with everything that
// hangs on it.
#ifndef AGT_UNITTESTS_FRONTEND_HELPERS_H
#define AGT_UNITTESTS_FRONTEND_HELPERS_H

#include "frontend/AST/Dump.h"
#include "frontend/Parse/Lexer.h"
#include "frontend/Parse/Parser.h"

namespace agt::test {

struct TestSource {
  explicit TestSource(llvm::StringRef text, llvm::StringRef name = "t.agt")
      : diagnostics(sources, errs) {
    buffer = sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  }

  ast::File *parse() {
    return parseFile(sources, buffer, context, diagnostics);
  }

  llvm::SourceMgr sources;
  std::string text;
  llvm::raw_string_ostream errs{text};
  Diagnostics diagnostics;
  ast::Context context;
  unsigned buffer;
};

/// All diagnostics of a text, as agtc prints them.
inline std::string errorsOf(llvm::StringRef text) {
  TestSource source(text);
  source.parse();
  return source.text;
}

/// The AST of a text without places; its errors if it has any.
inline std::string astOf(llvm::StringRef text) {
  TestSource source(text);
  ast::File *file = source.parse();
  return file ? ast::structure(*file) : source.text;
}

} // namespace agt::test

#endif
