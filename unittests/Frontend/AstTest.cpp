// What the parser makes of texts, where the grammar alone does not say it.
#include "Helpers.h"

#include "frontend/AST/Walk.h"

#include "gtest/gtest.h"

using namespace agt;
using agt::test::astOf;
using agt::test::TestSource;

namespace {

/// The AST of `const x = TEXT;` without its first two lines.
std::string exprAst(llvm::StringRef text) {
  std::string ast = astOf(("const x = " + text + ";\n").str());
  return ast.substr(ast.find('\n', ast.find('\n') + 1) + 1);
}

} // namespace

TEST(Ast, Precedence) {
  EXPECT_EQ(exprAst("a || b && c == d & e .. f + g * -h.i"),
            "    ChainExpr '||'\n"
            "      NameRef 'a'\n"
            "      ChainExpr '&&'\n"
            "        NameRef 'b'\n"
            "        CompareExpr '=='\n"
            "          NameRef 'c'\n"
            "          ChainExpr '&'\n"
            "            NameRef 'd'\n"
            "            RangeExpr\n"
            "              NameRef 'e'\n"
            "              ChainExpr '+'\n"
            "                NameRef 'f'\n"
            "                ChainExpr '*'\n"
            "                  NameRef 'g'\n"
            "                  UnaryExpr '-'\n"
            "                    MemberExpr . 'i'\n"
            "                      NameRef 'h'\n");
  EXPECT_EQ(exprAst("a - b + c * d / e"), "    ChainExpr '-' '+'\n"
                                          "      NameRef 'a'\n"
                                          "      NameRef 'b'\n"
                                          "      ChainExpr '*' '/'\n"
                                          "        NameRef 'c'\n"
                                          "        NameRef 'd'\n"
                                          "        NameRef 'e'\n");
  EXPECT_NE(exprAst("a - (b + c)"), exprAst("a - b + c"));
  EXPECT_EQ(exprAst("(a)"), exprAst("a"));
  EXPECT_EQ(exprAst("(a,)"), exprAst("a"));
}

TEST(Ast, ParseCallsAndComparisons) {
  EXPECT_EQ(exprAst("parse<list<T>>(s)"), "    ParseCallExpr 'parse'\n"
                                          "      TypeRef 'list' [type]\n"
                                          "        TypeRef 'T'\n"
                                          "      NameRef 's'\n");
  EXPECT_EQ(exprAst("[a < b, c > (d)]"), "    ListExpr\n"
                                         "      CompareExpr '<'\n"
                                         "        NameRef 'a'\n"
                                         "        NameRef 'b'\n"
                                         "      CompareExpr '>'\n"
                                         "        NameRef 'c'\n"
                                         "        NameRef 'd'\n");
}

TEST(Ast, WordsAreNames) {
  EXPECT_EQ(exprAst("max(by, key = on, with = policy.format)"),
            "    CallExpr #1='key' #2='with'\n"
            "      NameRef 'max'\n"
            "      NameRef 'by'\n"
            "      NameRef 'on'\n"
            "      MemberExpr . 'format'\n"
            "        NameRef 'policy'\n");
  EXPECT_EQ(exprAst("f(x) on on on single"), "    OnMeshExpr 'single'\n"
                                             "      OnMeshExpr 'on'\n"
                                             "        CallExpr\n"
                                             "          NameRef 'f'\n"
                                             "          NameRef 'x'\n");
}

TEST(Ast, Strings) {
  EXPECT_EQ(exprAst("\"a\\n{{{x.y}}} }\\u{41}\""),
            "    StringLit \"a\\n{\" {} \"} }A\"\n"
            "      MemberExpr . 'y'\n"
            "        NameRef 'x'\n");
  EXPECT_EQ(exprAst("\"{env(\"A{b}\")}\""), "    StringLit {}\n"
                                            "      CallExpr\n"
                                            "        NameRef 'env'\n"
                                            "        StringLit \"A\" {}\n"
                                            "          NameRef 'b'\n");
  EXPECT_EQ(exprAst("\"\"\"\n    a \"q\" {\n      x}\n      b\n  \"\"\""),
            "    StringLit block \"a \\\"q\\\" \" {} \"\\n  b\\n\"\n"
            "      NameRef 'x'\n");
  EXPECT_EQ(exprAst("\"\""), "    StringLit \"\"\n");
}

