#include "frontend/Parse/TreeParser.h"

using namespace agt;

TreeTokenStream::TreeTokenStream(llvm::ArrayRef<SyntaxToken> in) {
  tokens.reserve(in.size() + 1);
  for (const SyntaxToken &token : in)
    tokens.emplace_back(&token, token.kind, tokens.size());
  tokens.emplace_back(nullptr, antlr4::Token::EOF, tokens.size());
}

antlr4::Token *TreeTokenStream::LT(ssize_t k) {
  if (k < 0)
    return at < static_cast<size_t>(-k) ? nullptr : &tokens[at + k];
  return &tokens[std::min(at + k - 1, tokens.size() - 1)];
}

antlr4::Token *TreeTokenStream::get(size_t index) const {
  return const_cast<TreeToken *>(&tokens[std::min(index, tokens.size() - 1)]);
}

namespace {

/// Thrown out of the parser at the first fault. Not an ANTLR exception: the
/// generated code must not catch it.
struct StopParsing {
  SyntaxError error;
};

/// Stops at the first fault, after finding out what was expected.
class StopStrategy : public antlr4::DefaultErrorStrategy {
public:
  StopStrategy(TreeTokenStream &stream, bool explain)
      : stream(stream), explain(explain) {}

  void recover(antlr4::Parser *parser, std::exception_ptr) override {
    stop(parser);
  }
  antlr4::Token *recoverInline(antlr4::Parser *parser) override {
    stop(parser);
    return nullptr;
  }
  void reportError(antlr4::Parser *,
                   const antlr4::RecognitionException &) override {}
  void reportMatch(antlr4::Parser *) override {}
  // Called before each decision. A loop whose next token begins no other turn
  // is left without a word, and the fault shows behind it; so the states of a
  // few tokens before it are kept, the first that the parser had at each: they
  // know all that may stand there.
  void sync(antlr4::Parser *parser) override {
    if (!explain || (!before.empty() && before.back().index == stream.index()))
      return;
    if (before.size() == keptStates)
      before.erase(before.begin());
    before.push_back(
        {parser->getState(), parser->getContext(), stream.index()});
  }

private:
  static constexpr size_t keptStates = 4;

  [[noreturn]] void stop(antlr4::Parser *parser) {
    StopParsing stop;
    if (explain)
      stop.error = explainAt(parser);
    throw stop;
  }

  /// The last state says where the fault is. Earlier ones may know more that
  /// could stand there, but also readings of what is before it that the parser
  /// had good reason to leave.
  SyntaxError explainAt(antlr4::Parser *parser) {
    const antlr4::atn::ATN &atn = parser->getATN();
    SyntaxError error = findSyntaxError(
        atn, {parser->getState(), parser->getContext(), stream.index()},
        stream);
    for (const ParserState &state : before) {
      SyntaxError earlier = findSyntaxError(atn, state, stream);
      if (earlier.index == error.index)
        return earlier;
    }
    return error;
  }

  TreeTokenStream &stream;
  bool explain;
  llvm::SmallVector<ParserState, keptStates> before;
};

/// The generated parser with a limit on its recursion. What nests by brackets
/// and prefix operators was counted on tokens; the rest (types in types, forks
/// over forks) is caught here.
class GuardedParser : public AgtParser {
public:
  explicit GuardedParser(antlr4::TokenStream *stream) : AgtParser(stream) {}

  void enterRule(antlr4::ParserRuleContext *context, size_t state,
                 size_t rule) override {
    while (!open.empty() && open.back().first != context->parent) {
      depth -= weight(open.back().second);
      open.pop_back();
    }
    open.emplace_back(context, rule);
    depth += weight(rule);
    if (depth > nestingLimit || open.size() > frameLimit) {
      StopParsing stop;
      stop.error.index = _input->index();
      stop.error.tooDeep = true;
      throw stop;
    }
    AgtParser::enterRule(context, state, rule);
  }

private:
  /// Rules that recurse without a bracket.
  static unsigned weight(size_t rule) {
    return rule == RuleTypeArg || rule == RuleReceive || rule == RuleFork ||
           rule == RuleJoin || rule == RuleApprove || rule == RuleMatchExpr ||
           rule == RuleMatchStmt;
  }
  static constexpr size_t frameLimit = 16 * nestingLimit;

  std::vector<std::pair<antlr4::tree::ParseTree *, size_t>> open;
  unsigned depth = 0;
};

} // namespace

TreeParser::TreeParser(llvm::ArrayRef<SyntaxToken> tokens)
    : stream(tokens), parser(std::make_unique<GuardedParser>(&stream)) {
  parser->removeErrorListeners();
}

TreeParser::~TreeParser() = default;

AgtParser::FileContext *TreeParser::parse(SyntaxError &error) {
  if (auto *tree = parse(antlr4::atn::PredictionMode::SLL, error))
    return tree;
  stream.seek(0);
  parser = std::make_unique<GuardedParser>(&stream);
  parser->removeErrorListeners();
  return parse(antlr4::atn::PredictionMode::LL, error);
}

AgtParser::FileContext *TreeParser::parse(antlr4::atn::PredictionMode mode,
                                          SyntaxError &error) {
  bool last = mode == antlr4::atn::PredictionMode::LL;
  parser->getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      mode);
  parser->setErrorHandler(std::make_shared<StopStrategy>(stream, last));
  try {
    return parser->file();
  } catch (const StopParsing &stop) {
    error = stop.error;
    return nullptr;
  }
}
