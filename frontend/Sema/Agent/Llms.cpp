// Models: `openai` and `mock`. (One from a graph is refused where it is
// declared.)
#include "frontend/Sema/Agent/Properties.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;

static void checkOpenai(AgentChecker &context, LlmInfo &info) {
  Checker &checker = context.checker;
  const ast::LlmDecl &decl = *info.decl;
  forEachProp(
      checker.diags, decl.props->props, "an 'openai' llm",
      {"model", "endpoint", "key", "timeout", "retry", "limit"}, {},
      [&](const ast::Prop &prop) {
        if (prop.word.text == "limit")
          return checkLimit(checker, prop, info.limit);
        const ast::Expr *value = singleValue(checker.diags, prop);
        if (!value)
          return;
        llvm::StringRef word = prop.word.text;
        if (word == "model")
          info.model = startText(checker, *value, word, false);
        else if (word == "endpoint")
          info.endpoint = startText(checker, *value, word, false);
        else if (word == "key")
          info.key = startText(checker, *value, word, true);
        else if (word == "timeout")
          info.timeoutNanoseconds = constantDuration(checker, *value, word)
                                        .value_or(info.timeoutNanoseconds);
        else
          info.retries =
              constantCount(checker, *value, 0, word).value_or(info.retries);
      });
  for (llvm::StringRef word : {"model", "endpoint"})
    if (!decl.props->find(word))
      checker.diags.error(decl.name.range,
                          "llm '" + decl.name.text + "' needs '" + word + "'");
}

static void checkMock(AgentChecker &context, LlmInfo &info) {
  Checker &checker = context.checker;
  const ast::LlmDecl &decl = *info.decl;
  forEachProp(checker.diags, decl.props->props, "a 'mock' llm", {"file"}, {},
              [&](const ast::Prop &prop) {
                const ast::Expr *value = singleValue(checker.diags, prop);
                const ast::StringLit *path =
                    value ? constantString(checker, *value, "'file'") : nullptr;
                if (path)
                  info.file = absolutePath(checker, *path);
              });
  if (!decl.props->find("file"))
    checker.diags.error(decl.name.range, "llm '" + decl.name.text +
                                             "' needs 'file', the JSON file "
                                             "with its replies");
}

void agt::sema::agents::checkLlm(AgentChecker &context, LlmInfo &info) {
  info.provider = info.decl->source.text.str();
  if (info.provider == "openai")
    checkOpenai(context, info);
  else if (info.provider == "mock")
    checkMock(context, info);
}
