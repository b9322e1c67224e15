// Declarations and properties.
#include "frontend/Parse/Builder.h"

using namespace agt;

void Builder::build(AgtParser::FileContext &tree, ast::File &file) {
  for (Tree *child : tree.children) {
    if (auto *rule = dynamic_cast<AgtParser::ImportDeclContext *>(child)) {
      auto *node = create<ast::ImportDecl>(rule);
      node->path = constantString(rule->string(), "the path of an import");
      file.imports.push_back(node);
      file.items.push_back(node);
    } else if (auto *rule = dynamic_cast<AgtParser::DeclContext *>(child)) {
      ast::Decl *node = decl(rule);
      node->doc = docOf(rule);
      file.decls.push_back(node);
      file.items.push_back(node);
    }
  }
}

//===- Declarations ------------------------------------------------------===//

ast::Decl *Builder::decl(AgtParser::DeclContext *tree) {
  auto *inner = static_cast<Rule *>(tree->children.front());
  switch (inner->getRuleIndex()) {
  case AgtParser::RuleConstDecl: {
    auto *rule = static_cast<AgtParser::ConstDeclContext *>(inner);
    auto *node = create<ast::ConstDecl>(rule);
    node->name = ident(rule->name());
    node->value = expr(rule->expr());
    return node;
  }
  case AgtParser::RuleRecordDecl:
    return record(static_cast<AgtParser::RecordDeclContext *>(inner));
  case AgtParser::RuleEnumDecl:
    return enumDecl(static_cast<AgtParser::EnumDeclContext *>(inner));
  case AgtParser::RuleTargetDecl: {
    auto *rule = static_cast<AgtParser::TargetDeclContext *>(inner);
    auto *node = create<ast::TargetDecl>(rule);
    node->name = ident(rule->name());
    if (rule->expr())
      node->base = expr(rule->expr());
    node->props = props(rule->props());
    return node;
  }
  case AgtParser::RuleMeshDecl: {
    auto *rule = static_cast<AgtParser::MeshDeclContext *>(inner);
    auto *node = create<ast::MeshDecl>(rule);
    node->name = ident(rule->name());
    node->props = props(rule->props());
    return node;
  }
  case AgtParser::RuleModelDecl: {
    auto *rule = static_cast<AgtParser::ModelDeclContext *>(inner);
    auto *node = create<ast::ModelDecl>(rule);
    node->name = ident(rule->name());
    node->props = props(rule->props());
    return node;
  }
  case AgtParser::RuleWeightsDecl: {
    auto *rule = static_cast<AgtParser::WeightsDeclContext *>(inner);
    auto *node = create<ast::WeightsDecl>(rule);
    node->name = ident(rule->name(0));
    node->path = constantString(rule->string(), "the path of weights");
    node->format = ident(rule->name(1));
    return node;
  }
  case AgtParser::RuleLlmDecl:
    return llm(static_cast<AgtParser::LlmDeclContext *>(inner));
  case AgtParser::RuleGraphDecl:
    return graph(static_cast<AgtParser::GraphDeclContext *>(inner));
  case AgtParser::RuleToolDecl:
    return tool(static_cast<AgtParser::ToolDeclContext *>(inner));
  case AgtParser::RuleFnDecl: {
    auto *rule = static_cast<AgtParser::FnDeclContext *>(inner);
    auto *node = create<ast::FnDecl>(rule);
    node->name = ident(rule->name());
    node->params = params(rule->params());
    node->result = type(rule->type());
    node->body = block(rule->block());
    return node;
  }
  case AgtParser::RuleAgentDecl:
    return agent(static_cast<AgtParser::AgentDeclContext *>(inner));
  default: {
    auto *rule = static_cast<AgtParser::TestDeclContext *>(inner);
    auto *node = create<ast::TestDecl>(rule);
    node->title = constantString(rule->string(), "the name of a test");
    node->body = block(rule->block());
    return node;
  }
  }
}

