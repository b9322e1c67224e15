#include "SentenceGenerator.h"

using namespace agt::test;

namespace {

/// Words of rules come often, because they are where ambiguities hide.
const char *const nameList[] = {
    "a",       "b",      "x",       "by",     "key",      "max",      "policy",
    "format",  "on",     "with",    "within", "node",     "start",    "mock",
    "shard",   "over",   "all",     "first",  "width",    "visits",   "was",
    "where",   "take",   "rank",    "desc",   "via",      "balance",  "min",
    "collect", "quorum", "flatten", "budget", "deadline", "evidence", "handles",
    "reduce",  "fanin",  "dedupe",  "ok",     "error",    "parse"};
const char *const reservedList[] = {
    "let",   "if",      "else",   "match",  "for",    "in",    "while",
    "fork",  "true",    "none",   "return", "yield",  "const", "mesh",
    "model", "weights", "graph",  "tool",   "agent",  "test",  "stream",
    "live",  "import",  "record", "ask",    "receive"};

template <size_t N>
const char *from(const char *const (&list)[N], uint64_t random) {
  return list[random % N];
}

} // namespace

void SentenceGenerator::list(const Part &part, const char *separator,
                             bool trailing) {
  unsigned count = 1 + (shallow() ? 0 : pick(3));
  for (unsigned index = 0; index != count; ++index) {
    if (index)
      put(separator);
    part();
  }
  if (trailing && chance(30))
    put(separator);
}

void SentenceGenerator::oneOf(std::initializer_list<Part> parts) {
  (parts.begin() + pick(parts.size()))->operator()();
}

//===- Words and literals ------------------------------------------------===//

void SentenceGenerator::name() { put(from(nameList, random())); }

void SentenceGenerator::nameBut(const std::string &excluded) {
  std::string text = from(nameList, random());
  put(text == excluded ? "c" : text);
}

void SentenceGenerator::word() {
  put(chance(70) ? from(nameList, random()) : from(reservedList, random()));
}

void SentenceGenerator::string(bool constant) {
  std::string text = "\"";
  static const char *const pieces[] = {
      "a b", "\\n", "{{", "}}", "}", "\\u{41}", "\\\"", "// x", "\xC3\xA9"};
  for (unsigned count = pick(3); count; --count) {
    if (constant || chance(60) || shallow()) {
      text += from(pieces, random());
      continue;
    }
    std::vector<std::string> outer = std::move(out);
    out.clear();
    ++depth;
    expr();
    --depth;
    text += "{";
    for (const std::string &token : out)
      text += " " + token;
    text += " }";
    out = std::move(outer);
  }
  put(text + "\"");
}

void SentenceGenerator::number() {
  static const char *const numbers[] = {"0",   "42",  "1_000",
                                        "4Ki", "3.5", "1e-5"};
  put(from(numbers, random()));
}

void SentenceGenerator::more() {
  oneOf({[&] { number(); }, [&] { words({"10s"}); }, [&] { words({"5GB/s"}); },
         [&] { string(); }, [&] { words({"true"}); }, [&] { words({"none"}); },
         [&] {
           nameBut("on");
           option([&] {
             put(".");
             word();
           });
           option([&] {
             put("(");
             option([&] { list([&] { value(); }, ","); });
             put(")");
           });
         }});
}

//===- Declarations ------------------------------------------------------===//

std::vector<std::string> SentenceGenerator::file() {
  out.clear();
  for (unsigned count = 1 + pick(3); count; --count) {
    if (chance(10)) {
      put("import");
      string(true);
      put(";");
    } else {
      decl();
      option([&] { put(";"); });
    }
  }
  return std::move(out);
}

