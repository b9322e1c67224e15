// `--verify-diagnostics`: compares what was reported with comments in the
// source, by MLIR's conventions. A comment `expected-error {{text}}` says that
// an error containing `text` is reported on its own line; `expected-warning`,
// `expected-note` and `expected-remark` likewise. `@+N`, `@-N`, `@above` and
// `@below` after the word move the line, `@unknown` is for no place, and `-re`
// makes `{{...}}` inside the text a regular expression.
#ifndef AGT_FRONTEND_VERIFYDIAGNOSTICS_H
#define AGT_FRONTEND_VERIFYDIAGNOSTICS_H

#include "frontend/Diagnostics.h"

namespace agt {

class DiagnosticVerifier {
public:
  /// Takes over the handler of `diagnostics`; must outlive its reports.
  explicit DiagnosticVerifier(Diagnostics &diagnostics);

  /// Reads the expectations in every buffer, prints each difference to `out`,
  /// and says whether there was none.
  bool verify(llvm::raw_ostream &out);

private:
  llvm::SourceMgr &sources;
  std::vector<Diagnostic> reported;
};

} // namespace agt

#endif