ast::Decl *Builder::record(AgtParser::RecordDeclContext *tree) {
  auto *node = create<ast::RecordDecl>(tree);
  node->name = ident(tree->name());
  for (auto *each : childrenOf<AgtParser::FieldContext>(tree)) {
    auto *field = create<ast::Field>(each);
    field->name = ident(each->word());
    field->doc = docOf(each);
    field->type = type(each->type());
    if (each->expr())
      field->bounds = expr(each->expr());
    node->fields.push_back(field);
  }
  return node;
}

ast::Decl *Builder::enumDecl(AgtParser::EnumDeclContext *tree) {
  auto *node = create<ast::EnumDecl>(tree);
  node->name = ident(tree->name());
  for (auto *each : childrenOf<AgtParser::WordContext>(tree))
    node->values.push_back(ident(each));
  return node;
}

ast::Decl *Builder::llm(AgtParser::LlmDeclContext *tree) {
  auto *node = create<ast::LlmDecl>(tree);
  node->name = ident(tree->name(0));
  node->fromGraph = tree->GRAPH() != nullptr;
  node->source = ident(tree->name(1));
  node->props = props(tree->props());
  return node;
}

ast::Decl *Builder::graph(AgtParser::GraphDeclContext *tree) {
  auto *node = create<ast::GraphDecl>(tree);
  node->name = ident(tree->name());
  node->params = params(tree->params());
  AgtParser::ResultsContext *results = tree->results();
  node->tupleResults = results->LPAREN() != nullptr;
  if (results->type())
    node->results.push_back({ast::Ident(), type(results->type())});
  for (auto *each : childrenOf<AgtParser::ResultContext>(results))
    node->results.push_back({identOrNone(each->name()), type(each->type())});
  if (AgtParser::WhereClauseContext *where = tree->whereClause())
    for (auto *each : childrenOf<AgtParser::WhereDimContext>(where))
      node->where.push_back({ident(each->name()), flat(each->dim())});
  if (AgtParser::OnClauseContext *on = tree->onClause())
    node->mesh = ident(on->name());
  node->body = block(tree->block());
  return node;
}

ast::Decl *Builder::tool(AgtParser::ToolDeclContext *tree) {
  auto *node = create<ast::ToolDecl>(tree);
  node->name = ident(tree->name(0));
  if (AgtParser::ToolBodyContext *body = tree->toolBody()) {
    node->provider = ident(tree->name(1));
    toolBody(body, *node);
    return node;
  }
  node->params = params(tree->params());
  node->result = type(tree->type());
  node->props = props(tree->props());
  return node;
}

void Builder::toolBody(AgtParser::ToolBodyContext *tree, ast::ToolDecl &tool) {
  tool.props = create<ast::Props>(tree);
  tool.props->closeRange = range(tree->RBRACE());
  for (Tree *child : tree->children) {
    if (auto *rule = dynamic_cast<AgtParser::PropContext *>(child)) {
      ast::Prop *node = prop(rule);
      tool.props->props.push_back(node);
      tool.items.push_back(node);
    } else if (auto *rule =
                   dynamic_cast<AgtParser::InnerToolContext *>(child)) {
      auto *node = create<ast::ToolDecl>(rule);
      node->name = ident(rule->word());
      node->doc = docOf(rule);
      node->params = params(rule->params());
      node->result = type(rule->type());
      node->props = props(rule->props());
      tool.tools.push_back(node);
      tool.items.push_back(node);
    }
  }
}

ast::Decl *Builder::agent(AgtParser::AgentDeclContext *tree) {
  auto *node = create<ast::AgentDecl>(tree);
  node->name = ident(tree->name());
  node->params = params(tree->params());
  node->result = type(tree->type());
  agentBody(tree->agentBody(), *node);
  return node;
}