void SentenceGenerator::decl() {
  oneOf({[&] {
           put("const");
           name();
           put("=");
           expr();
           put(";");
         },
         [&] {
           put("record");
           name();
           put("{");
           option([&] {
             list(
                 [&] {
                   word();
                   put(":");
                   type();
                   option([&] {
                     put("in");
                     expr();
                   });
                 },
                 ";", true);
           });
           put("}");
         },
         [&] {
           put("enum");
           name();
           put("{");
           list([&] { word(); }, ",", true);
           put("}");
         },
         [&] {
           put("target");
           name();
           option([&] {
             put("=");
             expr();
           });
           props();
         },
         [&] {
           put(chance(50) ? "mesh" : "model");
           name();
           props();
         },
         [&] {
           put("weights");
           name();
           put("=");
           string(true);
           put("format");
           name();
         },
         [&] {
           put("llm");
           name();
           put("=");
           option([&] { put("graph"); });
           name();
           props();
         },
         [&] { graph(); }, [&] { tool(); },
         [&] {
           put("fn");
           name();
           params();
           put("->");
           type();
           block();
         },
         [&] { agent(); }, [&] { agent(); },
         [&] {
           put("test");
           string(true);
           block();
         }});
}

void SentenceGenerator::graph() {
  put("graph");
  name();
  params();
  put("->");
  if (chance(50)) {
    type();
  } else {
    put("(");
    list(
        [&] {
          option([&] {
            name();
            put(":");
          });
          type();
        },
        ",");
    put(")");
  }
  option([&] {
    put("where");
    list(
        [&] {
          name();
          put("=");
          dim();
        },
        ",");
  });
  option([&] {
    put("on");
    name();
  });
  block();
}

void SentenceGenerator::dim() {
  ++depth;
  list(
      [&] {
        oneOf({[&] { words({"4"}); },
               [&] {
                 name();
                 option([&] {
                   put(".");
                   word();
                 });
               },
               [&] {
                 if (shallow())
                   return put("7");
                 put("(");
                 dim();
                 put(")");
               }});
      },
      chance(50) ? "+" : "%");
  --depth;
}

void SentenceGenerator::tool() {
  put("tool");
  name();
  if (chance(50)) {
    params();
    put("->");
    type();
    props();
    return;
  }
  put("=");
  name();
  toolBody();
}

void SentenceGenerator::toolBody() {
  put("{");
  for (unsigned count = pick(4); count; --count) {
    if (chance(50)) {
      prop();
      put(";");
      continue;
    }
    put("tool");
    word();
    params();
    put("->");
    type();
    props();
    option([&] { put(";"); });
  }
  put("}");
}

void SentenceGenerator::agent() {
  put("agent");
  name();
  params();
  put("->");
  type();
  put("{");
  for (unsigned count = pick(5); count; --count)
    agentItem();
  put("}");
}

void SentenceGenerator::agentItem() {
  oneOf({[&] {
           name();
           option([&] {
             if (chance(50))
               name();
             else
               string(true);
           });
           put(":");
           list([&] { value(); }, ",");
           put(";");
         },
         [&] { stmt(); }, [&] { stmt(); },
         [&] {
           put("node");
           name();
           option([&] { params(); });
           block();
         },
         [&] {
           put("start");
           name();
           option([&] {
             put("max");
             expr();
             put("visits");
           });
           put(";");
         }});
}

void SentenceGenerator::params() {
  put("(");
  option([&] {
    list(
        [&] {
          name();
          put(":");
          type();
        },
        ",", true);
  });
  put(")");
}

void SentenceGenerator::type() {
  ++depth;
  name();
  if (!shallow())
    option([&] {
      put("<");
      list([&] { typeArg(); }, ",");
      put(">");
    });
  option([&] { put("?"); });
  --depth;
}

void SentenceGenerator::typeArg() {
  oneOf({[&] { type(); },
         [&] {
           put("[");
           option([&] { list([&] { expr(); }, ",", true); });
           put("]");
         },
         [&] {
           put("max");
           sum();
         }});
}

void SentenceGenerator::props() {
  ++depth;
  put("{");
  option([&] { list([&] { prop(); }, ";", true); });
  put("}");
  --depth;
}

void SentenceGenerator::prop() {
  word();
  option([&] {
    if (chance(50))
      name();
    else
      string(true);
  });
  put(":");
  list([&] { value(); }, ",");
}

void SentenceGenerator::value() {
  ++depth;
  oneOf({[&] {
           name();
           put("=");
           expr();
         },
         [&] {
           if (shallow())
             return number();
           props();
         },
         [&] {
           expr();
           for (unsigned count = pick(3); count; --count)
             more();
         }});
  --depth;
}

