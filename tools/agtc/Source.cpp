#include "tools/agtc/Source.h"

#include "frontend/Import/SourceFile.h"
#include "tools/agtc/CrashReport.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/FileUtilities.h"

using namespace agt;
using namespace agt::tool;

void agt::tool::complain(const llvm::Twine &message) {
  llvm::errs() << "agtc: error: " << printable(message.str()) << '\n';
}

bool Source::read(const std::string &path) {
  auto text = readSourceFile(path);
  if (!text) {
    complain("cannot read '" + path + "': " + llvm::toString(text.takeError()));
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
    std::error_code code = llvm::outs().error();
    llvm::outs().clear_error();
    if (code)
      complain("cannot write to the standard output: " + code.message());
    return !code;
  }
  // Pipes and devices take text; a new file would take their place.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) && llvm::sys::fs::is_other(status)) {
    std::error_code code;
    llvm::raw_fd_ostream out(path, code, llvm::sys::fs::CD_OpenExisting);
    if (!code) {
      out << text;
      out.close();
      code = out.error();
      out.clear_error();
    }
    if (code)
      complain("cannot write '" + path + "': " + code.message());
    return !code;
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
