// See Document.h.
#include "tools/lsp/Document.h"

#include "frontend/AST/Walk.h"
#include "frontend/Format/Formatter.h"
#include "frontend/Import/Import.h"
#include "frontend/Parse/Parser.h"
#include "tools/lsp/Places.h"

#include "llvm/ADT/StringExtras.h"

using namespace agt;
using namespace agt::lsp;
using llvm::StringRef;
using llvm::lsp::SymbolKind;

namespace {

/// What a name stands for.
struct Declared {
  ast::Ident name;
  llvm::SMRange head; // that people are shown
  StringRef doc;
};

SymbolKind kindOf(const ast::Decl &decl) {
  using Kind = ast::NodeKind;
  switch (decl.kind) {
  case Kind::ConstDecl:
    return SymbolKind::Constant;
  case Kind::RecordDecl:
    return SymbolKind::Struct;
  case Kind::EnumDecl:
    return SymbolKind::Enum;
  case Kind::AgentDecl:
    return SymbolKind::Class;
  case Kind::GraphDecl:
  case Kind::FnDecl:
  case Kind::ToolDecl:
    return SymbolKind::Function;
  case Kind::TestDecl:
    return SymbolKind::Event;
  default:
    return SymbolKind::Object;
  }
}

/// Up to the body: `{` of a declaration that has one.
llvm::SMRange headOf(const ast::Node &node) {
  StringRef text(node.range.Start.getPointer(),
                 node.range.End.getPointer() - node.range.Start.getPointer());
  size_t end = text.find_first_of("{;");
  StringRef head = text.take_front(end).rtrim();
  return {node.range.Start, llvm::SMLoc::getFromPointer(head.end())};
}

/// The names that a node of a body or of a head declares.
void collectDeclared(const ast::Node &node, std::vector<Declared> &declared) {
  auto add = [&](const ast::Ident &name, StringRef doc = "") {
    if (name)
      declared.push_back({name, headOf(node), doc});
  };
  if (auto *param = llvm::dyn_cast<ast::Param>(&node)) {
    if (param->name)
      declared.push_back({param->name, param->range, ""});
  } else if (auto *let = llvm::dyn_cast<ast::LetStmt>(&node)) {
    for (const ast::Ident &name : let->names)
      add(name);
  } else if (auto *var = llvm::dyn_cast<ast::VarStmt>(&node)) {
    add(var->name);
  } else if (auto *state = llvm::dyn_cast<ast::AgentNode>(&node)) {
    add(state->name, state->doc);
  }
}

bool contains(llvm::SMRange range, const char *place) {
  return range.Start.getPointer() <= place && place <= range.End.getPointer();
}

} // namespace

/// A text and what it imports, parsed.
class Document::Parsed {
public:
  explicit Parsed(const Document &document)
      : document(document), diagnostics(sources) {
    diagnostics.setHandler([](const agt::Diagnostic &) {});
    main = sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                                          document.text, document.uri.file()),
                                      llvm::SMLoc());
  }

  StringRef text() const { return sources.getMemoryBuffer(main)->getBuffer(); }

  /// Null for a text with syntax errors.
  ast::File *file() { return parseFile(sources, main, context, diagnostics); }

  std::optional<Declared> find(llvm::lsp::Position position);

  llvm::lsp::Range range(llvm::SMRange range) const {
    return rangeOf(sources, range);
  }

  llvm::SourceMgr sources;
  unsigned main = 0;

  /// The file that a place is in.
  std::optional<llvm::lsp::URIForFile> fileOf(llvm::SMLoc place) const {
    unsigned buffer = bufferOf(sources, place);
    if (!buffer || buffer == main)
      return document.uri;
    auto uri = llvm::lsp::URIForFile::fromFile(
        sources.getMemoryBuffer(buffer)->getBufferIdentifier());
    if (uri)
      return *uri;
    llvm::consumeError(uri.takeError());
    return std::nullopt;
  }

  llvm::lsp::Diagnostic convert(const agt::Diagnostic &said) const;

  Diagnostics &diags() { return diagnostics; }

private:
  StringRef wordAt(const char *place) const;
  /// Of the declaration around `place`, the nearest before it.
  std::optional<Declared> findLocal(ast::File &file, StringRef word,
                                    const char *place) const;

  const Document &document;
  Diagnostics diagnostics;
  ast::Context context;
};

StringRef Document::Parsed::wordAt(const char *place) const {
  StringRef all = text();
  auto inWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  const char *start = place, *end = place;
  while (start != all.begin() && inWord(start[-1]))
    --start;
  while (end != all.end() && inWord(*end))
    ++end;
  // A member's name is another matter than a name.
  if (start != all.begin() && start[-1] == '.')
    return {};
  return {start, static_cast<size_t>(end - start)};
}

std::optional<Declared> Document::Parsed::findLocal(ast::File &file,
                                                    StringRef word,
                                                    const char *place) const {
  std::optional<Declared> nearest;
  for (ast::Decl *decl : file.decls) {
    if (!contains(decl->range, place))
      continue;
    ast::walk(*decl, [&](ast::Node &node) {
      std::vector<Declared> declared;
      collectDeclared(node, declared);
      for (const Declared &one : declared) {
        bool before = one.name.range.Start.getPointer() <= place;
        // A node of an agent is there from the start.
        if (one.name.text == word &&
            (before || llvm::isa<ast::AgentNode>(node)))
          nearest = one;
      }
      return true;
    });
  }
  return nearest;
}

