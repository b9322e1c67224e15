// `tool NAME = mcp {...}`: how the server is reached. The tools that it lists
// are checked as all tools are.
#include "frontend/Sema/Agent/Properties.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;

static void checkCommand(Checker &checker, const ast::Expr &expr,
                         McpServer &server) {
  const auto *list = llvm::dyn_cast<ast::ListExpr>(&expr);
  if (!list || list->elements.empty()) {
    checker.diags.error(expr.range,
                        "'command' takes a list that begins with a "
                        "program, as in [\"my-server\", \"--stdio\"]");
    return;
  }
  for (const ast::Expr *element : list->elements) {
    Text text = startText(checker, *element, "command", true);
    if (llvm::any_of(text, [](const TextPart &part) {
          return part.kind == TextPart::Secret;
        }))
      checker.diags.error(element->range,
                          "a secret cannot reach the argv of a process, which "
                          "everybody can read; give it in the sandbox's 'env'");
    // A program that is named by a path is relative to the source.
    const auto *literal = llvm::dyn_cast<ast::StringLit>(element);
    if (server.command.empty() && literal && literal->constant() &&
        literal->constant()->contains('/') &&
        !literal->constant()->starts_with("/"))
      text = {{TextPart::Constant, absolutePath(checker, *literal)}};
    server.command.push_back(std::move(text));
  }
}

void agt::sema::agents::checkMcp(AgentChecker &context, McpServer &server) {
  Checker &checker = context.checker;
  Diagnostics &diags = context.diags;
  const ast::ToolDecl &decl = *server.decl;
  forEachProp(diags, decl.props->props, "an MCP server",
              {"command", "url", "header", "sandbox"}, {"header"},
              [&](const ast::Prop &prop) {
                llvm::StringRef word = prop.word.text;
                if (word == "sandbox") {
                  server.sandbox = checkSandbox(checker, prop);
                  return;
                }
                const ast::Expr *value = singleValue(diags, prop);
                if (!value)
                  return;
                if (word == "command")
                  checkCommand(checker, *value, server);
                else if (word == "url")
                  server.url = startText(checker, *value, word, true);
                else
                  server.headers.emplace_back(
                      labelOf(prop).str(),
                      startText(checker, *value, word, true));
              });
  const ast::Prop *command = decl.props->find("command"),
                  *url = decl.props->find("url");
  if (!command && !url)
    diags.error(decl.name.range,
                "MCP server '" + decl.name.text + "' needs 'command' or 'url'");
  if (command && url)
    diags.error(url->word.range, "an MCP server has either 'command' or 'url'")
        .note(command->word.range, "'command' is here");
  const ast::Prop *header = decl.props->find("header"),
                  *sandbox = decl.props->find("sandbox");
  if (header && command && !url)
    diags.error(header->word.range,
                "'header' belongs to an MCP server with 'url'");
  if (sandbox && url && !command)
    diags.error(sandbox->word.range,
                "'sandbox' belongs to an MCP server with 'command'");
}
