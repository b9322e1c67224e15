#include "frontend/Import/Import.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

using namespace agt;

namespace {

/// A folder with files, and the result of loading one of them.
class Imports : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("agt-import", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string pathOf(llvm::StringRef name) {
    llvm::SmallString<128> path = folder;
    llvm::sys::path::append(path, name);
    return path.str().str();
  }

  void write(llvm::StringRef name, llvm::StringRef text) {
    std::string path = pathOf(name);
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
    std::error_code error;
    llvm::raw_fd_ostream out(path, error);
    ASSERT_FALSE(error);
    out << text;
  }

  /// The names of the files in order, or the errors.
  std::string load(llvm::StringRef name) {
    llvm::SourceMgr sources;
    std::string text;
    llvm::raw_string_ostream errors(text);
    Diagnostics diagnostics(sources, errors);
    ast::Context context;
    auto buffer = llvm::MemoryBuffer::getFile(pathOf(name));
    unsigned id = sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
    auto program = loadProgram(sources, id, context, diagnostics);
    EXPECT_EQ(program.has_value(), text.empty());
    if (program)
      for (ast::File *file : program->files)
        text +=
            llvm::sys::path::filename(
                sources.getMemoryBuffer(file->bufferId)->getBufferIdentifier())
                .str() +
            " ";
    // Paths of the test's own folder say nothing.
    llvm::StringRef rest = text;
    std::string result;
    while (!rest.empty()) {
      auto [line, after] = rest.split('\n');
      line.consume_front((folder + "/").str());
      result += (line + (after.data() ? "\n" : "")).str();
      rest = after;
    }
    return result;
  }

  llvm::SmallString<128> folder;
};

} // namespace

TEST_F(Imports, DependenciesComeFirstAndOnce) {
  write("main.agt", "import \"sub/a.agt\"; import \"b.agt\"; const x = 1;\n");
  write("sub/a.agt", "import \"../b.agt\";\n");
  write("b.agt", "const y = 1;\n");
  EXPECT_EQ(load("main.agt"), "b.agt a.agt main.agt ");
}

TEST_F(Imports, MissingFile) {
  write("main.agt", "import \"no.agt\";\n");
  std::string errors = load("main.agt");
  EXPECT_EQ(errors.find("main.agt:1:8: error: cannot import 'no.agt': No such "
                        "file or directory\nimport \"no.agt\";\n       "
                        "^~~~~~~~\n"),
            0u)
      << errors;
}

TEST_F(Imports, Cycle) {
  write("main.agt", "import \"a.agt\";\n");
  write("a.agt", "import \"b.agt\";\n");
  write("b.agt", "import \"./a.agt\";\n");
  std::string errors = load("main.agt");
  EXPECT_EQ(errors.find("b.agt:1:8: error: import cycle: 'a.agt' -> 'b.agt' -> "
                        "'a.agt'\n"),
            0u)
      << errors;
}

TEST_F(Imports, ImportOfItself) {
  write("main.agt", "import \"main.agt\";\n");
  EXPECT_EQ(
      load("main.agt")
          .find("main.agt:1:8: error: import cycle: 'main.agt' -> 'main.agt'"),
      0u);
}

TEST_F(Imports, SyntaxErrorsInImportedFiles) {
  write("main.agt", "import \"a.agt\";\nconst x = 1\n");
  write("a.agt", "const y = ;\n");
  EXPECT_EQ(load("main.agt").find("main.agt:2:12: error: expected ';' after"),
            0u);
  write("main.agt", "import \"a.agt\";\n");
  EXPECT_EQ(load("main.agt").find("a.agt:1:11: error: expected an expression"),
            0u);
}

TEST_F(Imports, EmptyPathAndFolder) {
  write("main.agt", "import \"\";\nimport \".\";\n");
  std::string errors = load("main.agt");
  EXPECT_EQ(errors.find("main.agt:1:8: error: expected a path, got an empty "
                        "string\n"),
            0u);
  EXPECT_NE(errors.find("main.agt:2:8: error: cannot import '.': "),
            std::string::npos);
}