TEST(Ast, ValuesOfProperties) {
  EXPECT_EQ(astOf("tool t() -> T { effect: reconcile find(token) settle 10s; "
                  "limit: 5 per 1s, concurrent 2; r: 4 e(5ms, max 3s), "
                  "x = 2; }\n"),
            "File\n"
            "  ToolDecl 't'\n"
            "    TypeRef 'T'\n"
            "    Props\n"
            "      Prop 'effect'\n"
            "        Value\n"
            "          NameRef 'reconcile'\n"
            "          MoreItem 'find' ()\n"
            "            Value\n"
            "              NameRef 'token'\n"
            "          MoreItem 'settle'\n"
            "          MoreItem\n"
            "            DurationLit 10000000000ns\n"
            "      Prop 'limit'\n"
            "        Value\n"
            "          IntLit 5\n"
            "          MoreItem 'per'\n"
            "          MoreItem\n"
            "            DurationLit 1000000000ns\n"
            "        Value\n"
            "          NameRef 'concurrent'\n"
            "          MoreItem\n"
            "            IntLit 2\n"
            "      Prop 'r'\n"
            "        Value\n"
            "          IntLit 4\n"
            "          MoreItem 'e' ()\n"
            "            Value\n"
            "              DurationLit 5000000ns\n"
            "            Value\n"
            "              NameRef 'max'\n"
            "              MoreItem\n"
            "                DurationLit 3000000000ns\n"
            "        Value = 'x'\n"
            "          IntLit 2\n");
}

TEST(Ast, MatchesWithAndWithoutValues) {
  EXPECT_EQ(astOf("test \"t\" { match a { S.x => { b; } ok => { } -1 => { "
                  "match c { none => { d } }; } } }\n"),
            "File\n"
            "  TestDecl\n"
            "    StringLit \"t\"\n"
            "    Block\n"
            "      MatchStmt\n"
            "        NameRef 'a'\n"
            "        MatchArm\n"
            "          Pattern name 'S' 'x'\n"
            "          Block\n"
            "            ExprStmt\n"
            "              NameRef 'b'\n"
            "        MatchArm\n"
            "          Pattern ok\n"
            "          Block\n"
            "        MatchArm\n"
            "          Pattern literal\n"
            "            UnaryExpr '-'\n"
            "              IntLit 1\n"
            "          Block\n"
            "            ExprStmt\n"
            "              MatchExpr\n"
            "                NameRef 'c'\n"
            "                MatchArm\n"
            "                  Pattern none\n"
            "                  Block\n"
            "                  NameRef 'd'\n");
}

TEST(Ast, ShardLists) {
  EXPECT_EQ(astOf("test \"t\" { shard q, k by S over cp, pe balance zigzag via "
                  "ring, by H over tp; }\n"),
            "File\n"
            "  TestDecl\n"
            "    StringLit \"t\"\n"
            "    Block\n"
            "      ShardStmt 'q' 'k' [by 'S' over 'cp' 'pe' balance 'zigzag' "
            "via 'ring'] [by 'H' over 'tp']\n");
}

