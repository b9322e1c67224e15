// Layout, from the outside in.
//
// A region is what stands between expanded braces (or the whole file): items,
// each on a line of its own, and comments between them. An item is laid out on
// one line if all its braces may be flat and it fits. Otherwise its outermost
// braces are expanded, which makes regions of their contents, and what is left
// between them are segments. A segment that does not fit is broken at the
// loosest breaks it has, filled greedily; a piece that still does not fit is
// broken at its own next breaks, one step further in.
//
// Whether braces were on one line is the only thing that layout takes from the
// source beside blank lines and the place of comments; so formatting its own
// output changes nothing.
#include "frontend/Format/Formatter.h"

#include "frontend/AST/Dump.h"
#include "frontend/Format/Atoms.h"
#include "frontend/Parse/Parser.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;

namespace {

constexpr unsigned lineWidth = 100;
constexpr unsigned indentStep = 2;
constexpr unsigned continuationStep = 4;

class Layout {
public:
  explicit Layout(std::vector<Atom> atoms) : atoms(std::move(atoms)) {}

  std::string run() {
    findExpanded();
    region(0, atoms.size(), 0);
    while (llvm::StringRef(out).ends_with("\n\n"))
      out.pop_back();
    return std::move(out);
  }

private:
  /// Braces that cannot be flat: written over several lines, or with a comment
  /// inside that ends its line.
  void findExpanded() {
    std::vector<size_t> open;
    for (size_t index = 0; index != atoms.size(); ++index) {
      Atom &atom = atoms[index];
      bool breaksLine = atom.newlines || atom.lineComment;
      if (atom.opens())
        open.push_back(index);
      for (size_t depth = open.size(); breaksLine && depth-- > 0;) {
        Atom &opener = atoms[open[depth]];
        if (open[depth] == index || !opener.is('{'))
          continue;
        if (opener.expanded)
          break;
        opener.expanded = opener.partner != open[depth] + 1;
      }
      if (atom.closes())
        open.pop_back();
    }
  }

  //===- Regions ---------------------------------------------------------===//

  void region(size_t begin, size_t end, unsigned indent) {
    size_t at = begin;
    while (at != end) {
      bool trailing = atoms[at].comment && atoms[at].newlines == 0 && at != 0;
      if (trailing) {
        // Behind the item before it, or behind the brace.
        out.pop_back();
        out += "  ";
        append(at++);
        newline();
        continue;
      }
      if (at != begin && atoms[at].newlines > 1)
        newline();
      size_t stop = itemEnd(at, end);
      startLine(indent);
      if (atoms[at].comment)
        append(at);
      else
        item(at, stop, indent);
      newline();
      at = stop;
    }
  }

  /// One past the item (or the comment between items) that begins at an index.
  size_t itemEnd(size_t begin, size_t end) const {
    if (atoms[begin].comment)
      return begin + 1;
    size_t at = begin;
    while (true) {
      at = atoms[at].opens() ? atoms[at].partner + 1 : at + 1;
      // A comment belongs to what is before it only in the middle of an item.
      size_t visible = at;
      while (visible != end && atoms[visible].comment)
        ++visible;
      if (visible == end || atoms[visible].beginsItem)
        return at;
      at = visible;
    }
  }

  //===- Items -----------------------------------------------------------===//

  void item(size_t begin, size_t end, unsigned indent) {
    std::vector<size_t> braces = bracesToExpand(begin, end, indent);
    size_t start = begin;
    for (size_t brace : braces) {
      segment(start, brace + 1, indent);
      newline();
      region(brace + 1, atoms[brace].partner, indent + indentStep);
      startLine(indent);
      start = atoms[brace].partner;
    }
    segment(start, end, indent);
  }

  /// The outermost braces of an item that have to be expanded, or that are on
  /// a part of it that is too long with them.
  std::vector<size_t> bracesToExpand(size_t begin, size_t end,
                                     unsigned indent) const {
    std::vector<size_t> result, flat;
    size_t start = begin;
    auto endSegment = [&](size_t stop) {
      if (!fits(start, stop, indent))
        result.insert(result.end(), flat.begin(), flat.end());
      flat.clear();
    };
    for (size_t at = begin; at < end; ++at) {
      if (!atoms[at].is('{'))
        continue;
      size_t brace = at;
      at = atoms[brace].partner;
      if (atoms[brace].expanded || besideExpandedElse(brace, begin, end)) {
        endSegment(brace + 1);
        result.push_back(brace);
        start = at;
      } else if (at != brace + 1) {
        flat.push_back(brace);
      }
    }
    endSegment(end);
    return result;
  }

  /// The branches of one `if` look alike: whether another branch is expanded.
  bool besideExpandedElse(size_t brace, size_t begin, size_t end) const {
    if (atoms[brace].partner == brace + 1 || !besideElse(brace, end))
      return false;
    for (size_t at = begin; at < end; ++at) {
      if (!atoms[at].is('{'))
        continue;
      if (atoms[at].expanded && besideElse(at, end))
        return true;
      at = atoms[at].partner;
    }
    return false;
  }

  bool besideElse(size_t brace, size_t end) const {
    size_t after = atoms[brace].partner + 1;
    return (after < end && atoms[after].text == "else") ||
           (brace > 0 && atoms[brace - 1].text == "else");
  }

  //===- Segments --------------------------------------------------------===//

