// Where exactly a syntax error is, and what could have stood there. ANTLR knows
// both only roughly: its prediction may stop later than the first wrong token,
// and it cannot say what it expected inside a lookahead. So on an error the
// grammar's automaton is followed once more, as a plain nondeterministic
// automaton with a shared stack, from the state where the parser stood and with
// the parser's real call stack. The set of configurations becomes empty at
// precisely the first token that no sentence continues with.
//
// What is expected there is collected on the way into rules: entering `expr` is
// "an expression", and its first tokens are not listed one by one.
#include "frontend/Parse/TreeParser.h"

#include <map>
#include <set>

using namespace agt;
using antlr4::atn::ATN;
using antlr4::atn::ATNState;
using antlr4::atn::RuleTransition;
using antlr4::atn::Transition;

namespace {

/// What entering a rule is called in messages; "" is "list its tokens", "-" is
/// "do not mention it".
llvm::StringRef phraseOf(size_t rule) {
  switch (rule) {
  case AgtParser::RuleExpr:
  case AgtParser::RuleComparison:
  case AgtParser::RuleArith:
  case AgtParser::RuleUnary:
  case AgtParser::RuleOperand:
  case AgtParser::RuleSum:
    return "an expression";
  case AgtParser::RuleType:
    return "a type";
  case AgtParser::RuleStmt:
    return "a statement";
  case AgtParser::RuleDecl:
    return "a declaration";
  case AgtParser::RuleName:
  case AgtParser::RuleNameNotBy:
  case AgtParser::RuleNameNotByOn:
  case AgtParser::RuleWord:
    return "a name";
  case AgtParser::RulePattern:
    return "a pattern";
  case AgtParser::RuleDim:
  case AgtParser::RuleDimAtom:
    return "a dim";
  case AgtParser::RuleProp:
  case AgtParser::RuleAgentProp:
    return "a property";
  case AgtParser::RuleValue:
    return "a value";
  case AgtParser::RuleString:
    return "a string";
  case AgtParser::RuleNumber:
    return "a number";
  case AgtParser::RuleField:
  case AgtParser::RuleFieldInit:
    return "a field";
  case AgtParser::RuleParam:
    return "a parameter";
  case AgtParser::RuleArg:
    return "an argument";
  case AgtParser::RuleJoinOp:
    return "a join operation";
  case AgtParser::RuleTypeArg:
    return "a type argument";
  case AgtParser::RuleAgentNode:
    return "a node";
  case AgtParser::RuleInnerTool:
    return "a tool";
  case AgtParser::RuleImportDecl:
  case AgtParser::RuleSuffix:
  case AgtParser::RuleMore:
  case AgtParser::RuleForkClause:
  case AgtParser::RuleAgentStart:
    return "-";
  default:
    return "";
  }
}

class Automaton {
public:
  Automaton(const ATN &atn, ParserState from) : atn(atn) {
    Frame *frame = nullptr;
    llvm::SmallVector<antlr4::RuleContext *, 32> contexts;
    for (antlr4::RuleContext *context = from.context; context;
         context = static_cast<antlr4::RuleContext *>(context->parent))
      contexts.push_back(context);
    for (antlr4::RuleContext *context : llvm::reverse(contexts))
      if (context->parent)
        frame = push(followState(context->invokingState), frame);
    kernel.insert({atn.states[from.state], frame});
  }

  /// Reads one token; false, and nothing changes, when it does not fit.
  bool step(size_t kind) {
    std::set<Config> next;
    for (const Config &config : closure(nullptr))
      for (Transition *transition : config.first->transitions)
        if (!transition->isEpsilon() &&
            transition->matches(kind, 1, atn.maxTokenType))
          next.insert({transition->target, config.second});
    if (next.empty())
      return false;
    kernel = std::move(next);
    return true;
  }

  Expected expected() {
    Expected result;
    for (const Config &config : closure(&result))
      for (Transition *transition : config.first->transitions)
        if (!transition->isEpsilon())
          addTokens(*transition, result);
    return result;
  }

private:
  struct Frame {
    ATNState *returnTo;
    Frame *parent;
  };
  using Config = std::pair<ATNState *, Frame *>;

  ATNState *followState(size_t invokingState) const {
    auto *call = static_cast<RuleTransition *>(
        atn.states[invokingState]->transitions[0]);
    return call->followState;
  }

  /// One frame for one place to return to: equal stacks are the same pointer.
  Frame *push(ATNState *returnTo, Frame *parent) {
    std::unique_ptr<Frame> &frame = frames[{returnTo, parent}];
    if (!frame)
      frame.reset(new Frame{returnTo, parent});
    return frame.get();
  }

  /// All configurations reachable without a token. With `phrases`, rules that
  /// have a name in messages are noted there and not entered.
  std::set<Config> closure(Expected *phrases) {
    std::set<Config> seen(kernel);
    std::vector<Config> pending(kernel.begin(), kernel.end());
    auto add = [&](Config config) {
      if (seen.insert(config).second)
        pending.push_back(config);
    };
    while (!pending.empty()) {
      auto [state, frame] = pending.back();
      pending.pop_back();
      if (state->getStateType() == ATNState::RULE_STOP) {
        if (frame)
          add({frame->returnTo, frame->parent});
        continue;
      }
      for (Transition *transition : state->transitions) {
        if (!transition->isEpsilon())
          continue;
        if (transition->getSerializationType() != Transition::RULE) {
          add({transition->target, frame});
          continue;
        }
        auto *call = static_cast<RuleTransition *>(transition);
        llvm::StringRef phrase =
            phrases ? phraseOf(call->target->ruleIndex) : "";
        if (phrase.empty())
          add({call->target, push(call->followState, frame)});
        else if (phrase != "-" && !phrases->has(phrase))
          phrases->phrases.push_back(phrase);
      }
    }
    return seen;
  }

  void addTokens(Transition &transition, Expected &result) const {
    for (ssize_t kind : transition.label().toList())
      if (unsigned token = kind < 0 ? 0 : kind; !result.has(token))
        result.tokens.push_back(token);
  }

  const ATN &atn;
  std::map<Config, std::unique_ptr<Frame>> frames;
  std::set<Config> kernel;
};

} // namespace

SyntaxError agt::findSyntaxError(const ATN &atn, ParserState from,
                                 TreeTokenStream &stream) {
  // Out of the rules that have read nothing yet: they are what is expected, and
  // not what they begin with.
  while (from.context->parent &&
         static_cast<antlr4::ParserRuleContext *>(from.context)
                 ->start->getTokenIndex() >= from.index) {
    from.state = from.context->invokingState;
    from.context = static_cast<antlr4::RuleContext *>(from.context->parent);
  }
  Automaton automaton(atn, from);
  SyntaxError error;
  error.index = from.index;
  while (error.index + 1 < stream.size() &&
         automaton.step(stream.get(error.index)->getType()))
    ++error.index;
  error.expected = automaton.expected();
  return error;
}
