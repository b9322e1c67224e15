// See Server.h. A question is one method: find the document, ask it.
#include "tools/lsp/Server.h"

#include "tools/lsp/Document.h"

#include "llvm/Support/LSP/Transport.h"

#include <map>

using namespace agt;
using agt::lsp::Document;
using namespace llvm::lsp;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {

class Server {
public:
  Server(JSONTransport &transport, const FrontendOptions &options)
      : handler(transport), options(options),
        publish(handler.outgoingNotification<PublishDiagnosticsParams>(
            "textDocument/publishDiagnostics")) {
    handler.method("initialize", this, &Server::initialize);
    handler.method("shutdown", this, &Server::shutdown);
    handler.notification("initialized", this, &Server::initialized);
    handler.notification("textDocument/didOpen", this, &Server::opened);
    handler.notification("textDocument/didChange", this, &Server::changed);
    handler.notification("textDocument/didClose", this, &Server::closed);
    handler.method("textDocument/formatting", this, &Server::format);
    handler.method("textDocument/documentSymbol", this, &Server::symbols);
    handler.method("textDocument/definition", this, &Server::definition);
    handler.method("textDocument/hover", this, &Server::hover);
  }

  bool run(JSONTransport &transport) {
    llvm::consumeError(transport.run(handler));
    return wasShutDown;
  }

private:
  void initialize(const InitializeParams &, Callback<Value> reply) {
    reply(Object{{"serverInfo", Object{{"name", "agtc"}}},
                 {"capabilities",
                  Object{{"textDocumentSync",
                          Object{{"openClose", true},
                                 {"change", int(TextDocumentSyncKind::Full)}}},
                         {"documentFormattingProvider", true},
                         {"documentSymbolProvider", true},
                         {"definitionProvider", true},
                         {"hoverProvider", true}}}});
  }
  void initialized(const InitializedParams &) {}
  void shutdown(const NoParams &, Callback<std::nullptr_t> reply) {
    wasShutDown = true;
    reply(nullptr);
  }

  void check(const URIForFile &uri, int64_t version) {
    PublishDiagnosticsParams params(uri, version);
    if (Document *document = find(uri))
      params.diagnostics = document->check(options);
    publish(params);
  }
  void opened(const DidOpenTextDocumentParams &params) {
    const TextDocumentItem &item = params.textDocument;
    documents.insert_or_assign(item.uri.file().str(),
                               Document(item.uri, item.text));
    check(item.uri, item.version);
  }
  /// Whole texts, as `initialize` asks for.
  void changed(const DidChangeTextDocumentParams &params) {
    const URIForFile &uri = params.textDocument.uri;
    if (params.contentChanges.empty() || !find(uri))
      return;
    documents.insert_or_assign(
        uri.file().str(), Document(uri, params.contentChanges.back().text));
    check(uri, params.textDocument.version);
  }
  void closed(const DidCloseTextDocumentParams &params) {
    documents.erase(params.textDocument.uri.file().str());
    check(params.textDocument.uri, 0);
  }

  void format(const DocumentSymbolParams &params, Callback<Value> reply) {
    Document *document = find(params.textDocument.uri);
    auto edits = document ? document->format() : std::nullopt;
    reply(edits ? Value(Array(*edits)) : Value(nullptr));
  }
  void symbols(const DocumentSymbolParams &params, Callback<Value> reply) {
    Document *document = find(params.textDocument.uri);
    reply(document ? Value(Array(document->symbols())) : Value(nullptr));
  }
  void definition(const TextDocumentPositionParams &params,
                  Callback<Value> reply) {
    Document *document = find(params.textDocument.uri);
    auto found =
        document ? document->definition(params.position) : std::nullopt;
    reply(found ? Value(*found) : Value(nullptr));
  }
  void hover(const TextDocumentPositionParams &params, Callback<Value> reply) {
    Document *document = find(params.textDocument.uri);
    auto found = document ? document->hover(params.position) : std::nullopt;
    reply(found ? Value(*found) : Value(nullptr));
  }

  Document *find(const URIForFile &uri) {
    auto document = documents.find(uri.file().str());
    return document == documents.end() ? nullptr : &document->second;
  }

  MessageHandler handler;
  const FrontendOptions &options;
  OutgoingNotification<PublishDiagnosticsParams> publish;
  std::map<std::string, Document> documents;
  bool wasShutDown = false;
};

} // namespace

bool lsp::serve(std::FILE *in, llvm::raw_ostream &out,
                const FrontendOptions &options) {
  JSONTransport transport(in, out);
  return Server(transport, options).run(transport);
}