std::optional<Declared> Document::Parsed::find(llvm::lsp::Position position) {
  const char *place = placeOf(text(), position);
  StringRef word = wordAt(place);
  if (word.empty())
    return std::nullopt;
  auto program = loadProgram(sources, main, context, diagnostics);
  if (!program)
    return std::nullopt;
  if (auto local = findLocal(*program->mainFile(), word, place))
    return local;
  for (ast::File *file : llvm::reverse(program->files))
    for (ast::Decl *decl : file->decls)
      if (decl->name && decl->name.text == word)
        return Declared{decl->name, headOf(*decl), decl->doc};
  return std::nullopt;
}

llvm::lsp::Diagnostic
Document::Parsed::convert(const agt::Diagnostic &said) const {
  using llvm::lsp::DiagnosticSeverity;
  llvm::lsp::Diagnostic result;
  result.source = "agtc";
  result.message = said.message;
  result.severity = said.severity == Severity::Error ? DiagnosticSeverity::Error
                    : said.severity == Severity::Warning
                        ? DiagnosticSeverity::Warning
                        : DiagnosticSeverity::Information;
  std::vector<llvm::lsp::DiagnosticRelatedInformation> related;
  auto relate = [&](llvm::SMRange place, StringRef message) {
    if (auto file = fileOf(place.Start))
      related.emplace_back(llvm::lsp::Location(*file, range(place)),
                           message.str());
  };
  llvm::SMRange place = said.range;
  // What is wrong elsewhere is shown where this file leads there.
  unsigned buffer = bufferOf(sources, place.Start);
  if (buffer && buffer != main) {
    relate(place, said.message);
    while (buffer && buffer != main) {
      llvm::SMLoc import = sources.getParentIncludeLoc(buffer);
      place = {import, import};
      buffer = bufferOf(sources, import);
    }
  }
  result.range = range(place);
  for (const agt::Diagnostic &note : said.notes)
    relate(note.range, note.message);
  if (!related.empty())
    result.relatedInformation = std::move(related);
  return result;
}

std::vector<llvm::lsp::Diagnostic>
Document::check(const FrontendOptions &options) const {
  Parsed parsed(*this);
  std::vector<llvm::lsp::Diagnostic> result;
  parsed.diags().setHandler([&](const agt::Diagnostic &said) {
    result.push_back(parsed.convert(said));
  });
  checkFile(parsed.diags(), parsed.main, options);
  return result;
}

std::optional<std::vector<llvm::lsp::TextEdit>> Document::format() const {
  Parsed parsed(*this);
  auto formatted = formatFile(parsed.sources, parsed.main, parsed.diags());
  if (!formatted)
    return std::nullopt;
  std::vector<llvm::lsp::TextEdit> edits;
  if (*formatted != text)
    edits.push_back({rangeOf(StringRef(text)), std::move(*formatted)});
  return edits;
}

std::vector<llvm::lsp::DocumentSymbol> Document::symbols() const {
  Parsed parsed(*this);
  std::vector<llvm::lsp::DocumentSymbol> result;
  ast::File *file = parsed.file();
  if (!file)
    return result;
  auto add = [&](std::vector<llvm::lsp::DocumentSymbol> &to,
                 const llvm::Twine &name, SymbolKind kind,
                 const ast::Node &node,
                 llvm::SMRange selected) -> llvm::lsp::DocumentSymbol & {
    return to.emplace_back(name, kind, parsed.range(node.range),
                           parsed.range(selected));
  };
  for (ast::Decl *decl : file->decls) {
    auto *test = llvm::dyn_cast<ast::TestDecl>(decl);
    auto title = test ? test->title->constant() : std::nullopt;
    llvm::lsp::DocumentSymbol &symbol =
        test ? add(result, "test \"" + title.value_or("") + "\"", kindOf(*decl),
                   *decl, test->title->range)
             : add(result, decl->name.text, kindOf(*decl), *decl,
                   decl->name.range);
    auto &children = symbol.children;
    if (auto *record = llvm::dyn_cast<ast::RecordDecl>(decl))
      for (ast::Field *field : record->fields)
        add(children, field->name.text, SymbolKind::Field, *field,
            field->name.range);
    if (auto *tool = llvm::dyn_cast<ast::ToolDecl>(decl))
      for (ast::ToolDecl *one : tool->tools)
        add(children, one->name.text, SymbolKind::Function, *one,
            one->name.range);
    if (auto *agent = llvm::dyn_cast<ast::AgentDecl>(decl))
      for (ast::AgentNode *node : agent->nodes)
        add(children, node->name.text, SymbolKind::Method, *node,
            node->name.range);
  }
  return result;
}

std::optional<llvm::lsp::Location>
Document::definition(llvm::lsp::Position position) const {
  Parsed parsed(*this);
  std::optional<Declared> found = parsed.find(position);
  if (!found)
    return std::nullopt;
  auto file = parsed.fileOf(found->name.range.Start);
  if (!file)
    return std::nullopt;
  return llvm::lsp::Location(*file, parsed.range(found->name.range));
}

std::optional<llvm::lsp::Hover>
Document::hover(llvm::lsp::Position position) const {
  Parsed parsed(*this);
  std::optional<Declared> found = parsed.find(position);
  if (!found)
    return std::nullopt;
  llvm::lsp::Hover hover{llvm::lsp::Range(position)};
  const char *start = found->head.Start.getPointer();
  StringRef head(start, found->head.End.getPointer() - start);
  hover.contents.value = ("```agt\n" + head + "\n```").str();
  if (!found->doc.empty())
    hover.contents.value += ("\n\n" + found->doc).str();
  return hover;
}
