#include "frontend/Lower/MlirDiagnostics.h"

#include "mlir/IR/Location.h"

using namespace agt;

/// The place of a 1-based line and column (in code points) of a buffer.
static llvm::SMLoc placeOf(llvm::SourceMgr &sources, unsigned buffer,
                           unsigned line, unsigned column) {
  llvm::SMLoc start = sources.FindLocForLineAndColumn(buffer, line, 1);
  if (!start.isValid())
    return start;
  const char *end = sources.getMemoryBuffer(buffer)->getBufferEnd();
  const char *p = start.getPointer();
  for (unsigned i = 1; i < column && p < end && *p != '\n'; ++i) {
    ++p;
    while (p < end && (*p & 0xC0) == 0x80)
      ++p;
  }
  return llvm::SMLoc::getFromPointer(p);
}

static unsigned bufferNamed(const llvm::SourceMgr &sources,
                            llvm::StringRef name) {
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id)
    if (sources.getMemoryBuffer(id)->getBufferIdentifier() == name)
      return id;
  return 0;
}

llvm::SMRange agt::sourceRange(llvm::SourceMgr &sources, mlir::Location loc) {
  llvm::SMRange found;
  loc->walk([&](mlir::Location inner) {
    auto range = mlir::dyn_cast<mlir::FileLineColRange>(inner);
    unsigned buffer =
        range ? bufferNamed(sources, range.getFilename().getValue()) : 0;
    if (!buffer)
      return mlir::WalkResult::advance();
    llvm::SMLoc from =
        placeOf(sources, buffer, range.getStartLine(), range.getStartColumn());
    llvm::SMLoc to =
        placeOf(sources, buffer, range.getEndLine(), range.getEndColumn());
    if (!from.isValid() || !to.isValid())
      return mlir::WalkResult::advance();
    found = llvm::SMRange(from, to);
    return mlir::WalkResult::interrupt();
  });
  return found;
}

static Severity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return Severity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return Severity::Warning;
  case mlir::DiagnosticSeverity::Remark:
    return Severity::Remark;
  case mlir::DiagnosticSeverity::Note:
    return Severity::Note;
  }
  return Severity::Error;
}

MlirDiagnostics::MlirDiagnostics(mlir::MLIRContext &context,
                                 Diagnostics &diagnostics)
    : ScopedDiagnosticHandler(&context), diagnostics(diagnostics) {
  // Authors know their source, not our IR.
  context.printOpOnDiagnostic(false);
  setHandler([this](mlir::Diagnostic &diagnostic) {
    this->diagnostics.report(convert(diagnostic));
    return mlir::success();
  });
}

Diagnostic MlirDiagnostics::convert(const mlir::Diagnostic &diagnostic) const {
  Diagnostic result;
  result.severity = severityOf(diagnostic.getSeverity());
  result.range = sourceRange(diagnostics.sourceMgr(), diagnostic.getLocation());
  result.message = diagnostic.str();
  for (const mlir::Diagnostic &note : diagnostic.getNotes())
    result.notes.push_back(convert(note));
  return result;
}
