// What tokens alone do not tell (is this `<` a comparison, this `-` unary, this
// `(` a call) is marked at source offsets by a walk over the AST.
#include "frontend/Format/Atoms.h"

#include "frontend/AST/Walk.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace agt;

namespace {

enum Mark : unsigned {
  BeginsItem = 1,
  /// No blank before.
  Tight = 2,
  /// No blank after.
  TightAfter = 4,
  OpensAngle = 8,
  ClosesAngle = 16,
  OwnLine = 32,
  /// From here on the rank of a break.
  RankShift = 6,
};

// Ranks of breaks: clauses and elements first, then operators, loosest first.
enum Rank : unsigned {
  HeaderRank = Atom::headerRank,
  ClauseRank,
  ElementRank,
  OrRank,
  AndRank,
  CompareRank,
  MaskRank,
  SumRank,
  ProductRank,
};

unsigned rankOf(ast::ChainOp op) {
  switch (op) {
  case ast::ChainOp::Or:
    return OrRank;
  case ast::ChainOp::And:
    return AndRank;
  case ast::ChainOp::Mask:
    return MaskRank;
  case ast::ChainOp::Add:
  case ast::ChainOp::Sub:
    return SumRank;
  default:
    return ProductRank;
  }
}

class AtomMaker {
public:
  explicit AtomMaker(const TokenList &list) : list(list) {}

  std::vector<Atom> make(ast::File &file) {
    readTokens();
    pairBrackets();
    ast::walk(file, [&](ast::Node &node) {
      mark(node);
      // Strings are kept as they are, with all that is inside.
      return !llvm::isa<ast::StringLit>(node);
    });
    applyMarks();
    return std::move(atoms);
  }

private:
  //===- Tokens ----------------------------------------------------------===//

  void readTokens() {
    unsigned newlines = 0;
    for (size_t index = 0; index < list.tokens.size(); ++index) {
      const Token &token = list.tokens[index];
      if (isBlank(token.kind)) {
        newlines += list.spelling(token).count('\n');
        continue;
      }
      Atom atom;
      uint32_t end = token.end;
      if (opensString(token)) {
        index = stringEnd(index);
        end = list.tokens[index].end;
      }
      atom.text = list.text.slice(token.begin, end);
      atom.comment = isComment(token.kind);
      atom.lineComment = isLineComment(token.kind);
      if (atom.lineComment)
        atom.text = atom.text.rtrim();
      atom.newlines = std::exchange(newlines, 0);
      measure(atom);
      indexAt[token.begin] = atoms.size();
      atoms.push_back(atom);
    }
  }

  bool opensString(const Token &token) const {
    return list.text[token.begin] == '"' && !isComment(token.kind);
  }

  /// The token that closes the string that a token opens; strings nest.
  size_t stringEnd(size_t open) const {
    size_t depth = 0;
    for (size_t index = open;; ++index) {
      llvm::StringRef kind = tokenKindName(list.tokens[index].kind);
      depth += kind == "STRING_OPEN";
      depth -= kind == "STRING_CLOSE";
      if (depth == 0)
        return index;
    }
  }

  static unsigned columns(llvm::StringRef text) {
    return llvm::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
  }

  static void measure(Atom &atom) {
    size_t first = atom.text.find('\n');
    atom.multiLine = first != llvm::StringRef::npos;
    atom.width = columns(atom.text.take_front(first));
    atom.lastWidth =
        atom.multiLine
            ? columns(atom.text.drop_front(atom.text.rfind('\n') + 1))
            : atom.width;
  }

  void pairBrackets() {
    std::vector<size_t> open;
    for (size_t index = 0; index != atoms.size(); ++index) {
      if (atoms[index].opens()) {
        open.push_back(index);
      } else if (atoms[index].closes()) {
        atoms[index].partner = open.back();
        atoms[open.back()].partner = index;
        open.pop_back();
      }
    }
  }

  //===- Marks -----------------------------------------------------------===//

  size_t indexOf(llvm::SMLoc at) const {
    return indexAt.lookup(at.getPointer() - list.text.data());
  }
  /// The atom that ends where a range ends.
  size_t lastIndexOf(llvm::SMRange range) const {
    uint32_t offset = range.End.getPointer() - list.text.data();
    // Every bracket is one byte long.
    return indexAt.lookup(offset - 1);
  }
  /// The first atom behind another that is no comment.
  size_t visibleAfter(size_t index) const {
    do
      ++index;
    while (index + 1 < atoms.size() && atoms[index].comment);
    return index;
  }
  size_t visibleBefore(size_t index) const {
    do
      --index;
    while (index > 0 && atoms[index].comment);
    return index;
  }