TEST(Ast, DocComments) {
  llvm::StringRef text = "/// One.\n"
                         "///Two.\n"
                         "const a = 1;\n"
                         "//// Not a doc comment.\n"
                         "const b = 1;\n"
                         "/// Not directly before.\n"
                         "\n"
                         "const c = 1;\n"
                         "/// Nor this.\n"
                         "// x\n"
                         "const d = 1;\n"
                         "record R {\n"
                         "  /// A field.\n"
                         "  a: int;\n"
                         "  b: int; // b\n"
                         "}\n";
  EXPECT_EQ(astOf(text), "File\n"
                         "  ConstDecl 'a' doc \"One.\\nTwo.\"\n"
                         "    IntLit 1\n"
                         "  ConstDecl 'b'\n"
                         "    IntLit 1\n"
                         "  ConstDecl 'c'\n"
                         "    IntLit 1\n"
                         "  ConstDecl 'd'\n"
                         "    IntLit 1\n"
                         "  RecordDecl 'R'\n"
                         "    Field 'a' doc \"A field.\"\n"
                         "      TypeRef 'int'\n"
                         "    Field 'b'\n"
                         "      TypeRef 'int'\n");
}

TEST(Ast, DocCommentsOfNodesAndTools) {
  std::string ast = astOf("tool m = mcp {\n"
                          "  /// Reads.\n"
                          "  tool read() -> string { effect: pure; }\n"
                          "};\n"
                          "/// Solves.\n"
                          "agent a() -> string {\n"
                          "  /// First.\n"
                          "  node n { return \"\"; }\n"
                          "  start n max 1 visits;\n"
                          "}\n");
  EXPECT_NE(ast.find("ToolDecl 'read' doc \"Reads.\""), std::string::npos);
  EXPECT_NE(ast.find("AgentDecl 'a' doc \"Solves.\""), std::string::npos);
  EXPECT_NE(ast.find("AgentNode 'n' doc \"First.\""), std::string::npos);
}

TEST(Ast, RangesPointAtTheSource) {
  TestSource source("const x = (a) + f(b, [c])[0];\n");
  ast::File *file = source.parse();
  ASSERT_TRUE(file);
  std::string dump;
  llvm::raw_string_ostream out(dump);
  ast::dump(*file, source.sources, out);
  EXPECT_EQ(dump, "File <1:1, 1:30>\n"
                  "  ConstDecl <1:1, 1:29> 'x'\n"
                  "    ChainExpr <1:11, 1:28> '+'\n"
                  "      NameRef <1:12, 1:12> parenthesized 'a'\n"
                  "      IndexExpr <1:17, 1:28>\n"
                  "        CallExpr <1:17, 1:25>\n"
                  "          NameRef <1:17, 1:17> 'f'\n"
                  "          NameRef <1:19, 1:19> 'b'\n"
                  "          ListExpr <1:22, 1:24>\n"
                  "            NameRef <1:23, 1:23> 'c'\n"
                  "        IntLit <1:27, 1:27> 0\n");
}

TEST(Ast, EveryNodeLiesInItsParent) {
  TestSource source("agent a(p: list<T, max 3>) -> string {\n"
                    "  budget: steps 5;\n"
                    "  let (x, y) = fork r in p key r.name width 2 policy "
                    "collect(min 1) { yield \"{r}\"; };\n"
                    "  if (x) { emit \"a\"; } else if (!y) { fail \"b\"; }\n"
                    "  return match x { none => { \"a\" } else => { y } };\n"
                    "}\n");
  ast::File *file = source.parse();
  ASSERT_TRUE(file) << source.text;
  unsigned nodes = 0;
  ast::walk(*file, [&](ast::Node &node) {
    llvm::SmallVector<ast::Node *, 8> children;
    ast::collectChildren(node, children);
    const char *last = node.range.Start.getPointer();
    for (ast::Node *child : children) {
      EXPECT_GE(child->range.Start.getPointer(), node.range.Start.getPointer());
      EXPECT_LE(child->range.End.getPointer(), node.range.End.getPointer());
      EXPECT_GE(child->range.Start.getPointer(), last);
      last = child->range.Start.getPointer();
    }
    ++nodes;
    return true;
  });
  EXPECT_GT(nodes, 40u);
}
