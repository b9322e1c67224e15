//===- AgentPicture.cpp - A drawing of an agent ---------------------------===//
//
// Boxes are ranked by the longest way from the start, edges that lead back left
// aside; a rank is a row of the SVG.
//
//===----------------------------------------------------------------------===//

#include "passes/AgentPicture.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <utility>

using namespace mlir;
using namespace agt;

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

void AgentPicture::connect(const Ends &from, unsigned to) {
  for (unsigned end : from) {
    Edge edge{end, to, end >= to};
    bool known = std::any_of(edges.begin(), edges.end(), [&](const Edge &e) {
      return e.from == edge.from && e.to == edge.to;
    });
    if (!known)
      edges.push_back(edge);
  }
}

unsigned AgentPicture::add(Box::Kind kind, std::string title,
                           std::string detail, const Ends &from) {
  boxes.push_back({kind, std::move(title), std::move(detail)});
  connect(from, boxes.size() - 1);
  return boxes.size() - 1;
}

AgentPicture::Ends AgentPicture::walkLoop(Region &region, Ends from) {
  size_t first = boxes.size();
  Ends ends = walk(region.front(), from);
  if (boxes.size() > first)
    connect(ends, first);
  // The loop may also run not at all.
  for (unsigned end : from)
    ends.push_back(end);
  return ends;
}

/// Appends ends that are not there yet.
static void merge(std::vector<unsigned> &ends,
                  const std::vector<unsigned> &more) {
  for (unsigned end : more)
    if (std::find(ends.begin(), ends.end(), end) == ends.end())
      ends.push_back(end);
}

AgentPicture::Ends AgentPicture::walkOp(Operation &op, Ends from) {
  auto step = [&](Box::Kind kind, std::string title, std::string detail) {
    return Ends{add(kind, std::move(title), std::move(detail), from)};
  };
  if (auto call = dyn_cast<CallToolOp>(op)) {
    auto tool =
        SymbolTable::lookupNearestSymbolFrom<ToolOp>(&op, call.getCalleeAttr());
    return step(Box::Tool, call.getCallee().str(), tool.getEffect().str());
  }
  if (auto ask = dyn_cast<AskOp>(op)) {
    std::string tools;
    if (ask.getTools())
      for (auto tool : ask.getTools()->getAsRange<FlatSymbolRefAttr>()) {
        auto decl = SymbolTable::lookupNearestSymbolFrom<ToolOp>(&op, tool);
        tools += (tools.empty() ? "may call " : ", ") + tool.getValue().str() +
                 " (" + decl.getEffect().str() + ")";
      }
    return step(Box::Ask, "ask " + ask.getLlm().str(), tools);
  }
  if (auto child = dyn_cast<CallAgentOp>(op))
    return step(Box::Child, child.getCallee().str(), "agent");
  if (auto approve = dyn_cast<ApproveOp>(op))
    return step(Box::Wait, "approve",
                approve.getOtherwise() ? "else true" : "else false");
  if (isa<SleepOp>(op))
    return step(Box::Wait, "sleep", "");
  if (auto receive = dyn_cast<ReceiveOp>(op))
    return step(Box::Wait, "receive " + receive.getName().str(), "");
  if (isa<EmitOp>(op))
    return step(Box::Note, "emit", "");
  if (auto observe = dyn_cast<ObserveOp>(op))
    return step(Box::Note, observe.getFunction().str(), "");
  if (auto fork = dyn_cast<ForkOp>(op)) {
    unsigned split = add(Box::Fork, "fork " + fork.getSegment().str(),
                         fork.getPolicy().str(), from);
    Ends outer = std::exchange(given, {});
    walk(fork.getBranch().front(), {split});
    Ends ends = std::exchange(given, std::move(outer));
    return {add(Box::Join, "results", "", ends)};
  }
  if (auto join = dyn_cast<JoinOp>(op)) {
    std::string detail;
    for (auto entry : join.getOps().getAsRange<DictionaryAttr>()) {
      detail += (detail.empty() ? "" : ", ") +
                entry.getAs<StringAttr>("op").getValue().str();
      if (auto with = entry.getAs<FlatSymbolRefAttr>("with"))
        detail += " with " + with.getValue().str();
    }
    return step(Box::Join, "join " + join.getSegment().str(), detail);
  }
  if (auto choice = dyn_cast<IfOp>(op)) {
    Ends ends = walk(choice.getThen().front(), from);
    merge(ends, walk(choice.getOtherwise().front(), from));
    return ends;
  }
  if (auto loop = dyn_cast<LoopOp>(op))
    return walkLoop(loop.getBody(), from);
  if (auto each = dyn_cast<ForOp>(op))
    return walkLoop(each.getBody(), from);
  if (auto collect = dyn_cast<CollectOp>(op))
    return walkLoop(collect.getBody(), from);
  if (auto loop = dyn_cast<WhileOp>(op)) {
    Ends ends = walk(loop.getCondition().front(), from);
    return walkLoop(loop.getBody(), ends);
  }
  if (auto guarded = dyn_cast<TryOp>(op)) {
    size_t first = boxes.size();
    Ends ends = walk(guarded.getBody().front(), from);
    // The handler follows any step of the body.
    Ends failing = from;
    for (unsigned box = first; box < boxes.size(); ++box)
      failing.push_back(box);
    merge(ends, walk(guarded.getHandler().front(), failing));
    return ends;
  }
  return from;
}