  /// Columns of atoms on one line, the first without its blank; more than fits
  /// when a line must end inside.
  unsigned flatWidth(size_t begin, size_t end) const {
    unsigned width = 0;
    bool first = true; // line
    for (size_t at = begin; at != end; ++at) {
      if (first)
        width += (at != begin ? atoms[at].space : 0) + atoms[at].width;
      if ((atoms[at].lineComment && at + 1 != end) || width > lineWidth)
        return lineWidth + 1;
      // What follows a string of several lines is on its last one.
      first &= !atoms[at].multiLine;
    }
    return width;
  }

  bool fits(size_t begin, size_t end, unsigned at) const {
    return at + flatWidth(begin, end) <= lineWidth;
  }

  /// Appends atoms that stand on the line begun, breaking it where it is full.
  void segment(size_t begin, size_t end, unsigned indent) {
    if (fits(begin, end, column))
      return flat(begin, end);
    bool ownLine =
        atoms[end - 1].ownLine && loosestBreak(begin, end) == headerBreak;
    broken(begin, end - ownLine, indent + continuationStep);
    if (!ownLine)
      return;
    newline();
    startLine(indent);
    append(end - 1);
  }

  void flat(size_t begin, size_t end) {
    for (size_t at = begin; at != end; ++at) {
      if (at != begin)
        blanks(atoms[at].space);
      append(at);
    }
  }

  /// The loosest break in a range: by depth of brackets, then by rank; or 0.
  unsigned loosestBreak(size_t begin, size_t end) const {
    unsigned loosest = 0, depth = 0;
    for (size_t at = begin; at != end; ++at) {
      leave(at, depth);
      if (unsigned rank = breakAt(begin, at, depth))
        loosest = loosest ? std::min(loosest, rank) : rank;
      enter(at, depth);
    }
    return loosest;
  }

  void leave(size_t at, unsigned &depth) const {
    if (depth && (atoms[at].closes() || atoms[at].angle < 0))
      --depth;
  }
  void enter(size_t at, unsigned &depth) const {
    depth += atoms[at].opens() || atoms[at].angle > 0;
  }

  static constexpr unsigned ranks = 16;
  static constexpr unsigned headerBreak = 1 + Atom::headerRank;

  unsigned breakAt(size_t begin, size_t at, unsigned depth) const {
    if (at == begin)
      return 0;
    // Behind a comment that ends its line there is no choice.
    if (atoms[at - 1].lineComment)
      return 1;
    return atoms[at].breakRank ? 1 + depth * ranks + atoms[at].breakRank : 0;
  }

  void broken(size_t begin, size_t end, unsigned indent) {
    unsigned loosest = loosestBreak(begin, end);
    if (!loosest)
      return flat(begin, end);
    size_t start = begin;
    unsigned depth = 0;
    for (size_t at = begin; at <= end; ++at) {
      if (at != end) {
        leave(at, depth);
        bool cut = breakAt(begin, at, depth) == loosest;
        enter(at, depth);
        if (!cut)
          continue;
      }
      piece(start, at, start == begin, loosest == headerBreak, indent);
      start = at;
    }
  }

  void piece(size_t begin, size_t end, bool first, bool ownLine,
             unsigned indent) {
    if (!first) {
      bool forced = ownLine || atoms[begin - 1].lineComment;
      unsigned space = atoms[begin].space;
      if (forced || !fits(begin, end, column + space)) {
        newline();
        startLine(indent);
      } else {
        blanks(space);
      }
    }
    if (fits(begin, end, column))
      return flat(begin, end);
    broken(begin, end, indent + continuationStep);
  }

  //===- Text ------------------------------------------------------------===//

  void append(size_t index) {
    const Atom &atom = atoms[index];
    out += atom.text;
    column = atom.multiLine ? atom.lastWidth : column + atom.lastWidth;
  }
  void blanks(unsigned count) {
    out.append(count, ' ');
    column += count;
  }
  void newline() {
    out += '\n';
    column = 0;
  }
  void startLine(unsigned indent) {
    out.append(indent, ' ');
    column = indent;
  }

  std::vector<Atom> atoms;
  std::string out;
  unsigned column = 0;
};

/// Comments in order, without the blanks around them.
std::vector<std::string> comments(const TokenList &list) {
  std::vector<std::string> result;
  for (const Token &token : list.tokens)
    if (isComment(token.kind))
      result.push_back(list.spelling(token).rtrim().str());
  return result;
}

/// Whether two texts have the same AST and the same comments.
bool meansTheSame(const TokenList &list, const ast::File &file,
                  llvm::StringRef text) {
  llvm::SourceMgr sources;
  unsigned buffer = sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "formatted"), llvm::SMLoc());
  Diagnostics diagnostics(sources, llvm::nulls());
  ast::Context context;
  std::optional<TokenList> again = lex(sources, buffer, diagnostics);
  if (!again || comments(*again) != comments(list))
    return false;
  ast::File *parsed = parseTokens(*again, context, diagnostics);
  return parsed && ast::structure(*parsed) == ast::structure(file);
}

} // namespace

std::optional<std::string> agt::formatFile(llvm::SourceMgr &sources,
                                           unsigned bufferId,
                                           Diagnostics &diagnostics) {
  std::optional<TokenList> list = lex(sources, bufferId, diagnostics);
  if (!list)
    return std::nullopt;
  ast::Context context;
  ast::File *file = parseTokens(*list, context, diagnostics);
  if (!file)
    return std::nullopt;
  std::string text = Layout(makeAtoms(*list, *file)).run();
  if (!meansTheSame(*list, *file, text)) {
    diagnostics.error(list->range(0, 0),
                      "formatting would change what this file means, which is "
                      "a bug in agtc; it is left alone");
    return std::nullopt;
  }
  return text;
}