  void set(size_t index, unsigned mark) { marks[index] |= mark; }
  void rank(llvm::SMLoc at, unsigned rank) {
    marks[indexOf(at)] |= rank << RankShift;
  }
  void item(llvm::SMLoc at) { set(indexOf(at), BeginsItem); }

  /// The bracket behind a name belongs to it.
  void tightAfterName(const ast::Ident &name) {
    size_t next = visibleAfter(indexOf(name.range.Start));
    if (atoms[next].is('('))
      set(next, Tight);
  }
  void tightBracketEndingAt(llvm::SMRange range) {
    set(atoms[lastIndexOf(range)].partner, Tight);
  }

  void mark(ast::Node &node) {
    // Parents come first: an `if` behind `else` does not begin a line.
    if (auto *branch = llvm::dyn_cast<ast::IfStmt>(&node);
        branch && branch->elseIf)
      elseIfs.insert(branch->elseIf);
    if (llvm::isa<ast::Stmt, ast::Decl>(node) && !elseIfs.contains(&node))
      item(node.range.Start);
    markItems(node);
    markSpacing(node);
    markBreaks(node);
  }

  void markItems(ast::Node &node) {
    switch (node.kind) {
    case ast::NodeKind::Prop:
    case ast::NodeKind::Field:
    case ast::NodeKind::AgentNode:
    case ast::NodeKind::AgentStart:
    case ast::NodeKind::ImportDecl:
      return item(node.range.Start);
    case ast::NodeKind::MatchArm: {
      item(node.range.Start);
      auto &arm = llvm::cast<ast::MatchArm>(node);
      if (!arm.value)
        return;
      // Parentheses around the value begin it.
      size_t index = indexOf(arm.value->range.Start);
      while (atoms[visibleBefore(index)].is('('))
        index = visibleBefore(index);
      return set(index, BeginsItem);
    }
    case ast::NodeKind::RecordLit:
      for (const ast::FieldInit &field :
           llvm::cast<ast::RecordLit>(node).fields)
        item(field.name.range.Start);
      return;
    case ast::NodeKind::JoinExpr:
      for (const ast::JoinOp &op : llvm::cast<ast::JoinExpr>(node).ops)
        item(op.range.Start);
      return;
    case ast::NodeKind::EnumDecl:
      for (const ast::Ident &value : llvm::cast<ast::EnumDecl>(node).values)
        item(value.range.Start);
      return;
    default:
      return;
    }
  }

  void markSpacing(ast::Node &node) {
    switch (node.kind) {
    case ast::NodeKind::UnaryExpr:
      return set(indexOf(llvm::cast<ast::UnaryExpr>(node).opRange.Start),
                 TightAfter);
    case ast::NodeKind::RangeExpr:
      return set(indexOf(llvm::cast<ast::RangeExpr>(node).opRange.Start),
                 Tight | TightAfter);
    case ast::NodeKind::CallExpr:
      return tightBracketEndingAt(llvm::cast<ast::CallExpr>(node).closeRange);
    case ast::NodeKind::IndexExpr:
      return tightBracketEndingAt(node.range);
    case ast::NodeKind::ParseCallExpr: {
      auto &call = llvm::cast<ast::ParseCallExpr>(node);
      tightBracketEndingAt(call.closeRange);
      size_t open = visibleAfter(indexOf(call.name.range.Start));
      set(open, Tight | TightAfter | OpensAngle);
      return set(visibleBefore(atoms[lastIndexOf(call.closeRange)].partner),
                 Tight | ClosesAngle);
    }
    case ast::NodeKind::TypeRef: {
      auto &type = llvm::cast<ast::TypeRef>(node);
      if (type.args.empty())
        return;
      set(visibleAfter(indexOf(type.name.range.Start)),
          Tight | TightAfter | OpensAngle);
      size_t close = lastIndexOf(type.range);
      for (unsigned option = 0; option != type.options; ++option)
        close = visibleBefore(close);
      return set(close, Tight | ClosesAngle);
    }
    case ast::NodeKind::ForkExpr:
      for (const ast::ForkClause &clause :
           llvm::cast<ast::ForkExpr>(node).clauses)
        if (clause.kind == ast::ForkClause::PolicyCollect ||
            clause.kind == ast::ForkClause::PolicyQuorum)
          tightBracketEndingAt(clause.range);
      return;
    case ast::NodeKind::GotoStmt:
      if (llvm::cast<ast::GotoStmt>(node).hasArgs)
        tightAfterName(llvm::cast<ast::GotoStmt>(node).node);
      return;
    case ast::NodeKind::AgentNode:
      return tightAfterName(llvm::cast<ast::AgentNode>(node).name);
    case ast::NodeKind::MoreItem:
      if (llvm::cast<ast::MoreItem>(node).hasArgs)
        tightBracketEndingAt(node.range);
      return;
    case ast::NodeKind::GraphDecl:
    case ast::NodeKind::ToolDecl:
    case ast::NodeKind::FnDecl:
    case ast::NodeKind::AgentDecl:
      return tightAfterName(llvm::cast<ast::Decl>(node).name);
    default:
      return;
    }
  }

