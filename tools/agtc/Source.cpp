#include "tools/agtc/Source.h"

#include "tools/agtc/CrashReport.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/FileUtilities.h"

using namespace agt;
using namespace agt::tool;

void agt::tool::complain(const llvm::Twine &message) {
  llvm::errs() << "agtc: error: " << message << '\n';
}

bool Source::read(const std::string &path) {
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/true);
  if (!text) {
    complain("cannot read '" + path + "': " + text.getError().message());
    return false;
  }
  rememberForCrash((*text)->getBuffer());
  mainBuffer = sources.AddNewSourceBuffer(std::move(*text), llvm::SMLoc());
  return true;
}

bool agt::tool::writeOutput(const std::string &path, llvm::StringRef text) {
  if (path.empty() || path == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    return !llvm::outs().has_error();
  }
  llvm::Error error =
      llvm::writeToOutput(path, [&](llvm::raw_ostream &out) -> llvm::Error {
        out << text;
        return llvm::Error::success();
      });
  if (!error)
    return true;
  complain("cannot write '" + path + "': " + llvm::toString(std::move(error)));
  return false;
}
