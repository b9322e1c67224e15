// See TestAgents.h. Each agent stands for a few lines of the language, which
// its comment shows; what it does beyond them is what compiled code does.
//
// The tools write a line `TOKEN TEXT` to the file $LEDGER: what the world has
// seen, whatever the log says.
#include "unittests/Agent/TestAgents.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace agt::rt::test {

namespace {

using Value = const agt_value *;

#define AGT_TRY(CALL)                                                          \
  if (int32_t outcome = (CALL))                                                \
  return outcome

agt_site site(const char *name) {
  return {name, nullptr, nullptr, "test.agt:1:1", AGT_CHANGE_FAIL};
}

Value text(agt_scope *scope, const char *constant) {
  return agt_value_string(scope, constant, std::strlen(constant));
}

Value joined(agt_scope *scope, std::vector<Value> parts) {
  return agt_text_join(scope, parts.data(), parts.size());
}

Value list(agt_scope *scope, std::vector<Value> elements) {
  return agt_value_list(scope, elements.data(), elements.size());
}

enum Tool : uint32_t { Note, FindNote, Once, Again, Shell, Slow, File, Search };

// ---- tools: what they execute ----------------------------------------------

const char *const noteScript =
    "test -z \"$JITTER\" || sleep 0.0$(($(od -An -N1 -tu1 /dev/urandom) % 10));"
    " echo \"$AGT_TOKEN $1\" >> \"$LEDGER\"; echo \"noted $1\"";

int32_t shell(agt_scope *scope, const char *script, Value argument,
              Value *result) {
  Value argv = list(scope, {text(scope, "sh"), text(scope, "-c"),
                            text(scope, script), text(scope, "sh"), argument});
  *result = list(scope, {argv, nullptr});
  return AGT_STEP_OK;
}

int32_t noteRequest(agt_scope *scope, Value const *args, Value *result) {
  return shell(scope, noteScript, args[0], result);
}
int32_t noteReconcile(agt_scope *scope, Value const *args, Value *result) {
  *result = list(scope, {args[1]}); // find(token)
  return AGT_STEP_OK;
}
int32_t findRequest(agt_scope *scope, Value const *args, Value *result) {
  // BLIND is for the fault harness to see that it notices.
  return shell(
      scope,
      "test -n \"$BLIND\" || grep -m1 \"^$1 \" \"$LEDGER\" 2>/dev/null |"
      " sed 's/^[^ ]* /noted /'",
      args[0], result);
}
int32_t shellRequest(agt_scope *scope, Value const *args, Value *result) {
  Value argv = list(scope, {text(scope, "sh"), text(scope, "-c"), args[0]});
  *result = list(scope, {argv, nullptr});
  return AGT_STEP_OK;
}

// http: POST "{env("API")}/issues"; body: "{text}\n{token}";
int32_t fileRequest(agt_scope *scope, Value const *args, Value *result) {
  Value name = text(scope, "API"), api;
  AGT_TRY(agt_library_call(scope, "test.agt:4:4", AGT_LIB_ENV, &name, 1, &api));
  Value header = list(scope, {text(scope, "Idempotency-Key"), args[1]});
  *result = list(scope, {joined(scope, {api, text(scope, "/issues")}),
                         joined(scope, {args[0], text(scope, "\n"), args[1]}),
                         list(scope, {header})});
  return AGT_STEP_OK;
}
// http: GET "{env("API")}/search?token={token}";
int32_t searchRequest(agt_scope *scope, Value const *args, Value *result) {
  Value name = text(scope, "API"), api;
  AGT_TRY(agt_library_call(scope, "test.agt:5:5", AGT_LIB_ENV, &name, 1, &api));
  *result =
      list(scope, {joined(scope, {api, text(scope, "/search?token="), args[0]}),
                   nullptr, nullptr});
  return AGT_STEP_OK;
}

// ---- agents ----------------------------------------------------------------

// loop i max n { let r = TOOL("{i}"); all = all + r + ";"; } return all;
int32_t chainOf(agt_scope *scope, uint32_t tool, int64_t n, Value *result) {
  static const agt_site r = site("r");
  Value all = text(scope, "");
  for (int64_t i = 0; i < n; ++i) {
    agt_scope *inner = agt_scope_enter(scope, "i", i);
    Value argument = joined(inner, {agt_value_int(inner, i)}), said;
    AGT_TRY(agt_step_tool(inner, &r, tool, &argument, &said));
    all = joined(inner, {all, said, text(inner, ";")});
  }
  *result = all;
  return AGT_STEP_OK;
}
int32_t chain(agt_scope *scope, Value const *args, Value *result) {
  return chainOf(scope, Note, agt_value_as_int(args[0]), result);
}
int32_t onceChain(agt_scope *scope, Value const *args, Value *result) {
  return chainOf(scope, Once, agt_value_as_int(args[0]), result);
}
int32_t againChain(agt_scope *scope, Value const *args, Value *result) {
  return chainOf(scope, Again, agt_value_as_int(args[0]), result);
}

// let found = fork x in xs key x width 3 { let a = note("{x} a");
//   let b = note("{x} b"); yield "{a}+{b}"; };
// let last = note("end"); return "{found} {last}";
int32_t forkBranch(agt_scope *scope, const void *, Value item, int64_t,
                   Value *result) {
  static const agt_site a = site("a"), b = site("b");
  Value first, second;
  Value argument = joined(scope, {item, text(scope, " a")});
  AGT_TRY(agt_step_tool(scope, &a, Note, &argument, &first));
  argument = joined(scope, {item, text(scope, " b")});
  AGT_TRY(agt_step_tool(scope, &b, Note, &argument, &second));
  *result = joined(scope, {first, text(scope, "+"), second});
  return AGT_STEP_OK;
}
int32_t forked(agt_scope *scope, Value const *args, Value *result) {
  static const agt_site found = site("found"), last = site("last");
  agt_fork fork = {forkBranch, nullptr,   args[0], args[0],        3,
                   AGT_NEVER,  AGT_NEVER, 0,       AGT_POLICY_ALL, 0};
  Value all, said, argument = text(scope, "end");
  AGT_TRY(agt_step_fork(scope, &found, &fork, &all));
  AGT_TRY(agt_step_tool(scope, &last, Note, &argument, &said));
  *result = joined(scope, {all, text(scope, " "), said});
  return AGT_STEP_OK;
}

// fork x in xs policy P deadline d { let o = shell(x); if (o.ok) { yield
//   o.stdout; } fail "exit {o.exit}"; }
struct RaceCaptures {
  Value unused;
};
int32_t raceBranch(agt_scope *scope, const void *, Value item, int64_t,
                   Value *result) {
  static const agt_site o = site("o");
  Value output;
  AGT_TRY(agt_step_tool(scope, &o, Shell, &item, &output));
  if (agt_value_is_true(agt_value_field(output, 0))) {
    *result = agt_value_field(output, 2);
    return AGT_STEP_OK;
  }
  Value message =
      joined(scope, {text(scope, "exit "), agt_value_field(output, 1)});
  return agt_scope_fail(scope, "test.agt:2:2", message);
}
// race(xs, policy, n, milliseconds)
int32_t race(agt_scope *scope, Value const *args, Value *result) {
  static const agt_site won = site("won");
  int64_t deadline = agt_value_as_int(args[3]);
  agt_fork fork = {raceBranch,
                   nullptr,
                   args[0],
                   nullptr,
                   0,
                   AGT_NEVER,
                   deadline ? deadline * 1000000 : AGT_NEVER,
                   agt_value_as_int(args[2]),
                   int32_t(agt_value_as_int(args[1])),
                   0};
  Value all;
  AGT_TRY(agt_step_fork(scope, &won, &fork, &all));
  *result = joined(scope, {all});
  return AGT_STEP_OK;
}

// let a = note("before"); if (!approve "go?" by "boss" within T else false) {
//   return "no"; } let b = note("after"); return "{a} {b}";
int32_t gate(agt_scope *scope, Value const *args, Value *result) {
  static const agt_site a = site("a"), go = site("go"), b = site("b");
  Value first, second, argument = text(scope, "before");
  int32_t yes;
  AGT_TRY(agt_step_tool(scope, &a, Note, &argument, &first));
  AGT_TRY(agt_step_approve(scope, &go, text(scope, "go?"), text(scope, "boss"),
                           agt_value_as_int(args[0]) * 1000000, 0, &yes));
  if (!yes) {
    *result = text(scope, "no");
    return AGT_STEP_OK;
  }
  argument = text(scope, "after");
  AGT_TRY(agt_step_tool(scope, &b, Note, &argument, &second));
  *result = joined(scope, {first, text(scope, " "), second});
  return AGT_STEP_OK;
}

// sleep 300ms; let s = receive word -> string? within 1h; return s or "none";
int32_t waits(agt_scope *scope, Value const *args, Value *result) {
  static const agt_site nap = site("sleep"), word = site("word");
  Value said;
  AGT_TRY(agt_step_sleep(scope, &nap, agt_value_as_int(args[0]) * 1000000));
  AGT_TRY(agt_step_receive(scope, &word, "word", 0, int64_t(3600) * 1000000000,
                           &said));
  *result = said ? said : text(scope, "none");
  return AGT_STEP_OK;
}

// try { let o = ask script -> Point { system: "s"; user: u; }; return
//   "{o.x},{o.y}"; } else err { return "{err.step}: {err.message}"; }
int32_t asks(agt_scope *scope, Value const *args, Value *result) {
  static const agt_site o = site("o");
  agt_ask ask = {};
  ask.type = 5;
  ask.system = text(scope, "s");
  ask.user = args[0];
  Value point;
  int32_t outcome = agt_step_ask(scope, &o, &ask, &point);
  if (outcome > AGT_STEP_FAILED)
    return outcome;
  if (outcome == AGT_STEP_FAILED) {
    Value caught = agt_scope_caught(scope);
    *result = joined(scope, {agt_value_field(caught, 0), text(scope, ": "),
                             agt_value_field(caught, 1)});
    return AGT_STEP_OK;
  }
  *result = joined(scope, {agt_value_field(point, 0), text(scope, ","),
                           agt_value_field(point, 1)});
  return AGT_STEP_OK;
}

// return ask script { user: u; tools: [note, shell]; max: 3; };
int32_t assistant(agt_scope *scope, Value const *args, Value *result) {
  static const agt_site answer = site("answer");
  static const uint32_t tools[] = {Note, Shell};
  agt_ask ask = {};
  ask.type = 0;
  ask.user = args[0];
  ask.max = agt_value_int(scope, 3);
  ask.tools = tools;
  ask.n_tools = 2;
  return agt_step_ask(scope, &answer, &ask, result);
}

// let r = chain(n); let s = chain(n + 1); return "{r}|{s}";
int32_t parent(agt_scope *scope, Value const *args, Value *result) {
  static const agt_site r = site("r"), s = site("s");
  Value first, second, more;
  AGT_TRY(agt_step_agent(scope, &r, 0, args, &first));
  int64_t n;
  AGT_TRY(agt_int_calculate(scope, "test.agt:3:3", AGT_INT_ADD,
                            agt_value_as_int(args[0]), 1, &n));
  more = agt_value_int(scope, n);
  AGT_TRY(agt_step_agent(scope, &s, 0, &more, &second));
  *result = joined(scope, {first, text(scope, "|"), second});
  return AGT_STEP_OK;
}

// let o = shell(code); return "{o.exit} {o.stdout}{o.stderr}";
int32_t runs(agt_scope *scope, Value const *args, Value *result) {
  static const agt_site o = site("o");
  Value output;
  AGT_TRY(agt_step_tool(scope, &o, Shell, args, &output));
  *result =
      joined(scope, {agt_value_field(output, 1), text(scope, " "),
                     agt_value_field(output, 2), agt_value_field(output, 3)});
  return AGT_STEP_OK;
}

// return slow(code);   a once tool with a time limit of 1s
int32_t slow(agt_scope *scope, Value const *args, Value *result) {
  static const agt_site o = site("o");
  return agt_step_tool(scope, &o, Slow, args, result);
}

// let a = now(); let b = random(); let c = uuid(); emit "{a}"; return
//   "{a} {b} {c} {env("LEDGER")} {len(read_file(path))}";
int32_t reads(agt_scope *scope, Value const *args, Value *result) {
  static const agt_site a = site("a"), b = site("b"), c = site("c"),
                        d = site("d"), e = site("e"), said = site("emit");
  Value now, random, uuid, variable, file;
  AGT_TRY(agt_step_read(scope, &a, AGT_READ_NOW, 2, nullptr, &now));
  AGT_TRY(agt_step_read(scope, &b, AGT_READ_RANDOM, 2, nullptr, &random));
  AGT_TRY(agt_step_read(scope, &c, AGT_READ_UUID, 0, nullptr, &uuid));
  AGT_TRY(agt_step_read(scope, &d, AGT_READ_ENV, 3, text(scope, "LEDGER"),
                        &variable));
  AGT_TRY(agt_step_read(scope, &e, AGT_READ_FILE, 0, args[0], &file));
  AGT_TRY(agt_step_emit(scope, &said, now));
  *result =
      joined(scope, {now, text(scope, " "), random, text(scope, " "), uuid,
                     text(scope, " "), variable, text(scope, " "), file});
  return AGT_STEP_OK;
}

// return file(text);   over HTTP, reconciled by a search
int32_t files(agt_scope *scope, Value const *args, Value *result) {
  static const agt_site issue = site("issue");
  return agt_step_tool(scope, &issue, File, args, result);
}

// An agent whose program changed: `let r = note(TEXT)`, TEXT from $AGT_CHANGED.
int32_t changed(agt_scope *scope, Value const *, Value *result) {
  static const agt_site r = site("r"), go = site("go");
  const char *variable = std::getenv("CHANGED");
  Value argument = text(scope, variable ? variable : "old"), said;
  int32_t yes;
  AGT_TRY(agt_step_tool(scope, &r, Note, &argument, &said));
  AGT_TRY(agt_step_approve(scope, &go, text(scope, "go?"), text(scope, "boss"),
                           int64_t(3600) * 1000000000, 0, &yes));
  *result = said;
  return AGT_STEP_OK;
}

// let new was old = fork x in ["a"] { let r = note(x); yield r; }; then gate.
int32_t renamedBranch(agt_scope *scope, const void *, Value item, int64_t,
                      Value *result) {
  static const agt_site r = site("r");
  return agt_step_tool(scope, &r, Note, &item, result);
}
int32_t renamed(agt_scope *scope, Value const *, Value *result) {
  static const agt_site older = site("old"), go = site("go"),
                        newer = {"new", "old", nullptr, "test.agt:1:1",
                                 AGT_CHANGE_FAIL};
  Value items = list(scope, {text(scope, "a")}), all;
  agt_fork fork = {renamedBranch, nullptr,   items, items,          0,
                   AGT_NEVER,     AGT_NEVER, 0,     AGT_POLICY_ALL, 0};
  AGT_TRY(agt_step_fork(scope, std::getenv("CHANGED") ? &newer : &older, &fork,
                        &all));
  int32_t yes;
  AGT_TRY(agt_step_approve(scope, &go, text(scope, "go?"), text(scope, "boss"),
                           int64_t(3600) * 1000000000, 0, &yes));
  *result = joined(scope, {all});
  return AGT_STEP_OK;
}

// let a = note("base"); let found = fork x in xs { note(x); yield x; };
// return a;
int32_t builds(agt_scope *scope, Value const *args, Value *result) {
  static const agt_site a = site("a"), found = site("found");
  Value argument = text(scope, "base"), all;
  AGT_TRY(agt_step_tool(scope, &a, Note, &argument, result));
  agt_fork fork = {renamedBranch, nullptr,   args[0], args[0],        0,
                   AGT_NEVER,     AGT_NEVER, 0,       AGT_POLICY_ALL, 0};
  return agt_step_fork(scope, &found, &fork, &all);
}

// test "one effect" { expect(chain(1) == "noted 0;"); expect(calls(note) == 1);
// }
int32_t oneEffect(agt_scope *scope, Value const *, Value *) {
  static const agt_site r = site("chain");
  Value n = agt_value_int(scope, 1), said, wanted = text(scope, "noted 0;");
  AGT_TRY(agt_step_agent(scope, &r, 0, &n, &said));
  AGT_TRY(agt_test_expect(scope, "test.agt:9:3", "chain(1) == \"noted 0;\"",
                          agt_value_equals(said, wanted), said, wanted));
  return agt_test_expect(scope, "test.agt:9:4", "calls(note) == 1",
                         agt_test_calls(scope, AGT_WITH_TOOL, Note) == 1,
                         nullptr, nullptr);
}
// test "goes wrong" { try { expect(2 == 3); } else err { } }
int32_t goesWrong(agt_scope *scope, Value const *, Value *) {
  Value two = agt_value_int(scope, 2), three = agt_value_int(scope, 3);
  int32_t outcome = agt_test_expect(scope, "test.agt:10:3", "2 == 3",
                                    agt_value_equals(two, three), two, three);
  return outcome == AGT_STEP_FAILED ? AGT_STEP_OK : outcome;
}
// test "mocked" { mock script "$MOCK"; expect(asks("q") == "1,0.0"); }
int32_t mocked(agt_scope *scope, Value const *, Value *) {
  static const agt_site r = site("asks");
  const char *file = std::getenv("MOCK");
  AGT_TRY(agt_test_mock(scope, "test.agt:11:2", 0, file ? file : "/none"));
  Value q = text(scope, "q"), said, wanted = text(scope, "1,0.0");
  AGT_TRY(agt_step_agent(scope, &r, 7, &q, &said));
  return agt_test_expect(scope, "test.agt:11:3", "asks(\"q\") == \"1,0.0\"",
                         agt_value_equals(said, wanted), said, wanted);
}

const char *const declarations = R"({
  "types": [{"kind": "string"}, {"kind": "int"}, {"kind": "float"},
    {"kind": "option", "of": 0}, {"kind": "list", "of": 0},
    {"kind": "record", "name": "Point", "fields": [
      {"name": "x", "type": 1}, {"name": "y", "type": 2, "min": 0, "max": 1}]},
    {"kind": "record", "name": "Output", "fields": [
      {"name": "ok", "type": 7}, {"name": "exit", "type": 1},
      {"name": "stdout", "type": 0}, {"name": "stderr", "type": 0}]},
    {"kind": "bool"}],
  "llms": [{"name": "script", "kind": "mock", "file": "/nowhere/replies.json",
    "retry": {"attempts": 2, "base": 1000000, "max": 2000000}}],
  "tools": [
    {"name": "note", "kind": "exec", "params": [{"name": "text", "type": 0}],
     "result": 0, "effect": "reconcile", "reconcile": 1},
    {"name": "find", "kind": "exec", "params": [{"name": "token", "type": 0}],
     "result": 3, "effect": "pure"},
    {"name": "once", "kind": "exec", "params": [{"name": "text", "type": 0}],
     "result": 0, "effect": "once"},
    {"name": "again", "kind": "exec", "params": [{"name": "text", "type": 0}],
     "result": 0, "effect": "idempotent",
     "retry": {"attempts": 2, "base": 1000000, "max": 2000000}},
    {"name": "shell", "kind": "exec", "params": [{"name": "code", "type": 0}],
     "result": 6, "effect": "pure", "timeout": 20000000000},
    {"name": "slow", "kind": "exec", "params": [{"name": "code", "type": 0}],
     "result": 0, "effect": "once", "timeout": 1000000000},
    {"name": "file", "kind": "http", "method": "POST",
     "params": [{"name": "text", "type": 0}], "result": 0,
     "effect": "reconcile", "reconcile": 7, "settle": 200000000,
     "timeout": 1000000000,
     "retry": {"attempts": 1, "base": 1000000, "max": 2000000}},
    {"name": "search", "kind": "http", "method": "GET",
     "params": [{"name": "token", "type": 0}], "result": 3,
     "effect": "pure"}],
  "agents": [
    {"name": "chain", "params": [{"name": "n", "type": 1}], "result": 0},
    {"name": "once", "params": [{"name": "n", "type": 1}], "result": 0},
    {"name": "again", "params": [{"name": "n", "type": 1}], "result": 0,
     "budget": {"steps": 5}},
    {"name": "forked", "params": [{"name": "xs", "type": 4}], "result": 0},
    {"name": "race", "params": [{"name": "xs", "type": 4},
      {"name": "policy", "type": 1}, {"name": "n", "type": 1},
      {"name": "ms", "type": 1}], "result": 0},
    {"name": "gate", "params": [{"name": "ms", "type": 1}], "result": 0},
    {"name": "waits", "params": [{"name": "ms", "type": 1}], "result": 0},
    {"name": "asks", "params": [{"name": "u", "type": 0}], "result": 0,
     "budget": {"tokens": 60}},
    {"name": "assistant", "params": [{"name": "u", "type": 0}], "result": 0},
    {"name": "parent", "params": [{"name": "n", "type": 1}], "result": 0},
    {"name": "runs", "params": [{"name": "code", "type": 0}], "result": 0},
    {"name": "slow", "params": [{"name": "code", "type": 0}], "result": 0},
    {"name": "reads", "params": [{"name": "path", "type": 0}], "result": 0},
    {"name": "changed", "params": [], "result": 0},
    {"name": "renamed", "params": [], "result": 0},
    {"name": "files", "params": [{"name": "text", "type": 0}],
     "result": 0},
    {"name": "builds", "params": [{"name": "xs", "type": 4}],
     "result": 0}]})";

const agt_agent_fn agents[] = {chain, onceChain, againChain, forked,    race,
                               gate,  waits,     asks,       assistant, parent,
                               runs,  slow,      reads,      changed,   renamed,
                               files, builds};

const agt_tool tools[] = {
    {noteRequest, noteReconcile}, {findRequest, nullptr},
    {noteRequest, nullptr},       {noteRequest, nullptr},
    {shellRequest, nullptr},      {shellRequest, nullptr},
    {fileRequest, noteReconcile}, {searchRequest, nullptr}};

const agt_test tests[] = {{"one effect", "test.agt:9:1", oneEffect},
                          {"goes wrong", "test.agt:10:1", goesWrong},
                          {"mocked", "test.agt:11:1", mocked}};

} // namespace

const agt_agents testAgents = {declarations,
                               agents,
                               tools,
                               tests,
                               sizeof agents / sizeof agents[0],
                               sizeof tools / sizeof tools[0],
                               sizeof tests / sizeof tests[0]};
const agt_program testAgentProgram = {
    AGT_ABI_VERSION,
    R"({"program": "test-agents", "hash": "0123", "graphs": []})",
    nullptr,
    0,
    nullptr,
    0};

} // namespace agt::rt::test
