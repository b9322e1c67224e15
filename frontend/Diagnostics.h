// The one way every stage reports to the author: clang-like diagnostics with a
// source line and a caret range, notes at the other place involved, a limit on
// the number of errors, and a hook for whoever wants them as values
// (`--verify-diagnostics`, unit tests, the language server).
//
// Lines and columns are 1-based; columns count code points. Nothing here knows
// what a diagnostic is about.
#ifndef AGT_FRONTEND_DIAGNOSTICS_H
#define AGT_FRONTEND_DIAGNOSTICS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <string>
#include <vector>

namespace agt {

enum class Severity { Error, Warning, Remark, Note };
llvm::StringRef severityName(Severity severity);

/// 1-based; columns in code points. Zeros for an unknown place.
struct LineColumn {
  unsigned line = 0;
  unsigned column = 0;
};

LineColumn lineAndColumn(const llvm::SourceMgr &sources, llvm::SMLoc loc);

/// The buffer that `loc` points into, or 0.
unsigned bufferOf(const llvm::SourceMgr &sources, llvm::SMLoc loc);

/// Where something missing at the end of a file is reported: as clang does, on
/// the last line that the author typed, behind its last character.
llvm::SMRange endOfFile(const llvm::SourceMgr &sources, unsigned bufferId);

struct Diagnostic {
  Severity severity = Severity::Error;
  /// Invalid for errors without a place; empty ranges get a lone caret.
  llvm::SMRange range;
  std::string message;
  std::vector<Diagnostic> notes;
};

class Diagnostics {
public:
  using Handler = std::function<void(const Diagnostic &)>;

  /// A diagnostic under construction; reported when it goes out of scope.
  class InFlight {
  public:
    InFlight(InFlight &&other) noexcept;
    InFlight(const InFlight &) = delete;
    ~InFlight();

    InFlight &note(llvm::SMRange range, const llvm::Twine &message) &;
    InFlight &&note(llvm::SMRange range, const llvm::Twine &message) &&;

  private:
    friend class Diagnostics;
    InFlight(Diagnostics &owner, Diagnostic diagnostic);
    Diagnostics *owner;
    Diagnostic diagnostic;
  };

  /// Prints to `out` until a handler is set.
  explicit Diagnostics(llvm::SourceMgr &sources,
                       llvm::raw_ostream &out = llvm::errs());

  InFlight error(llvm::SMRange range, const llvm::Twine &message);
  InFlight warning(llvm::SMRange range, const llvm::Twine &message);
  InFlight remark(llvm::SMRange range, const llvm::Twine &message);
  void report(const Diagnostic &diagnostic);

  /// Takes every diagnostic instead of the printer; the error limit is off.
  void setHandler(Handler handler) { this->handler = std::move(handler); }
  /// Errors printed before the rest is dropped; 0 is no limit.
  void setErrorLimit(unsigned limit) { errorLimit = limit; }

  unsigned errorCount() const { return errors; }
  bool hasErrors() const { return errors != 0; }
  llvm::SourceMgr &sourceMgr() { return sources; }

private:
  llvm::SourceMgr &sources;
  llvm::raw_ostream &out;
  Handler handler;
  unsigned errorLimit = 20;
  unsigned errors = 0;
};

/// Text as it may be shown on a terminal: control characters are escaped, bytes
/// that are not UTF-8 replaced.
std::string printable(llvm::StringRef text);

/// Prints one diagnostic and its notes as `agtc` shows them.
void printDiagnostic(const llvm::SourceMgr &sources,
                     const Diagnostic &diagnostic, llvm::raw_ostream &out);

} // namespace agt

#endif
