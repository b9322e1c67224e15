// Brings the steps together: tokens, checks on tokens, brackets, one parse for
// each declaration. Each step collects its errors; they are sorted by place and
// reported at the end, so that the author reads them from top to bottom.
#include "frontend/Parse/Parser.h"

#include "frontend/Parse/Builder.h"
#include "frontend/Parse/Recovery.h"

#include "llvm/ADT/DenseSet.h"

using namespace agt;

namespace {

uint32_t offsetOf(const TokenList &list, const Diagnostic &diagnostic) {
  return diagnostic.range.Start.getPointer() - list.text.data();
}

class FileParser {
public:
  FileParser(const TokenList &list, ast::Context &context)
      : list(list), context(context) {}

  ast::File *parse() {
    auto *file = context.create<ast::File>(list.range(0, list.text.size()));
    file->bufferId = list.bufferId;
    checkTokens(list, errors);
    structure = findStructure(list);
    cutFrom = findCut();
    if (structure.tooDeep) {
      stopAtNesting();
      return file;
    }
    for (size_t index = 0; index != structure.chunks.size(); ++index)
      if (syntaxErrors.size() < enoughErrors && failures < enoughErrors)
        parseChunk(index, *file);
    addBracketFaults();
    errors.insert(errors.end(), syntaxErrors.begin(), syntaxErrors.end());
    dropBesideBrokenStrings();
    return file;
  }

  std::vector<Diagnostic> errors;

private:
  /// Behind the token that nests too deeply nothing was looked at in earnest.
  void stopAtNesting() {
    const SyntaxToken &token = *structure.tooDeep;
    llvm::erase_if(errors, [&](const Diagnostic &error) {
      return offsetOf(list, error) > token.begin;
    });
    errors.push_back({Severity::Error,
                      list.range(token.begin, token.end),
                      nestingMessage,
                      {}});
  }

  void parseChunk(size_t index, ast::File &file) {
    const Chunk &chunk = structure.chunks[index];
    const SyntaxToken *next = chunk.end < structure.tokens.size()
                                  ? &structure.tokens[chunk.end]
                                  : nullptr;
    uint32_t brokenFrom =
        std::min({chunk.brokenFrom, cutFrom,
                  swallowedFrom(structure.tokens[chunk.begin].begin,
                                next ? next->begin : list.text.size())});
    auto tokens = llvm::ArrayRef<SyntaxToken>(structure.tokens)
                      .slice(chunk.begin, chunk.end - chunk.begin);
    ChunkParser parser(list, tokens, next, brokenFrom, chunk.strayBrace,
                       syntaxErrors);
    failures += !parser.parse([&](AgtParser::FileContext &tree) {
      Builder(list, context, syntaxErrors).build(tree, file);
    });
  }

  /// The start of a comment or string that swallows the rest of the file: what
  /// is missing behind it is a consequence.
  uint32_t findCut() const {
    if (!list.tokens.empty() && isUnterminatedComment(list.tokens.back().kind))
      return list.tokens.back().begin;
    for (const BrokenString &broken : list.brokenStrings)
      if (broken.end == list.tokens.size())
        return list.tokens[broken.open].begin;
    return UINT32_MAX;
  }

  void addBracketFaults() {
    const BracketFault *last = nullptr;
    for (const BracketFault &fault : structure.faults) {
      if (fault.place >= cutFrom || isExplained(fault))
        continue;
      // A bracket that closes nothing may be the one that was missed before.
      if (last && isStray(fault) && last->place >= strayFrom(fault.place))
        continue;
      errors.push_back(fault.error);
      last = &fault;
    }
  }

  static bool isStray(const BracketFault &fault) {
    return fault.opener == fault.place;
  }

  /// From where on another fault may be why a bracket closes nothing.
  uint32_t strayFrom(uint32_t place) const {
    return list.text[place] == '}' ? chunkStart(place) : lineStart(place);
  }

  /// A syntax error between a bracket and the place where it turned out to be
  /// unclosed is the same fault, seen earlier. So is one before a stray
  /// bracket: on its line, or, for a brace, in its declaration.
  bool isExplained(const BracketFault &fault) const {
    uint32_t from = fault.opener;
    if (isStray(fault))
      from = strayFrom(fault.place);
    bool seenBefore = llvm::any_of(syntaxErrors, [&](const Diagnostic &error) {
      uint32_t offset = offsetOf(list, error);
      return offset >= from && offset < fault.place;
    });
    return seenBefore ||
           llvm::any_of(list.brokenStrings, [&](const BrokenString &broken) {
             return swallows(broken, fault);
           });
  }

