#include "tools/agtc/Source.h"

#include "codegen/host/OutputPlace.h"
#include "frontend/Import/SourceFile.h"
#include "tools/agtc/CrashReport.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

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

/// Writes all of it and leaves the stream without an error, with which it must
/// not be destroyed.
static std::error_code writeAll(llvm::raw_fd_ostream &out,
                                llvm::StringRef text) {
  out << text;
  out.flush();
  std::error_code code = out.error();
  out.clear_error();
  return code;
}

/// A file beside it that takes its place, with its permissions, once all of the
/// text is there.
static std::error_code replaceFile(const std::string &path,
                                   llvm::StringRef text) {
  namespace fs = llvm::sys::fs;
  llvm::ErrorOr<std::string> place = host::placeOfOutput(path);
  if (!place)
    return place.getError();
  auto partial = fs::TempFile::create(*place + ".%%%%%%.part",
                                      fs::all_read | fs::all_write);
  if (!partial)
    return llvm::errorToErrorCode(partial.takeError());
  if (auto permissions = fs::getPermissions(*place))
    fs::setPermissions(partial->FD, *permissions);
  llvm::raw_fd_ostream out(partial->FD, /*shouldClose=*/false);
  if (std::error_code code = writeAll(out, text)) {
    llvm::consumeError(partial->discard());
    return code;
  }
  return llvm::errorToErrorCode(partial->keep(*place));
}

/// Pipes and devices take text; a new file would take their place.
static std::error_code writeFile(const std::string &path,
                                 llvm::StringRef text) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status) || !llvm::sys::fs::is_other(status))
    return replaceFile(path, text);
  std::error_code code;
  llvm::raw_fd_ostream out(path, code, llvm::sys::fs::CD_OpenExisting);
  return code ? code : writeAll(out, text);
}

bool agt::tool::writeOutput(const std::string &path, llvm::StringRef text) {
  bool isStandard = path.empty() || path == "-";
  std::error_code code =
      isStandard ? writeAll(llvm::outs(), text) : writeFile(path, text);
  if (code)
    complain("cannot write " +
             (isStandard ? "to the standard output" : "'" + path + "'") + ": " +
             code.message());
  return !code;
}