AgentPicture::Ends AgentPicture::walk(Block &block, Ends from) {
  for (Operation &op : block) {
    if (auto jump = dyn_cast<GotoOp>(op)) {
      for (unsigned end : from)
        jumps.emplace_back(end, jump.getNode().str());
      return {};
    }
    if (isa<FinishOp>(op)) {
      merge(finished, from);
      return {};
    }
    if (isa<GiveOp>(op)) {
      merge(given, from);
      return {};
    }
    if (isa<FailOp>(op))
      return {};
    if (auto start = dyn_cast<StartOp>(op)) {
      for (unsigned end : from)
        jumps.emplace_back(end, start.getNode().str());
      return {};
    }
    if (!isa<NodeOp>(op))
      from = walkOp(op, std::move(from));
  }
  return from;
}

AgentPicture::AgentPicture(AgentOp agent) : name(agent.getSymName()) {
  Ends start = {add(Box::Start, agent.getSymName().str(), "agent", {})};
  walk(agent.getBody().front(), start);
  for (NodeOp node : agent.getBody().getOps<NodeOp>()) {
    unsigned box = add(Box::Node, node.getName().str(), "node", {});
    nodes[node.getName()] = box;
    walk(node.getBody().front(), {box});
  }
  for (const auto &[from, node] : jumps)
    connect({from}, nodes.lookup(node));
  add(Box::End, "return", "", finished);
  place();
}

//===----------------------------------------------------------------------===//
// Placing and writing
//===----------------------------------------------------------------------===//

void AgentPicture::place() {
  // Edges that are not back edges lead to higher numbers.
  for (unsigned to = 0; to < boxes.size(); ++to)
    for (const Edge &edge : edges)
      if (edge.to == to && !edge.back)
        boxes[to].rank = std::max(boxes[to].rank, boxes[edge.from].rank + 1);
  std::map<unsigned, unsigned> used;
  for (Box &box : boxes)
    box.column = used[box.rank]++;
}

static std::string escaped(llvm::StringRef text, bool xml) {
  std::string result;
  for (char letter : text) {
    if (xml && letter == '&')
      result += "&amp;";
    else if (xml && letter == '<')
      result += "&lt;";
    else if (xml && letter == '>')
      result += "&gt;";
    else if (!xml && (letter == '"' || letter == '\\'))
      result += std::string("\\") + letter;
    else
      result += letter;
  }
  return result;
}