  void markBreaks(ast::Node &node) {
    switch (node.kind) {
    case ast::NodeKind::ChainExpr:
      for (const ast::ChainExpr::Link &link :
           llvm::cast<ast::ChainExpr>(node).rest)
        rank(link.opRange.Start, rankOf(link.op));
      return;
    case ast::NodeKind::CompareExpr:
      return rank(llvm::cast<ast::CompareExpr>(node).opRange.Start,
                  CompareRank);
    case ast::NodeKind::ForkExpr:
      for (const ast::ForkClause &clause :
           llvm::cast<ast::ForkExpr>(node).clauses)
        rank(clause.range.Start, ClauseRank);
      return;
    case ast::NodeKind::ShardStmt:
      for (const ast::ShardBy &by : llvm::cast<ast::ShardStmt>(node).by)
        rank(by.range.Start, ClauseRank);
      return;
    case ast::NodeKind::GraphDecl: {
      auto &graph = llvm::cast<ast::GraphDecl>(node);
      set(indexOf(graph.body->range.Start), OwnLine);
      auto clause = [&](llvm::SMLoc behind) {
        set(visibleBefore(indexOf(behind)), HeaderRank << RankShift);
      };
      if (!graph.where.empty())
        clause(graph.where.front().name.range.Start);
      if (graph.mesh)
        clause(graph.mesh.range.Start);
      size_t arrow =
          visibleBefore(indexOf(graph.results.front().name
                                    ? graph.results.front().name.range.Start
                                    : graph.results.front().type->range.Start));
      if (graph.tupleResults)
        arrow = visibleBefore(arrow);
      return set(arrow, HeaderRank << RankShift);
    }
    default:
      return;
    }
  }

  //===- Spacing ---------------------------------------------------------===//

  void applyMarks() {
    for (size_t index = 0; index != atoms.size(); ++index) {
      Atom &atom = atoms[index];
      unsigned mark = marks.lookup(index);
      atom.beginsItem = mark & BeginsItem;
      atom.breakRank = mark >> RankShift;
      if (index == 0)
        continue;
      const Atom &before = atoms[index - 1];
      atom.space = blanksBetween(before, atom, marks.lookup(index - 1), mark);
      atom.angle = bool(mark & OpensAngle) - bool(mark & ClosesAngle);
      atom.ownLine = mark & OwnLine;
      if (atom.text == "->" && !atom.breakRank)
        atom.breakRank = ClauseRank;
      if (before.is(',') && !atom.breakRank)
        atom.breakRank = ElementRank;
    }
  }

  static unsigned blanksBetween(const Atom &before, const Atom &atom,
                                unsigned markBefore, unsigned mark) {
    if (before.is('(') || before.is('['))
      return atom.lineComment ? 2 : 0;
    if (atom.comment)
      return atom.lineComment ? 2 : 1;
    if (atom.is(',') || atom.is(';') || atom.is(':') || atom.is('.') ||
        atom.is('?') || atom.is(')') || atom.is(']'))
      return 0;
    if (before.comment)
      return 1;
    if (mark & Tight || markBefore & TightAfter || before.is('.'))
      return 0;
    return !(before.is('{') && atom.is('}'));
  }

  const TokenList &list;
  std::vector<Atom> atoms;
  llvm::DenseMap<uint32_t, size_t> indexAt;
  llvm::DenseMap<size_t, unsigned> marks;
  llvm::DenseSet<const ast::Node *> elseIfs;
};

} // namespace

std::vector<Atom> agt::makeAtoms(const TokenList &list, ast::File &file) {
  return AtomMaker(list).make(file);
}
