// The printer works on display columns: a tab advances to the next multiple of
// eight, a wide character takes two columns, control characters are shown as
// the language's escapes and what else cannot be shown (bytes that are not
// UTF-8) as one replacement character, so that no text of the author reaches
// the terminal as a command and the caret line always agrees with the source
// line above it. Lines too long for a terminal are cut to a window around the
// caret.
#include "frontend/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

using namespace agt;

llvm::StringRef agt::severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    break;
  }
  return "note";
}

//===- Places ------------------------------------------------------------===//

unsigned agt::bufferOf(const llvm::SourceMgr &sources, llvm::SMLoc loc) {
  return loc.isValid() ? sources.FindBufferContainingLoc(loc) : 0;
}

/// The start of the line that holds `at`.
static const char *lineStart(llvm::StringRef text, const char *at) {
  size_t newline = text.take_front(at - text.begin()).rfind('\n');
  return newline == llvm::StringRef::npos ? text.begin()
                                          : text.begin() + newline + 1;
}

static bool isContinuationByte(char c) { return (c & 0xC0) == 0x80; }

LineColumn agt::lineAndColumn(const llvm::SourceMgr &sources, llvm::SMLoc loc) {
  unsigned buffer = bufferOf(sources, loc);
  if (!buffer)
    return {};
  LineColumn place;
  place.line = sources.FindLineNumber(loc, buffer);
  place.column = 1;
  llvm::StringRef text = sources.getMemoryBuffer(buffer)->getBuffer();
  const char *start = lineStart(text, loc.getPointer());
  for (const char *at = start; at != loc.getPointer(); ++at)
    place.column += !isContinuationByte(*at);
  return place;
}

llvm::SMRange agt::endOfFile(const llvm::SourceMgr &sources,
                             unsigned bufferId) {
  llvm::StringRef text = sources.getMemoryBuffer(bufferId)->getBuffer();
  if (text.consume_back("\n"))
    text.consume_back("\r");
  llvm::SMLoc end = llvm::SMLoc::getFromPointer(text.end());
  return {end, end};
}

//===- Building ----------------------------------------------------------===//

Diagnostics::InFlight::InFlight(Diagnostics &owner, Diagnostic diagnostic)
    : owner(&owner), diagnostic(std::move(diagnostic)) {}

Diagnostics::InFlight::InFlight(InFlight &&other) noexcept
    : owner(std::exchange(other.owner, nullptr)),
      diagnostic(std::move(other.diagnostic)) {}

Diagnostics::InFlight::~InFlight() {
  if (owner)
    owner->report(diagnostic);
}

Diagnostics::InFlight &
Diagnostics::InFlight::note(llvm::SMRange range, const llvm::Twine &message) & {
  diagnostic.notes.push_back({Severity::Note, range, message.str(), {}});
  return *this;
}

Diagnostics::InFlight &&
Diagnostics::InFlight::note(llvm::SMRange range,
                            const llvm::Twine &message) && {
  return std::move(note(range, message));
}

Diagnostics::Diagnostics(llvm::SourceMgr &sources, llvm::raw_ostream &out)
    : sources(sources), out(out) {}

Diagnostics::InFlight Diagnostics::error(llvm::SMRange range,
                                         const llvm::Twine &message) {
  return {*this, {Severity::Error, range, message.str(), {}}};
}

Diagnostics::InFlight Diagnostics::warning(llvm::SMRange range,
                                           const llvm::Twine &message) {
  return {*this, {Severity::Warning, range, message.str(), {}}};
}

Diagnostics::InFlight Diagnostics::remark(llvm::SMRange range,
                                          const llvm::Twine &message) {
  return {*this, {Severity::Remark, range, message.str(), {}}};
}

void Diagnostics::report(const Diagnostic &diagnostic) {
  if (diagnostic.severity == Severity::Error)
    ++errors;
  if (handler)
    return handler(diagnostic);
  if (errorLimit && errors > errorLimit) {
    if (errors == errorLimit + 1 && diagnostic.severity == Severity::Error)
      out << "error: too many errors, the rest is not shown\n";
    return;
  }
  printDiagnostic(sources, diagnostic, out);
}

//===- Printing ----------------------------------------------------------===//

