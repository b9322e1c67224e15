#include "frontend/Sema/Scales.h"

using namespace agt;
using namespace agt::sema;

/// The n of a dim written as (S + n - 1)/n or S/n.
static std::optional<int64_t> divisorIn(Dim dim) {
  for (const auto &[monomial, coefficient] : dim->terms())
    for (auto [atom, power] : monomial.factors)
      if (atom->kind == DimAtom::Quotient && atom->rhs->constant())
        return atom->rhs->constant();
  return std::nullopt;
}

static std::optional<int64_t> blockOf(GraphBuilder &graph, Dim tokens,
                                      Dim blocks) {
  // (S + 1 - 1)/1 is S.
  if (!tokens->constant() && graph.known(tokens, blocks))
    return 1;
  if (std::optional<int64_t> divisor = divisorIn(blocks))
    return divisor;
  std::optional<int64_t> t = tokens->constant(), b = blocks->constant();
  // One block for all, whatever their number.
  if (b == 1)
    return t ? std::max<int64_t>(*t, 1) : int64_t(INT32_MAX);
  if (t && b && *b > 0 && *t % *b == 0 && *t > 0)
    return *t / *b;
  return std::nullopt;
}

std::optional<int64_t> agt::sema::checkScales(CallArgs &args, unsigned param,
                                              llvm::ArrayRef<Dim> leading,
                                              Dim tokens, llvm::StringRef of) {
  std::string name = "'" + args.paramName(param).str() + "'";
  const Shape &shape = args.type(param).shape;
  if (shape.size() != leading.size() + 1) {
    args.error(param, name + " has " + llvm::Twine(shape.size()) +
                          (shape.size() == 1 ? " dim" : " dims") +
                          ", expected " + llvm::Twine(leading.size() + 1) +
                          ": a scale per head and block of tokens");
    return std::nullopt;
  }
  for (size_t i = 0; i < leading.size(); ++i)
    if (!args.sameDim(param, shape[i], "dim " + llvm::Twine(i) + " of " + name,
                      leading[i], "that of " + of))
      return std::nullopt;
  GraphBuilder &graph = *args.checker.graph;
  const Inst *made = graph.definition(args.id(param));
  std::optional<int64_t> block = made && made->op == Op::Quantize
                                     ? made->count
                                     : blockOf(graph, tokens, shape.back());
  if (!block) {
    args.error(param, "cannot tell how many tokens share a scale of " + name +
                          "; write its last dim as (" + tokens->str() +
                          " + n - 1)/n for blocks of n tokens");
    return std::nullopt;
  }
  Dim blocks = args.checker.dims.ceilDiv(tokens, *block);
  if (!args.sameDim(param, shape.back(), "the last dim of " + name, blocks,
                    "the blocks of " + llvm::Twine(*block) + " tokens of " +
                        of))
    return std::nullopt;
  return block;
}