  /// The first string between two offsets that does not end and may hold braces
  /// that were not meant as text.
  uint32_t swallowedFrom(uint32_t begin, uint32_t end) const {
    auto openOf = [&](const BrokenString &broken) {
      return list.tokens[broken.open].begin;
    };
    auto broken = llvm::partition_point(
        list.brokenStrings,
        [&](const BrokenString &each) { return openOf(each) < begin; });
    for (; broken != list.brokenStrings.end() && openOf(*broken) < end;
         ++broken) {
      uint32_t stop = list.tokens[broken->end - 1].end;
      if (list.text.slice(openOf(*broken), stop).find_first_of("{}") !=
          llvm::StringRef::npos)
        return openOf(*broken);
    }
    return UINT32_MAX;
  }

  /// Whether the bracket that a fault misses may be in a string that does not
  /// end, as what was not meant as text.
  bool swallows(const BrokenString &broken, const BracketFault &fault) const {
    uint32_t begin = list.tokens[broken.open].begin;
    uint32_t end = list.tokens[broken.end - 1].end;
    uint32_t from = isStray(fault) ? chunkStart(fault.place) : fault.opener;
    return from < begin && begin < fault.place &&
           list.text.slice(begin, end).find_first_of("{}()[]") !=
               llvm::StringRef::npos;
  }

  /// With a quote too many or too few the whole line is read wrongly: only the
  /// string is reported.
  void dropBesideBrokenStrings() {
    llvm::DenseSet<uint32_t> lines, strings;
    for (const BrokenString &broken : list.brokenStrings) {
      uint32_t open = list.tokens[broken.open].begin;
      strings.insert(broken.brace ? list.tokens[*broken.brace].begin : open);
      lines.insert(lineStart(open));
    }
    llvm::erase_if(errors, [&](const Diagnostic &error) {
      uint32_t offset = offsetOf(list, error);
      return !strings.contains(offset) && lines.contains(lineStart(offset));
    });
  }

  uint32_t lineStart(uint32_t offset) const {
    size_t newline = list.text.take_front(offset).rfind('\n');
    return newline == llvm::StringRef::npos ? 0 : newline + 1;
  }

  /// Where the declaration around an offset begins.
  uint32_t chunkStart(uint32_t offset) const {
    auto beginOf = [&](const Chunk &chunk) {
      return structure.tokens[chunk.begin].begin;
    };
    auto after =
        llvm::partition_point(structure.chunks, [&](const Chunk &chunk) {
          return beginOf(chunk) <= offset;
        });
    return after == structure.chunks.begin() ? 0 : beginOf(after[-1]);
  }

  const TokenList &list;
  ast::Context &context;
  Structure structure;
  std::vector<Diagnostic> syntaxErrors;
  uint32_t cutFrom = UINT32_MAX;
  /// Declarations with errors, reported or not.
  size_t failures = 0;
};

} // namespace

/// Reports in the order of the source; true when there is nothing to report.
static bool reportAll(const std::vector<Diagnostic> &errors,
                      Diagnostics &diagnostics) {
  // Sorted through pointers: equal places keep the order of the checks.
  std::vector<const Diagnostic *> sorted;
  for (const Diagnostic &error : errors)
    sorted.push_back(&error);
  llvm::sort(sorted, [](const Diagnostic *a, const Diagnostic *b) {
    return std::make_pair(a->range.Start.getPointer(), a) <
           std::make_pair(b->range.Start.getPointer(), b);
  });
  for (const Diagnostic *error : sorted)
    diagnostics.report(*error);
  return errors.empty();
}

bool agt::checkTokens(const TokenList &list, Diagnostics &diagnostics) {
  std::vector<Diagnostic> errors;
  checkTokens(list, errors);
  return reportAll(errors, diagnostics);
}

ast::File *agt::parseTokens(const TokenList &list, ast::Context &context,
                            Diagnostics &diagnostics) {
  FileParser parser(list, context);
  ast::File *file = parser.parse();
  return reportAll(parser.errors, diagnostics) ? file : nullptr;
}

ast::File *agt::parseFile(llvm::SourceMgr &sources, unsigned bufferId,
                          ast::Context &context, Diagnostics &diagnostics) {
  std::optional<TokenList> list = lex(sources, bufferId, diagnostics);
  return list ? parseTokens(*list, context, diagnostics) : nullptr;
}