//===- Statements --------------------------------------------------------===//

void SentenceGenerator::block() {
  ++depth;
  put("{");
  for (unsigned count = shallow() ? 0 : pick(4); count; --count)
    stmt();
  put("}");
  --depth;
}

void SentenceGenerator::stmt() {
  ++depth;
  if (shallow() || chance(50))
    simpleStmt();
  else
    oneOf({[&] { ifStmt(); },
           [&] {
             put("match");
             expr();
             put("{");
             for (unsigned count = 1 + pick(2); count; --count) {
               pattern();
               put("=>");
               block();
             }
             put("}");
           },
           [&] {
             put("for");
             name();
             put("in");
             expr();
             block();
           },
           [&] {
             words({"while", "("});
             expr();
             put(")");
             option([&] {
               put("max");
               expr();
             });
             block();
           },
           [&] {
             put("loop");
             name();
             option([&] {
               put("max");
               expr();
             });
             block();
           },
           [&] {
             put("repeat");
             name();
             put("in");
             expr();
             option([&] {
               put("carrying");
               list([&] { name(); }, ",");
             });
             block();
           },
           [&] {
             put("try");
             block();
             put("else");
             name();
             block();
           }});
  --depth;
}

void SentenceGenerator::ifStmt() {
  words({"if", "("});
  expr();
  put(")");
  block();
  option([&] {
    put("else");
    if (chance(50))
      block();
    else
      ifStmt();
  });
}

void SentenceGenerator::simpleStmt() {
  oneOf({[&] {
           put("let");
           if (chance(50)) {
             name();
           } else {
             put("(");
             list([&] { name(); }, ",");
             put(")");
           }
           option([&] {
             put("was");
             name();
           });
           option([&] {
             put(":");
             type();
           });
           put("=");
           expr();
         },
         [&] {
           put("var");
           name();
           option([&] {
             put(":");
             type();
           });
           put("=");
           expr();
         },
         [&] {
           name();
           put("=");
           expr();
         },
         [&] {
           static const char *const keywords[] = {"return", "yield", "fail",
                                                  "sleep", "emit"};
           put(from(keywords, random()));
           expr();
         },
         [&] {
           put("assert");
           expr();
           option([&] {
             put(",");
             expr();
           });
         },
         [&] {
           put("goto");
           name();
           option([&] {
             put("(");
             args();
             put(")");
           });
         },
         [&] {
           put("mock");
           name();
           string(true);
         },
         [&] { shard(); }, [&] { expr(); }, [&] { expr(); }, [] {}});
  put(";");
}

void SentenceGenerator::shard() {
  put("shard");
  list([&] { name(); }, ",");
  list(
      [&] {
        put("by");
        name();
        put("over");
        name();
        for (unsigned count = pick(2); count; --count) {
          put(",");
          nameBut("by");
        }
        option([&] {
          put("balance");
          name();
        });
        option([&] {
          put("via");
          name();
        });
      },
      ",");
}

void SentenceGenerator::pattern() {
  oneOf({[&] { words({"else"}); }, [&] { words({"none"}); },
         [&] { words({"true"}); },
         [&] {
           option([&] { put("-"); });
           number();
         },
         [&] { words({"5ms"}); }, [&] { string(); },
         [&] {
           name();
           option([&] {
             put(".");
             word();
           });
         }});
}

//===- Expressions -------------------------------------------------------===//

void SentenceGenerator::expr() {
  ++depth;
  list(
      [&] {
        arith();
        static const char *const operators[] = {"==", "!=", "<",
                                                "<=", ">",  ">="};
        if (chance(20)) {
          put(from(operators, random()));
          arith();
        }
      },
      chance(50) ? "||" : "&&");
  --depth;
}

/// From `&` on; at most one `..` between two of them.
void SentenceGenerator::arith() {
  list(
      [&] {
        sum();
        if (chance(15)) {
          put("..");
          sum();
        }
      },
      "&");
}

void SentenceGenerator::sum() {
  static const char *const operators[] = {"+", "-", "*", "/", "%"};
  list([&] { unary(); }, from(operators, random()));
}

