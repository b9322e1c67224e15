// `agtc test FILE...`: compiles each file to a program beside nothing, and lets
// it run its tests.
#include "tools/agtc/Commands.h"
#include "tools/agtc/Source.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace agt::tool;

static int testOne(const std::string &path,
                   const std::vector<std::string> &defines) {
  llvm::SmallString<128> program;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("agt-test", "", program)) {
    complain("cannot write a temporary file: " + code.message());
    return BadUsage;
  }
  CompileOptions options;
  options.input = path;
  options.defines = defines;
  options.output = program.str().str();
  options.target = "cpu";
  options.cpu = "native";
  options.tests = agt::sema::SemaOptions::Tests::Only;
  int result = compile(options);
  if (result == Fine) {
    std::string error;
    int status = llvm::sys::ExecuteAndWait(program, {program, "test"},
                                           std::nullopt, {}, 0, 0, &error);
    if (status < 0) {
      complain("cannot run the tests of '" + path + "': " + error);
      result = BadUsage;
    } else {
      result = status;
    }
  }
  llvm::sys::fs::remove(program);
  return result;
}

int agt::tool::test(const TestOptions &options) {
  int result = Fine;
  for (const std::string &path : options.files)
    result = std::max(result, testOne(path, options.defines));
  return result;
}
