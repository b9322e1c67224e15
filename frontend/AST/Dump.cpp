// Children come from Walk.h; this file says what else each node holds. What is
// printed here is also what `structure` compares, so everything that tells two
// programs apart has to be printed.
#include "frontend/AST/Dump.h"

#include "frontend/AST/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace agt::ast;

namespace {

/// Line starts of one buffer, so that each place is a binary search.
class Lines {
public:
  Lines(const llvm::SourceMgr &sources, llvm::SMLoc inside) {
    unsigned buffer = sources.FindBufferContainingLoc(inside);
    text = sources.getMemoryBuffer(buffer)->getBuffer();
    starts.push_back(0);
    for (size_t at = text.find('\n'); at != llvm::StringRef::npos;
         at = text.find('\n', at + 1))
      starts.push_back(at + 1);
  }

  void print(const char *at, llvm::raw_ostream &out) {
    size_t offset = at - text.data();
    size_t line = llvm::upper_bound(starts, offset) - starts.begin() - 1;
    // Dumps ask in source order: columns are counted on from the last answer.
    if (line != lastLine || offset < lastOffset) {
      lastLine = line;
      lastOffset = starts[line];
      column = 1;
    }
    for (; lastOffset != offset; ++lastOffset)
      column += (text[lastOffset] & 0xC0) != 0x80;
    out << line + 1 << ':' << column;
  }

private:
  llvm::StringRef text;
  std::vector<size_t> starts;
  size_t lastLine = SIZE_MAX, lastOffset = 0;
  unsigned column = 1;
};

class Dumper {
public:
  Dumper(llvm::raw_ostream &out, Lines *lines) : out(out), lines(lines) {}

  void dump(const Node &root) {
    // A stack of our own: long lists make no deep trees, but nothing here
    // depends on it.
    std::vector<std::pair<const Node *, unsigned>> pending{{&root, 0}};
    llvm::SmallVector<Node *, 8> children;
    while (!pending.empty()) {
      auto [node, depth] = pending.back();
      pending.pop_back();
      out.indent(2 * depth) << kindName(node->kind);
      if (lines)
        place(*node);
      details(*node);
      out << '\n';
      children.clear();
      collectChildren(*node, children);
      for (Node *child : llvm::reverse(children))
        pending.emplace_back(child, depth + 1);
    }
  }

private:
  void place(const Node &node) {
    out << " <";
    lines->print(node.range.Start.getPointer(), out);
    const char *end = node.range.End.getPointer();
    if (end != node.range.Start.getPointer()) {
      out << ", ";
      // The last character: back over a multi-byte one.
      do
        --end;
      while ((*end & 0xC0) == 0x80);
      lines->print(end, out);
    }
    out << '>';
  }

  void name(const Ident &ident) {
    if (ident)
      out << " '" << ident.text << "'";
  }
  void named(llvm::StringRef what, const Ident &ident) {
    if (ident)
      out << ' ' << what << " '" << ident.text << "'";
  }
  void flag(bool set, llvm::StringRef text) {
    if (set)
      out << ' ' << text;
  }
  void quoted(llvm::StringRef text) {
    out << " \"";
    out.write_escaped(text);
    out << '"';
  }
  void doc(const std::string &text) {
    if (text.empty())
      return;
    out << " doc";
    quoted(text);
  }
  void names(const std::vector<Ident> &idents) {
    for (const Ident &ident : idents)
      name(ident);
  }
  void args(const std::vector<Arg> &list) {
    // Positions of named arguments among the children.
    for (auto [index, arg] : llvm::enumerate(list))
      if (arg.name)
        out << " #" << index << "='" << arg.name.text << "'";
  }

  void details(const Node &node);
  void literal(const Node &node);
  void expr(const Node &node);
  void stmt(const Node &node);
  void decl(const Decl &node);
  void rest(const Node &node);

  void clause(const ForkClause &clause) {
    static const char *const kindNames[] = {"key",
                                            "width",
                                            "max",
                                            "deadline",
                                            "policy all",
                                            "policy first",
                                            "policy collect",
                                            "policy quorum"};
    out << " [" << kindNames[clause.kind] << ']';
  }

  void joinOp(const JoinOp &op) {
    out << " [" << spelling(op.kind);
    name(op.field);
    flag(op.descending, "desc");
    named("with", op.reducer);
    out << ']';
  }

  void typeRef(const TypeRef &type) {
    name(type.name);
    for (const TypeArg &arg : type.args) {
      if (arg.kind == TypeArg::Dims)
        out << " [" << arg.dims.size() << " dims]";
      else
        out << (arg.kind == TypeArg::Max ? " [max]" : " [type]");
    }
    flag(type.options, std::string(type.options, '?'));
  }

