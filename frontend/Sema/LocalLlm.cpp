// `llm x = graph G {...}`: what the graph has to look like, and what belongs to
// it besides.
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
  forEachProp(diags, props, "an llm from a graph",
              {"tokenizer", "context", "page"}, {}, [&](const ast::Prop &prop) {
                const ast::Expr *expr = singleValue(diags, prop);
                if (!expr)
                  return;
                if (prop.word.text == "tokenizer") {
                  const auto *path = llvm::dyn_cast<ast::StringLit>(expr);
                  if (path && path->constant())
                    llm.tokenizer = absolutePath(*this, *path);
                  else
                    diags.error(expr->range,
                                "expected a constant string for 'tokenizer'");
                  return;
                }
                std::string what = ("'" + prop.word.text + "'").str();
                std::optional<int64_t> count =
                    ExprChecker(*this).checkConstantInt(*expr, what);
                // As many as positions can be told apart.
                if (count && (*count < 1 || *count > INT32_MAX))
                  diags.error(expr->range,
                              "expected a number of tokens from 1 to "
                              "2147483647 for " +
                                  what + ", got " + llvm::Twine(*count));
                (prop.word.text == "context" ? llm.context : llm.page) =
                    count.value_or(1);
              });
  for (llvm::StringRef word : {"tokenizer", "context"})
    if (!decl.props || !decl.props->find(word))
      diags.error(decl.name.range,
                  "llm '" + decl.name.text + "' needs '" + word + "'");
  localLlms.push_back(std::move(llm));
}
