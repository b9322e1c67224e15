// `llm x = graph G {...}`: what the graph has to look like, and what belongs to
// it besides.
#include "frontend/Sema/Agent/Properties.h"
#include "frontend/Sema/ExprChecker.h"
#include "frontend/Sema/PropertyList.h"
#include "frontend/Sema/Suggest.h"

using namespace agt;
using namespace agt::sema;

static constexpr llvm::StringLiteral decoderForm =
    "(tokens: tensor<i32, [T]>, cache: kv<M>) -> tensor<f32, [T, V]>";

/// Whether the graph takes tokens and a cache and gives logits for each token.
static bool isDecoder(const GraphSignature &signature) {
  if (signature.params.size() != 2 || signature.results.size() != 1)
    return false;
  const SignatureItem &tokens = signature.params[0],
                      &cache = signature.params[1],
                      &logits = signature.results[0];
  return !tokens.cache && tokens.type.dtype == DType::I32 &&
         tokens.type.rank() == 1 && tokens.type.shape[0]->asName() &&
         cache.cache && logits.type.dtype == DType::F32 &&
         logits.type.rank() == 2 &&
         logits.type.shape[0] == tokens.type.shape[0] &&
         logits.type.shape[1]->constant().value_or(0) > 0;
}

static std::string signatureText(const GraphSignature &signature) {
  std::string text = "(";
  for (const SignatureItem &param : signature.params)
    text +=
        (text.size() > 1 ? ", " : "") + param.name.str() + ": " + param.text;
  text += ") -> ";
  bool several = signature.results.size() != 1;
  for (size_t i = 0; i < signature.results.size(); ++i)
    text += (i ? ", " : several ? "(" : "") + signature.results[i].text;
  return text + (several ? ")" : "");
}

void Checker::checkDecoder(const ast::LlmDecl &decl,
                           const ast::GraphDecl &graph) {
  const GraphSignature &form = signature(graph);
  if (!form.valid || isDecoder(form))
    return;
  diags
      .error(decl.source.range, "an llm needs a graph " + decoderForm +
                                    ", got " + signatureText(form))
      .note(graph.name.range, "'" + graph.name.text + "' is declared here");
}

/// A path that is known, or nothing after an error.
static std::string checkTokenizer(Checker &checker, const ast::Expr &expr) {
  const auto *path = llvm::dyn_cast<ast::StringLit>(&expr);
  if (path && path->constant())
    return absolutePath(checker, *path);
  checker.diags.error(expr.range, "expected a constant string for 'tokenizer'");
  return "";
}

/// As many as positions can be told apart, and at least `least`.
static int64_t checkTokens(Checker &checker, const ast::Expr &expr,
                           llvm::StringRef word, int64_t least) {
  std::string what = ("'" + word + "'").str();
  std::optional<int64_t> count =
      ExprChecker(checker).checkConstantInt(expr, what);
  if (count && (*count < least || *count > INT32_MAX))
    checker.diags.error(expr.range, "expected a number of tokens from " +
                                        llvm::Twine(least) +
                                        " to 2147483647 for " + what +
                                        ", got " + llvm::Twine(*count));
  return count.value_or(least);
}

/// Everybody who asks waits, so that nobody means hours.
static int64_t checkWait(Checker &checker, const ast::Expr &expr) {
  constexpr int64_t longest = 60'000'000'000;
  int64_t wait = agents::constantDuration(checker, expr, "wait").value_or(0);
  if (wait > longest)
    checker.diags.error(expr.range, "expected a duration of at most " +
                                        agents::durationText(longest) +
                                        " for 'wait', got " +
                                        agents::durationText(wait));
  return wait;
}

void Checker::checkLocalLlm(const ast::LlmDecl &decl) {
  LocalLlm llm;
  llm.decl = &decl;
  llm.graph = findAs<ast::GraphDecl>(decl.source.text);
  if (llm.graph)
    checkDecoder(decl, *llm.graph);
  else
    diags.error(decl.source.range,
                "unknown graph '" + decl.source.text + "'" +
                    didYouMean(decl.source.text, namesOf<ast::GraphDecl>()));
  llvm::ArrayRef<ast::Prop *> props;
  if (decl.props)
    props = decl.props->props;
  const ast::Expr *pin = nullptr;
  forEachProp(diags, props, "an llm from a graph",
              {"tokenizer", "context", "page", "pin", "wait"}, {},
              [&](const ast::Prop &prop) {
                const ast::Expr *expr = singleValue(diags, prop);
                if (!expr)
                  return;
                llvm::StringRef word = prop.word.text;
                if (word == "tokenizer")
                  llm.tokenizer = checkTokenizer(*this, *expr);
                else if (word == "context")
                  llm.context = checkTokens(*this, *expr, word, 1);
                else if (word == "page")
                  llm.page = checkTokens(*this, *expr, word, 1);
                else if (word == "wait")
                  llm.waitNanoseconds = checkWait(*this, *expr);
                else
                  llm.pin = checkTokens(*this, *(pin = expr), word, 0);
              });
  for (llvm::StringRef word : {"tokenizer", "context"})
    if (!decl.props || !decl.props->find(word))
      diags.error(decl.name.range,
                  "llm '" + decl.name.text + "' needs '" + word + "'");
  if (pin && llm.context > 0 && llm.pin > llm.context)
    diags.error(pin->range, "'pin' is " + llvm::Twine(llm.pin) +
                                " tokens, the context of llm '" +
                                decl.name.text + "' has room for " +
                                llvm::Twine(llm.context));
  localLlms.push_back(std::move(llm));
}