namespace {

constexpr unsigned tabStop = 8;
/// Longer lines are cut to a window of this many columns.
constexpr unsigned maxColumns = 160;
constexpr llvm::StringLiteral replacement("\xEF\xBF\xBD");

/// One character of a source line as it is shown.
struct Cell {
  llvm::StringRef text;
  unsigned width;
  /// Bytes of the source that it stands for.
  unsigned bytes;
};

/// The escape of a control character of ASCII.
llvm::StringRef escapeOf(unsigned char control) {
  static const std::vector<std::string> escapes = [] {
    std::vector<std::string> texts;
    for (unsigned c = 0; c <= 0x7F; ++c)
      texts.push_back("\\u{" + llvm::utohexstr(c) + "}");
    return texts;
  }();
  return escapes[control];
}

/// The first character of `rest` as it is shown anywhere.
Cell firstCell(llvm::StringRef rest) {
  if (llvm::isASCII(rest.front()) && !llvm::isPrint(rest.front())) {
    llvm::StringRef escape = escapeOf(rest.front());
    return {escape, unsigned(escape.size()), 1};
  }
  unsigned bytes =
      llvm::getNumBytesForUTF8(static_cast<llvm::UTF8>(rest.front()));
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(rest.data());
  if (bytes > rest.size() || !llvm::isLegalUTF8Sequence(begin, begin + bytes))
    return {replacement, 1, 1};
  llvm::StringRef text = rest.take_front(bytes);
  int width = llvm::sys::unicode::columnWidthUTF8(text);
  if (width < 0)
    return {replacement, 1, bytes};
  return {text, static_cast<unsigned>(width), bytes};
}

Cell nextCell(llvm::StringRef rest, unsigned column) {
  static constexpr llvm::StringLiteral blanks("        ");
  if (rest.front() != '\t')
    return firstCell(rest);
  unsigned width = tabStop - column % tabStop;
  return {blanks.take_front(width), width, 1};
}

/// A source line laid out for display, with the columns of the caret range.
struct Layout {
  std::vector<Cell> cells;
  unsigned caret = 0;
  /// One past the last underlined column.
  unsigned end = 0;
};

Layout layOut(llvm::StringRef line, size_t from, size_t to) {
  Layout layout;
  unsigned column = 0;
  size_t at = 0;
  while (at < line.size()) {
    if (at <= from)
      layout.caret = column;
    Cell cell = nextCell(line.drop_front(at), column);
    at += cell.bytes;
    column += cell.width;
    layout.cells.push_back(cell);
    if (at <= to)
      layout.end = column;
  }
  if (from >= line.size())
    layout.caret = column;
  layout.end = std::max(layout.end, layout.caret + 1);
  return layout;
}

void printLine(const Layout &layout, llvm::raw_ostream &out) {
  // The first column shown: all of a short line, else a window that starts a
  // third of its width before the caret.
  unsigned width = 0;
  for (const Cell &cell : layout.cells)
    width += cell.width;
  unsigned first = 0;
  if (width > maxColumns && layout.caret > maxColumns / 3)
    first = layout.caret - maxColumns / 3;

  std::string shown;
  unsigned column = 0, shownFrom = 0;
  bool begun = false;
  for (const Cell &cell : layout.cells) {
    if (column >= first && column < first + maxColumns) {
      if (!begun)
        shownFrom = column;
      begun = true;
      shown += cell.text;
    }
    column += cell.width;
  }
  if (!begun)
    shownFrom = layout.caret;
  out << llvm::StringRef(shown).rtrim() << '\n';
  unsigned end = std::min(layout.end, shownFrom + maxColumns);
  out.indent(layout.caret - shownFrom) << '^';
  for (unsigned at = layout.caret + 1; at < end; ++at)
    out << '~';
  out << '\n';
}

void printOne(const llvm::SourceMgr &sources, const Diagnostic &diagnostic,
              llvm::raw_ostream &out) {
  unsigned buffer = bufferOf(sources, diagnostic.range.Start);
  if (!buffer) {
    out << severityName(diagnostic.severity) << ": "
        << printable(diagnostic.message) << '\n';
    return;
  }
  const llvm::MemoryBuffer *memory = sources.getMemoryBuffer(buffer);
  LineColumn place = lineAndColumn(sources, diagnostic.range.Start);
  out << printable(memory->getBufferIdentifier()) << ':' << place.line << ':'
      << place.column << ": " << severityName(diagnostic.severity) << ": "
      << printable(diagnostic.message) << '\n';

  llvm::StringRef text = memory->getBuffer();
  const char *start = lineStart(text, diagnostic.range.Start.getPointer());
  llvm::StringRef line =
      text.drop_front(start - text.begin()).split('\n').first;
  line.consume_back("\r");
  size_t from = diagnostic.range.Start.getPointer() - start;
  size_t to = diagnostic.range.End.isValid()
                  ? diagnostic.range.End.getPointer() - start
                  : from;
  printLine(layOut(line, from, to), out);
}

} // namespace

std::string agt::printable(llvm::StringRef text) {
  std::string shown;
  while (!text.empty()) {
    Cell cell = firstCell(text);
    shown += cell.text;
    text = text.drop_front(cell.bytes);
  }
  return shown;
}

void agt::printDiagnostic(const llvm::SourceMgr &sources,
                          const Diagnostic &diagnostic,
                          llvm::raw_ostream &out) {
  printOne(sources, diagnostic, out);
  for (const Diagnostic &note : diagnostic.notes)
    printDiagnostic(sources, note, out);
}
