// Depth first. A file is known by its real path, so two ways to write one path
// give one file. The list of files being imported at the moment is the cycle
// check and, when there is a cycle, its explanation.
#include "frontend/Import/Import.h"

#include "frontend/Import/SourceFile.h"
#include "frontend/Parse/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace agt;

namespace {

/// Far more than anyone writes, and few enough for the stack.
constexpr size_t maxDepth = 1000;

class Loader {
public:
  Loader(llvm::SourceMgr &sources, ast::Context &context,
         Diagnostics &diagnostics)
      : sources(sources), context(context), diagnostics(diagnostics) {}

  void load(unsigned buffer) {
    std::string key = keyOf(nameOf(buffer));
    open.push_back(key);
    ast::File *file = parseFile(sources, buffer, context, diagnostics);
    if (file) {
      for (ast::ImportDecl *import : file->imports)
        follow(*import, buffer);
      program.files.push_back(file);
    }
    open.pop_back();
    done.insert({key, true});
  }

  Program program;

private:
  llvm::StringRef nameOf(unsigned buffer) const {
    return sources.getMemoryBuffer(buffer)->getBufferIdentifier();
  }

  /// One string for all ways to write a path.
  static std::string keyOf(llvm::StringRef path) {
    llvm::SmallString<256> real;
    if (llvm::sys::fs::real_path(path, real))
      return path.str();
    return real.str().str();
  }

  void follow(const ast::ImportDecl &import, unsigned importer) {
    std::optional<llvm::StringRef> written = import.path->constant();
    llvm::SMRange place = import.path->range;
    if (!written || written->empty()) {
      diagnostics.error(place, "expected a path, got an empty string");
      return;
    }
    llvm::SmallString<256> path;
    if (llvm::sys::path::is_relative(*written))
      path = llvm::sys::path::parent_path(nameOf(importer));
    llvm::sys::path::append(path, *written);

    std::string key = keyOf(path);
    if (done.contains(key))
      return;
    if (llvm::is_contained(open, key)) {
      diagnostics.error(place, "import cycle: " + cycle(key));
      return;
    }
    if (open.size() >= maxDepth) {
      diagnostics.error(place, "imports are nested deeper than 1000 files");
      return;
    }
    auto text = readSourceFile(path.str().str());
    if (!text) {
      diagnostics.error(place, "cannot import '" + *written +
                                   "': " + llvm::toString(text.takeError()));
      return;
    }
    load(sources.AddNewSourceBuffer(std::move(*text), place.Start));
  }

  /// "'a.agt' -> 'b.agt' -> 'a.agt'"
  std::string cycle(const std::string &key) const {
    std::string text;
    auto from = llvm::find(open, key);
    for (auto file = from; file != open.end(); ++file)
      text += "'" + llvm::sys::path::filename(*file).str() + "' -> ";
    return text + "'" + llvm::sys::path::filename(key).str() + "'";
  }

  llvm::SourceMgr &sources;
  ast::Context &context;
  Diagnostics &diagnostics;
  std::vector<std::string> open;
  llvm::StringMap<bool> done;
};

} // namespace

std::optional<Program> agt::loadProgram(llvm::SourceMgr &sources,
                                        unsigned mainBuffer,
                                        ast::Context &context,
                                        Diagnostics &diagnostics) {
  unsigned before = diagnostics.errorCount();
  Loader loader(sources, context, diagnostics);
  loader.load(mainBuffer);
  if (diagnostics.errorCount() != before)
    return std::nullopt;
  return std::move(loader.program);
}