  llvm::raw_ostream &out;
  Lines *lines;
};

void Dumper::details(const Node &node) {
  if (llvm::isa<Expr>(node))
    return expr(node);
  if (llvm::isa<Stmt>(node))
    return stmt(node);
  if (auto *declaration = llvm::dyn_cast<Decl>(&node))
    return decl(*declaration);
  rest(node);
}

void Dumper::literal(const Node &node) {
  if (auto *value = llvm::dyn_cast<IntLit>(&node)) {
    out << ' ' << value->value;
  } else if (auto *value = llvm::dyn_cast<FloatLit>(&node)) {
    out << ' ' << llvm::format("%.17g", value->value);
  } else if (auto *value = llvm::dyn_cast<DurationLit>(&node)) {
    out << ' ' << value->nanoseconds << "ns";
  } else if (auto *value = llvm::dyn_cast<QuantityLit>(&node)) {
    static const char *const units[] = {"bytes", "bytes/s", "FLOP/s", "Hz"};
    out << ' ' << llvm::format("%.17g", value->value) << ' '
        << units[value->unit];
  } else if (auto *value = llvm::dyn_cast<BoolLit>(&node)) {
    out << (value->value ? " true" : " false");
  } else if (auto *value = llvm::dyn_cast<StringLit>(&node)) {
    flag(value->block, "block");
    if (value->parts.empty())
      quoted("");
    for (const StringPart &part : value->parts) {
      if (part.expr)
        out << " {}";
      else
        quoted(part.text);
    }
  }
}

void Dumper::expr(const Node &node) {
  flag(lines && llvm::cast<Expr>(node).parenthesized, "parenthesized");
  switch (node.kind) {
  case NodeKind::NameRef:
    return name(llvm::cast<NameRef>(node).name);
  case NodeKind::ChainExpr: {
    // One operator is named once, however often it stands.
    const auto &chain = llvm::cast<ChainExpr>(node);
    bool same = llvm::all_of(chain.rest, [&](const ChainExpr::Link &link) {
      return link.op == chain.rest.front().op;
    });
    for (const ChainExpr::Link &link : chain.rest) {
      out << " '" << spelling(link.op) << "'";
      if (same)
        return;
    }
    return;
  }
  case NodeKind::CompareExpr:
    out << " '" << spelling(llvm::cast<CompareExpr>(node).op) << "'";
    return;
  case NodeKind::UnaryExpr:
    out << " '" << llvm::cast<UnaryExpr>(node).op << "'";
    return;
  case NodeKind::CallExpr:
    return args(llvm::cast<CallExpr>(node).args);
  case NodeKind::MemberExpr:
    out << " .";
    return name(llvm::cast<MemberExpr>(node).member);
  case NodeKind::OnMeshExpr:
    return name(llvm::cast<OnMeshExpr>(node).mesh);
  case NodeKind::ParseCallExpr:
    name(llvm::cast<ParseCallExpr>(node).name);
    return args(llvm::cast<ParseCallExpr>(node).args);
  case NodeKind::ComprehensionExpr:
    return name(llvm::cast<ComprehensionExpr>(node).variable);
  case NodeKind::RecordLit: {
    const auto &record = llvm::cast<RecordLit>(node);
    name(record.name);
    for (const FieldInit &field : record.fields)
      out << " ." << field.name.text;
    return;
  }
  case NodeKind::ForkExpr:
    name(llvm::cast<ForkExpr>(node).variable);
    for (const ForkClause &each : llvm::cast<ForkExpr>(node).clauses)
      clause(each);
    return;
  case NodeKind::JoinExpr:
    for (const JoinOp &op : llvm::cast<JoinExpr>(node).ops)
      joinOp(op);
    return;
  case NodeKind::AskExpr:
    name(llvm::cast<AskExpr>(node).model);
    return named("with", llvm::cast<AskExpr>(node).context);
  case NodeKind::ApproveExpr:
    flag(llvm::cast<ApproveExpr>(node).within, "within");
    return flag(true, llvm::cast<ApproveExpr>(node).otherwise ? "else true"
                                                              : "else false");
  case NodeKind::ReceiveExpr:
    return name(llvm::cast<ReceiveExpr>(node).name);
  default:
    return literal(node);
  }
}

void Dumper::stmt(const Node &node) {
  switch (node.kind) {
  case NodeKind::LetStmt: {
    const auto &let = llvm::cast<LetStmt>(node);
    flag(let.tuple, "tuple");
    names(let.names);
    return named("was", let.was);
  }
  case NodeKind::VarStmt:
    return name(llvm::cast<VarStmt>(node).name);
  case NodeKind::AssignStmt:
    return name(llvm::cast<AssignStmt>(node).name);
  case NodeKind::ForStmt:
    return name(llvm::cast<ForStmt>(node).variable);
  case NodeKind::WhileStmt:
    return flag(llvm::cast<WhileStmt>(node).max, "max");
  case NodeKind::LoopStmt:
    name(llvm::cast<LoopStmt>(node).variable);
    return flag(llvm::cast<LoopStmt>(node).max, "max");
  case NodeKind::RepeatStmt: {
    const auto &repeat = llvm::cast<RepeatStmt>(node);
    name(repeat.variable);
    flag(!repeat.carrying.empty(), "carrying");
    return names(repeat.carrying);
  }
  case NodeKind::TryStmt:
    return named("else", llvm::cast<TryStmt>(node).error);
  case NodeKind::GotoStmt: {
    const auto &jump = llvm::cast<GotoStmt>(node);
    name(jump.node);
    flag(jump.hasArgs, "()");
    return args(jump.args);
  }
  case NodeKind::MockStmt:
    return name(llvm::cast<MockStmt>(node).model);
  case NodeKind::ShardStmt:
    names(llvm::cast<ShardStmt>(node).names);
    for (const ShardBy &by : llvm::cast<ShardStmt>(node).by) {
      out << " [by";
      name(by.dim);
      out << " over";
      names(by.axes);
      named("balance", by.balance);
      named("via", by.via);
      out << ']';
    }
    return;
  default:
    return;
  }
}

void Dumper::decl(const Decl &node) {
  name(node.name);
  if (auto *values = llvm::dyn_cast<EnumDecl>(&node)) {
    out << " =";
    names(values->values);
  } else if (auto *weights = llvm::dyn_cast<WeightsDecl>(&node)) {
    named("format", weights->format);
  } else if (auto *llm = llvm::dyn_cast<LlmDecl>(&node)) {
    named(llm->fromGraph ? "= graph" : "=", llm->source);
  } else if (auto *graph = llvm::dyn_cast<GraphDecl>(&node)) {
    out << " ->";
    flag(graph->tupleResults, "tuple");
    for (const GraphResult &result : graph->results)
      out << " '" << result.name.text << "'";
    for (const WhereDim &dim : graph->where)
      named("where", dim.name);
    named("on", graph->mesh);
  } else if (auto *tool = llvm::dyn_cast<ToolDecl>(&node)) {
    named("=", tool->provider);
  }
  doc(node.doc);
}

void Dumper::rest(const Node &node) {
  switch (node.kind) {
  case NodeKind::AgentNode:
    name(llvm::cast<AgentNode>(node).name);
    flag(llvm::cast<AgentNode>(node).hasParams, "()");
    return doc(llvm::cast<AgentNode>(node).doc);
  case NodeKind::AgentStart:
    return name(llvm::cast<AgentStart>(node).node);
  case NodeKind::Field:
    name(llvm::cast<Field>(node).name);
    return doc(llvm::cast<Field>(node).doc);
  case NodeKind::Param:
    return name(llvm::cast<Param>(node).name);
  case NodeKind::Pattern: {
    static const char *const kinds[] = {"else",  "none",    "ok",
                                        "error", "literal", "name"};
    const auto &pattern = llvm::cast<Pattern>(node);
    out << ' ' << kinds[pattern.pattern];
    if (pattern.pattern != Pattern::Name)
      return;
    name(pattern.name);
    return name(pattern.member);
  }
  case NodeKind::Prop:
    name(llvm::cast<Prop>(node).word);
    return named("label", llvm::cast<Prop>(node).label);
  case NodeKind::Value:
    return named("=", llvm::cast<Value>(node).name);
  case NodeKind::MoreItem: {
    const auto &item = llvm::cast<MoreItem>(node);
    names(item.path);
    return flag(item.hasArgs, "()");
  }
  case NodeKind::TypeRef:
    return typeRef(llvm::cast<TypeRef>(node));
  default:
    return;
  }
}

} // namespace

void agt::ast::dump(const Node &root, const llvm::SourceMgr &sources,
                    llvm::raw_ostream &out) {
  Lines lines(sources, root.range.Start);
  Dumper(out, &lines).dump(root);
}

std::string agt::ast::structure(const Node &root) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Dumper(out, nullptr).dump(root);
  return text;
}
