// Expectations are found line by line with one regular expression, whatever
// the text around them is: a file whose comments are broken must be testable
// too. Each report takes the first expectation that fits it; a later report of
// the same text needs an expectation of its own.
#include "frontend/VerifyDiagnostics.h"

#include "llvm/Support/Regex.h"

using namespace agt;

namespace {

struct Expectation {
  Severity severity;
  unsigned buffer = 0;
  /// 0 is "no place".
  unsigned line = 0;
  std::string text;
  bool isRegex = false;
  llvm::SMRange range;
  bool met = false;

  bool matches(llvm::StringRef message) const {
    if (!isRegex)
      return message.contains(text);
    std::string pattern;
    llvm::StringRef rest = text;
    while (!rest.empty()) {
      auto [literal, tail] = rest.split("{{");
      auto [expression, after] = tail.split("}}");
      pattern += llvm::Regex::escape(literal);
      if (!expression.empty())
        pattern += ("(" + expression + ")").str();
      rest = after;
    }
    return llvm::Regex(pattern).match(message);
  }
};

Severity severityOf(llvm::StringRef word) {
  if (word == "error")
    return Severity::Error;
  if (word == "warning")
    return Severity::Warning;
  return word == "remark" ? Severity::Remark : Severity::Note;
}

/// The line that `@...` names, counted from the line that it stands on.
unsigned targetLine(llvm::StringRef place, unsigned line) {
  if (place == "unknown")
    return 0;
  if (place == "above")
    return line - 1;
  if (place == "below")
    return line + 1;
  unsigned offset = 0;
  if (place.size() < 2 || place.drop_front().getAsInteger(10, offset))
    return line;
  return place.front() == '+' ? line + offset : line - offset;
}

void collect(const llvm::SourceMgr &sources, unsigned buffer,
             std::vector<Expectation> &out) {
  llvm::Regex regex("expected-(error|note|remark|warning)(-re)?"
                    "(@([+-][0-9]+|above|below|unknown))? *"
                    "[{][{](([^}]|[}][^}])*(}*))[}][}]");
  llvm::StringRef rest = sources.getMemoryBuffer(buffer)->getBuffer();
  for (unsigned number = 1; !rest.empty(); ++number) {
    auto [line, after] = rest.split('\n');
    rest = after;
    while (line.contains("expected-")) {
      llvm::SmallVector<llvm::StringRef, 8> groups;
      if (!regex.match(line, &groups))
        break;
      Expectation expectation;
      expectation.severity = severityOf(groups[1]);
      expectation.isRegex = !groups[2].empty();
      expectation.buffer = buffer;
      expectation.line = targetLine(groups[4], number);
      expectation.text = groups[5].str();
      expectation.range = {llvm::SMLoc::getFromPointer(groups[0].begin()),
                           llvm::SMLoc::getFromPointer(groups[0].end())};
      out.push_back(std::move(expectation));
      line = line.drop_front(groups[0].end() - line.begin());
    }
  }
}

/// Marks the expectation that `diagnostic` meets; false when there is none.
bool meet(const llvm::SourceMgr &sources, const Diagnostic &diagnostic,
          std::vector<Expectation> &expectations) {
  unsigned buffer = bufferOf(sources, diagnostic.range.Start);
  unsigned line = lineAndColumn(sources, diagnostic.range.Start).line;
  for (Expectation &expectation : expectations) {
    bool samePlace =
        expectation.line == line && (line == 0 || expectation.buffer == buffer);
    if (expectation.met || !samePlace ||
        expectation.severity != diagnostic.severity ||
        !expectation.matches(diagnostic.message))
      continue;
    return expectation.met = true;
  }
  return false;
}

} // namespace

DiagnosticVerifier::DiagnosticVerifier(Diagnostics &diagnostics)
    : sources(diagnostics.sourceMgr()) {
  diagnostics.setHandler([this](const Diagnostic &diagnostic) {
    reported.push_back(diagnostic);
    for (const Diagnostic &note : diagnostic.notes)
      reported.push_back(note);
    reported[reported.size() - 1 - diagnostic.notes.size()].notes.clear();
  });
}

bool DiagnosticVerifier::verify(llvm::raw_ostream &out) {
  std::vector<Expectation> expectations;
  for (unsigned buffer = 1; buffer <= sources.getNumBuffers(); ++buffer)
    collect(sources, buffer, expectations);

  bool clean = true;
  auto complain = [&](llvm::SMRange range, const llvm::Twine &message) {
    printDiagnostic(sources, {Severity::Error, range, message.str(), {}}, out);
    clean = false;
  };
  for (const Diagnostic &diagnostic : reported)
    if (!meet(sources, diagnostic, expectations))
      complain(diagnostic.range, "unexpected " +
                                     severityName(diagnostic.severity) + ": " +
                                     diagnostic.message);
  for (const Expectation &expectation : expectations)
    if (!expectation.met)
      complain(expectation.range,
               "expected " + severityName(expectation.severity) + " \"" +
                   expectation.text + "\" was not produced");
  return clean;
}