void SentenceGenerator::unary() {
  ++depth;
  while (chance(10))
    put(chance(50) ? "!" : "-");
  if (chance(4) && !shallow()) {
    put("receive");
    name();
    put("->");
    type();
    put("within");
    unary();
    --depth;
    return;
  }
  operand();
  while (chance(25) && !shallow())
    oneOf({[&] {
             put("(");
             args();
             put(")");
           },
           [&] {
             put("[");
             list([&] { expr(); }, ",");
             put("]");
           },
           [&] {
             put(".");
             word();
           },
           [&] {
             put("on");
             name();
           }});
  --depth;
}

void SentenceGenerator::operand() {
  if (shallow() || chance(50))
    return oneOf({[&] { name(); }, [&] { name(); }, [&] { number(); },
                  [&] { words({"10m"}); }, [&] { words({"64MiB"}); },
                  [&] { words({"false"}); }, [&] { words({"none"}); },
                  [&] { string(); }});
  oneOf({[&] {
           name();
           put("<");
           type();
           words({">", "("});
           args();
           put(")");
         },
         [&] {
           put("(");
           list([&] { expr(); }, ",", true);
           put(")");
         },
         [&] {
           put("[");
           option([&] { list([&] { expr(); }, ",", true); });
           put("]");
         },
         [&] {
           put("[");
           expr();
           put("for");
           name();
           put("in");
           expr();
           option([&] {
             put("if");
             expr();
           });
           put("]");
         },
         [&] {
           name();
           put("{");
           list(
               [&] {
                 word();
                 put(":");
                 expr();
               },
               ";", true);
           put("}");
         },
         [&] { fork(); }, [&] { join(); },
         [&] {
           put("ask");
           name();
           option([&] {
             put("with");
             name();
           });
           option([&] {
             put("->");
             type();
           });
           props();
         },
         [&] {
           put("approve");
           expr();
           put("by");
           expr();
           option([&] {
             put("within");
             expr();
           });
           words({"else", "true"});
         },
         [&] {
           put("match");
           expr();
           put("{");
           for (unsigned count = 1 + pick(2); count; --count) {
             pattern();
             words({"=>", "{"});
             for (unsigned stmts = pick(2); stmts; --stmts)
               stmt();
             expr();
             put("}");
           }
           put("}");
         }});
}

void SentenceGenerator::fork() {
  put("fork");
  name();
  put("in");
  expr();
  for (unsigned count = pick(4); count; --count)
    oneOf({[&] {
             static const char *const clauses[] = {"key", "width", "max",
                                                   "deadline"};
             put(from(clauses, random()));
             expr();
           },
           [&] { words({"policy", "all"}); },
           [&] { words({"policy", "first"}); },
           [&] {
             words({"policy", "collect", "(", "min"});
             expr();
             put(")");
           },
           [&] {
             words({"policy", "quorum", "("});
             expr();
             put(")");
           }});
  block();
}

void SentenceGenerator::join() {
  put("join");
  expr();
  put("{");
  option([&] {
    list(
        [&] {
          oneOf({[&] { words({"flatten"}); },
                 [&] {
                   words({"dedupe", "by"});
                   word();
                 },
                 [&] {
                   words({"rank", "by"});
                   word();
                   option([&] { put("desc"); });
                 },
                 [&] {
                   put(chance(50) ? "take" : "budget");
                   expr();
                 },
                 [&] { words({"evidence", "handles"}); },
                 [&] {
                   words({"reduce", "fanin"});
                   expr();
                   put("with");
                   name();
                 }});
        },
        ";", true);
  });
  put("}");
}

void SentenceGenerator::args() {
  option([&] {
    list(
        [&] {
          option([&] {
            word();
            put("=");
          });
          expr();
        },
        ",", true);
  });
}

//===- Text --------------------------------------------------------------===//

std::string SentenceGenerator::layOut(const std::vector<std::string> &tokens) {
  std::string text;
  for (const std::string &token : tokens) {
    text += token;
    switch (pick(24)) {
    case 0:
      text += "\n";
      break;
    case 1:
      text += " // note\n\n";
      break;
    case 2:
      text += " /* note */ ";
      break;
    case 3:
      text += "\n/// doc\n";
      break;
    default:
      text += " ";
    }
  }
  return text;
}
