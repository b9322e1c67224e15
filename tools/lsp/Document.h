// Document: one open file, as it stands in the editor. Files that it imports
// are read from the disk.
//
// Nothing is kept between two questions but the text: a file is checked in
// milliseconds, and the answer is always that of the text as it is.
#ifndef AGT_TOOLS_LSP_DOCUMENT_H
#define AGT_TOOLS_LSP_DOCUMENT_H

#include "frontend/Frontend.h"

#include "llvm/Support/LSP/Protocol.h"

#include <optional>

namespace agt::lsp {

class Document {
public:
  Document(llvm::lsp::URIForFile uri, std::string text)
      : uri(std::move(uri)), text(std::move(text)) {}

  /// All that `agtc check` says. What is wrong in an imported file is said at
  /// the import, with the place in that file beside it.
  std::vector<llvm::lsp::Diagnostic>
  check(const FrontendOptions &options) const;

  /// `agtc fmt`: one edit, or none where nothing changes. Nothing at all of a
  /// text with syntax errors.
  std::optional<std::vector<llvm::lsp::TextEdit>> format() const;

  /// The declarations, with their fields, nodes and tools. None of a text with
  /// syntax errors.
  std::vector<llvm::lsp::DocumentSymbol> symbols() const;

  /// Where the name at `position` is declared: a parameter or a variable of the
  /// declaration around it, or else a declaration of the program.
  std::optional<llvm::lsp::Location>
  definition(llvm::lsp::Position position) const;

  /// The head of that declaration and its doc comment.
  std::optional<llvm::lsp::Hover> hover(llvm::lsp::Position position) const;

private:
  class Parsed;

  llvm::lsp::URIForFile uri;
  std::string text;
};

} // namespace agt::lsp

#endif // AGT_TOOLS_LSP_DOCUMENT_H