void Builder::agentBody(AgtParser::AgentBodyContext *tree,
                        ast::AgentDecl &agent) {
  agent.closeRange = range(tree->RBRACE());
  for (Tree *child : tree->children) {
    if (tokenOf(child))
      continue;
    auto *rule = static_cast<Rule *>(child);
    switch (rule->getRuleIndex()) {
    case AgtParser::RuleAgentProp: {
      ast::Prop *node = prop(rule);
      agent.props.push_back(node);
      agent.items.push_back(node);
      break;
    }
    case AgtParser::RuleAgentNode: {
      auto *node = agentNode(static_cast<AgtParser::AgentNodeContext *>(rule));
      agent.nodes.push_back(node);
      agent.items.push_back(node);
      break;
    }
    case AgtParser::RuleAgentStart: {
      auto *start = static_cast<AgtParser::AgentStartContext *>(rule);
      auto *node = create<ast::AgentStart>(start);
      node->node = ident(start->name());
      if (start->expr())
        node->maxVisits = expr(start->expr());
      agent.starts.push_back(node);
      agent.items.push_back(node);
      break;
    }
    default:
      if (ast::Stmt *node = stmt(static_cast<AgtParser::StmtContext *>(rule))) {
        agent.stmts.push_back(node);
        agent.items.push_back(node);
      }
    }
  }
}

ast::AgentNode *Builder::agentNode(AgtParser::AgentNodeContext *tree) {
  auto *node = create<ast::AgentNode>(tree);
  node->name = ident(tree->name());
  node->doc = docOf(tree);
  node->hasParams = tree->params() != nullptr;
  if (node->hasParams)
    node->params = params(tree->params());
  node->body = block(tree->block());
  return node;
}

std::vector<ast::Param *> Builder::params(AgtParser::ParamsContext *tree) {
  std::vector<ast::Param *> result;
  for (auto *each : childrenOf<AgtParser::ParamContext>(tree)) {
    auto *param = create<ast::Param>(each);
    param->name = ident(each->name());
    param->type = type(each->type());
    result.push_back(param);
  }
  return result;
}

//===- Properties --------------------------------------------------------===//

ast::Props *Builder::props(AgtParser::PropsContext *tree) {
  auto *node = create<ast::Props>(tree);
  node->closeRange = range(tree->RBRACE());
  for (auto *each : childrenOf<AgtParser::PropContext>(tree))
    node->props.push_back(prop(each));
  return node;
}

ast::Prop *Builder::prop(Rule *tree) {
  auto *node = create<ast::Prop>(tree);
  size_t next = 0;
  node->word = ident(static_cast<Rule *>(tree->children[next++]));
  if (!tokenOf(tree->children[next])) {
    auto *label = static_cast<Rule *>(tree->children[next]);
    if (label->getRuleIndex() == AgtParser::RuleString)
      node->stringLabel = constantString(
          static_cast<AgtParser::StringContext *>(label), "a label");
    else
      node->label = ident(label);
  }
  for (auto *each : childrenOf<AgtParser::ValueContext>(tree))
    node->values.push_back(value(each));
  return node;
}

ast::Value *Builder::value(AgtParser::ValueContext *tree) {
  auto *node = create<ast::Value>(tree);
  if (tree->name()) {
    node->value = ast::Value::Named;
    node->name = ident(tree->name());
    node->expr = expr(tree->expr());
  } else if (tree->props()) {
    node->value = ast::Value::Nested;
    node->props = props(tree->props());
  } else if (AgtParser::FailWordContext *word = tree->failWord()) {
    node->expr = nameRef(word);
  } else {
    node->expr = expr(tree->expr());
    for (auto *each : childrenOf<AgtParser::MoreContext>(tree))
      node->more.push_back(more(each));
  }
  return node;
}

ast::MoreItem *Builder::more(AgtParser::MoreContext *tree) {
  auto *node = create<ast::MoreItem>(tree);
  if (AgtParser::NameNotOnContext *name = tree->nameNotOn()) {
    node->path.push_back(ident(name));
    for (auto *word : childrenOf<AgtParser::WordContext>(tree))
      node->path.push_back(ident(word));
    node->hasArgs = tree->LPAREN() != nullptr;
    for (auto *each : childrenOf<AgtParser::ValueContext>(tree))
      node->args.push_back(value(each));
  } else if (tree->number()) {
    node->literal = number(tree->number());
  } else if (tree->string()) {
    node->literal = string(tree->string());
  } else {
    node->literal = terminalOperand(
        dynamic_cast<antlr4::tree::TerminalNode *>(tree->children.front()));
  }
  return node;
}