std::string AgentPicture::dot() const {
  static constexpr const char *shapes[] = {
      "oval",         "folder",  "box",   "component", "trapezium",
      "invtrapezium", "octagon", "box3d", "note",      "oval"};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "digraph \"" << escaped(name, false) << "\" {\n"
     << "  node [fontname=\"sans-serif\"];\n";
  for (unsigned i = 0; i < boxes.size(); ++i) {
    const Box &box = boxes[i];
    os << "  n" << i << " [shape=" << shapes[box.kind] << ", label=\""
       << escaped(box.title, false)
       << (box.detail.empty() ? "" : "\\n" + escaped(box.detail, false))
       << "\"];\n";
  }
  for (const Edge &edge : edges)
    os << "  n" << edge.from << " -> n" << edge.to
       << (edge.back ? " [style=dashed, constraint=false]" : "") << ";\n";
  os << "}\n";
  return text;
}

std::string AgentPicture::svg() const {
  constexpr unsigned height = 44, rowStep = 84, margin = 20;
  unsigned widest = 0, rows = 0, columns = 0;
  for (const Box &box : boxes) {
    widest = std::max<unsigned>(
        widest, 8 * std::max(box.title.size(), box.detail.size()));
    rows = std::max(rows, box.rank + 1);
    columns = std::max(columns, box.column + 1);
  }
  unsigned width = std::max(widest + 24, 96u), columnStep = width + 48;
  auto x = [&](const Box &box) { return margin + box.column * columnStep; };
  auto y = [&](const Box &box) { return margin + box.rank * rowStep; };
  static constexpr const char *fills[] = {
      "#ffffff", "#fff3c4", "#d9ead3", "#d0e0f5", "#ead1dc",
      "#ead1dc", "#fce5cd", "#e4dff2", "#f3f3f3", "#ffffff"};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n",
      2 * margin + columns * columnStep, 2 * margin + rows * rowStep);
  os << "<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" "
        "refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">"
        "<path d=\"M0 0L10 5L0 10z\"/></marker></defs>\n";
  for (const Edge &edge : edges) {
    const Box &from = boxes[edge.from], &to = boxes[edge.to];
    if (edge.back) {
      // Along the right side, so that it crosses no box of its column.
      unsigned side = std::max(x(from), x(to)) + width + 24;
      os << llvm::formatv(
          "<path d=\"M{0} {1}C{2} {1} {2} {3} {4} {3}\" fill=\"none\" "
          "stroke=\"#555\" stroke-dasharray=\"5 4\" "
          "marker-end=\"url(#arrow)\"/>\n",
          x(from) + width, y(from) + height / 2, side, y(to) + height / 2,
          x(to) + width);
      continue;
    }
    os << llvm::formatv("<path d=\"M{0} {1}L{2} {3}\" stroke=\"#555\" "
                        "marker-end=\"url(#arrow)\"/>\n",
                        x(from) + width / 2, y(from) + height,
                        x(to) + width / 2, y(to));
  }
  for (const Box &box : boxes) {
    bool round = box.kind == Box::Start || box.kind == Box::End;
    os << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" "
                        "height=\"{3}\" rx=\"{4}\" fill=\"{5}\" "
                        "stroke=\"#333\"/>\n",
                        x(box), y(box), width, height, round ? height / 2 : 4,
                        fills[box.kind]);
    unsigned middle = x(box) + width / 2;
    unsigned line = y(box) + (box.detail.empty() ? 27 : 19);
    os << llvm::formatv(
        "<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\">{2}</text>\n", middle,
        line, escaped(box.title, true));
    if (!box.detail.empty())
      os << llvm::formatv("<text x=\"{0}\" y=\"{1}\" text-anchor=\"middle\" "
                          "font-size=\"11\" fill=\"#555\">{2}</text>\n",
                          middle, line + 16, escaped(box.detail, true));
  }
  os << "</svg>\n";
  return text;
}
