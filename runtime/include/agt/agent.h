/* agt/agent.h - what compiled agents and the runtime say to each other.
 *
 * An agent is a plain blocking C function. Whatever touches the world is a
 * *step*: a call of this header that the step log answers when it knows the
 * result, and that is carried out, recorded and answered when it does not. The
 * function keeps nothing else: to go on after a crash it is simply called
 * again with the same arguments. So it must be deterministic: it reads no
 * clock, no environment, no memory but its arguments, constants and what the
 * functions here return, and it makes the same calls in the same order as long
 * as it gets the same results. (Branches of a fork run on threads of their
 * own; each of them for itself is such a function.)
 *
 * Outcomes. Calls that may fail return an agt_outcome. On AGT_STEP_OK the
 * result is there. On AGT_STEP_FAILED the failure is kept with the scope; the
 * function either handles it at once (`try`: agt_scope_caught) or returns
 * AGT_STEP_FAILED itself. On anything greater (agt_outcome > AGT_STEP_FAILED)
 * it must return the same number at once without calling anything but this:
 * the run waits, is cancelled or has stopped, and `try` does not see it.
 *
 * Values are immutable, owned by the execution, and freed with it: compiled
 * code frees nothing. They may be read on every thread. NULL is the value
 * `none`. The compiler has checked the types, so the accessors check nothing:
 * calling one on a value of another kind is undefined.
 *
 *   language             value
 *   none                 NULL
 *   bool, int, float     AGT_BOOL_VALUE, AGT_INT, AGT_FLOAT
 *   duration             AGT_INT, nanoseconds
 *   string               AGT_STRING: UTF-8, any bytes of it, NUL included
 *   enum E               AGT_STRING: the value's name
 *   bytes                AGT_BYTES (base64 in JSON)
 *   T?                   NULL or a T (T?? is T?)
 *   list<T>, (A, B)      AGT_LIST
 *   record R             AGT_RECORD, fields in declared order
 *   Message, Output      records of the same order as in language.md
 *   result<T>            AGT_RECORD [ok: bool, value: T?, error: string?,
 *                        key: string]; type index -1
 *   err of `try`         AGT_RECORD [step: string, message: string]; -1
 *   handle<T>            AGT_HANDLE
 *   context              AGT_RECORD [llm: string, text: string?,
 *                        tokens: list<int>?]
 *   tensor<...>          AGT_TENSOR, in tests alone
 *
 * Texts (`text`, `name`, ...) given as const char * are UTF-8, end with NUL and
 * are constants of the program. Durations are nanoseconds; AGT_NEVER is "not
 * given". Indices count the declarations of agt_agents.declarations from 0.
 */
#ifndef AGT_AGENT_H
#define AGT_AGENT_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct agt_scope agt_scope; /* a prefix of step paths; see below */
typedef struct agt_value agt_value; /* always used as const agt_value * */

enum agt_outcome {
  AGT_STEP_OK = 0,
  AGT_STEP_FAILED = 1,    /* what `try` catches */
  AGT_STEP_SUSPENDED = 2, /* a wait outlives the process */
  AGT_STEP_CANCELLED = 3,
  AGT_STEP_STOPPED = 4 /* replay differs, the log refuses a write, ... */
};

#define AGT_NEVER ((int64_t)-1)
#define AGT_NO_INDEX ((uint32_t)-1)

/* An agent or a `fn` that runtime functions call: `args` are as many as it is
 * declared with. `*result` is set on AGT_STEP_OK only. */
typedef int32_t (*agt_agent_fn)(agt_scope *scope, const agt_value *const *args,
                                const agt_value **result);

/* ---- where a step stands ------------------------------------------------
 *
 * The path of a step is the scope's prefix and the step's name. Loops and node
 * visits enter a scope of their own, forks and children make theirs inside the
 * runtime. A scope is used by one thread at a time; a branch gets its own, and
 * must not use its parent's.
 */

/* The scope NAME#index inside `parent`: iteration `index` of the loop over
 * NAME, or visit `index` (from 0, counted for each node) of the node NAME.
 * Cheap; returns the same failure slot as its parent's. Never NULL. */
AGT_API agt_scope *agt_scope_enter(agt_scope *parent, const char *name,
                                   int64_t index);

/* What the compiler knows of one step. A constant of the program. */
typedef struct agt_site {
  const char *name;  /* the segment: `ask.planner`, `issue`, ... */
  const char *was;   /* the segment in an older program, or NULL */
  const char *hash;  /* hex, of the step's meaning (durability.md section 6) */
  const char *place; /* file:line:column */
  int32_t on_change; /* agt_on_change */
} agt_site;

enum agt_on_change {
  AGT_CHANGE_FAIL = 0,
  AGT_CHANGE_KEEP = 1,
  AGT_CHANGE_RERUN = 2
};

/* ---- failures ---------------------------------------------------------- */

/* `fail`, a false `assert`, a `while` past its max: keeps the failure and
 * returns AGT_STEP_FAILED. err.step is the scope's path ("" at the root), and
 * the text of `message` (agt_text_join's rules) is err.message. A `place` is
 * where the author looks: file:line:column, shown when the run fails of it. */
AGT_API int32_t agt_scope_fail(agt_scope *scope, const char *place,
                               const agt_value *message);
/* The same for a constant message, with {0} and {1} standing for a and b. */
AGT_API int32_t agt_scope_fail_with(agt_scope *scope, const char *place,
                                    const char *message, int64_t a, int64_t b);
/* The failure that made a call return AGT_STEP_FAILED, as the record
 * [step, message]; it is forgotten by that. */
AGT_API const agt_value *agt_scope_caught(agt_scope *scope);

/* ---- values ------------------------------------------------------------ */

enum agt_kind {
  AGT_NONE = 0,
  AGT_BOOL_VALUE = 1,
  AGT_INT = 2,
  AGT_FLOAT = 3,
  AGT_STRING = 4,
  AGT_BYTES = 5,
  AGT_LIST = 6,
  AGT_RECORD = 7,
  AGT_HANDLE = 8,
  AGT_TENSOR = 10
};

AGT_API int32_t agt_value_kind(const agt_value *value);
AGT_API const agt_value *agt_value_bool(agt_scope *scope, int32_t truth);
AGT_API const agt_value *agt_value_int(agt_scope *scope, int64_t number);
AGT_API const agt_value *agt_value_float(agt_scope *scope, double number);
/* A constant string: the bytes are not copied. */
AGT_API const agt_value *agt_value_string(agt_scope *scope, const char *bytes,
                                          uint64_t n_bytes);
/* Copies the array of elements, not the elements. */
AGT_API const agt_value *
agt_value_list(agt_scope *scope, const agt_value *const *elements, uint64_t n);
/* `type` is the index of a record type. A field out of its declared range
 * fails: the outcome is AGT_STEP_FAILED then. */
AGT_API int32_t agt_value_record(agt_scope *scope, const char *place,
                                 uint32_t type, const agt_value *const *fields,
                                 uint64_t n, const agt_value **result);

AGT_API int32_t agt_value_is_true(const agt_value *value); /* 0 or 1 */
AGT_API int64_t agt_value_as_int(const agt_value *value);
AGT_API double agt_value_as_float(const agt_value *value); /* an int's too */
/* Elements of a list, code points of a string, bytes of bytes. */
AGT_API int64_t agt_value_length(const agt_value *value);
/* Field `index` of a record in declared order. */
AGT_API const agt_value *agt_value_field(const agt_value *record,
                                         uint64_t index);
/* Element `index` of a list, which is in range (loops over a list). */
AGT_API const agt_value *agt_value_at(const agt_value *list, int64_t index);
/* list[index] as the language has it: out of range fails. */
AGT_API int32_t agt_value_element(agt_scope *scope, const char *place,
                                  const agt_value *list, int64_t index,
                                  const agt_value **result);
/* == of the language: deep; an int equals a float of the same number. */
AGT_API int32_t agt_value_equals(const agt_value *a, const agt_value *b);
/* Less than 0, 0, more than 0: numbers by size, strings by bytes, bools false
 * first, lists element by element; none before all else. NaN is equal to
 * itself and greater than every number. */
AGT_API int32_t agt_value_compare(const agt_value *a, const agt_value *b);
/* a + b for two strings or two lists. */
AGT_API const agt_value *agt_value_concat(agt_scope *scope, const agt_value *a,
                                          const agt_value *b);
/* An interpolated string: the texts of the parts, one behind the other. The
 * text of a string (and of an enum's value) is itself, everything else is
 * canonical JSON: keys in bytewise order, no blanks, integers in decimal,
 * floats as the shortest decimal that reads back, with a point or an exponent,
 * strings escaped no more than JSON asks for. */
AGT_API const agt_value *
agt_text_join(agt_scope *scope, const agt_value *const *parts, uint64_t n);

/* Lists of unknown length (comprehensions). A builder is used by one thread
 * and is gone with agt_list_end. agt_list_add returns the builder. */
typedef struct agt_list_builder agt_list_builder;
AGT_API agt_list_builder *agt_list_begin(agt_scope *scope);
AGT_API agt_list_builder *agt_list_add(agt_list_builder *builder,
                                       const agt_value *element);
AGT_API const agt_value *agt_list_end(agt_list_builder *builder);

/* Checked 64-bit arithmetic: overflow, and division by zero, fail. */
enum agt_int_op {
  AGT_INT_ADD = 0,
  AGT_INT_SUB = 1,
  AGT_INT_MUL = 2,
  AGT_INT_DIV = 3, /* truncates */
  AGT_INT_REM = 4, /* the sign of a */
  AGT_INT_NEG = 5  /* of a */
};
AGT_API int32_t agt_int_calculate(agt_scope *scope, const char *place,
                                  int32_t op, int64_t a, int64_t b,
                                  int64_t *result);

/* The pure functions of language.md section 5 by their number in library.def,
 * which also says how many arguments each takes and what they are. */
#define AGT_LIBRARY(NAME, MIN, MAX, SIGNATURE) AGT_LIB_##NAME,
enum agt_library_function {
#include "library.def"
  AGT_LIB_COUNT
};
AGT_API int32_t agt_library_call(agt_scope *scope, const char *place,
                                 int32_t function, const agt_value *const *args,
                                 uint64_t n_args, const agt_value **result);
/* parse<T>(text): JSON text read as a value of the type; fails with what was
 * expected and where. */
AGT_API int32_t agt_value_parse(agt_scope *scope, const char *place,
                                uint32_t type, const agt_value *text,
                                const agt_value **result);

/* ---- steps ------------------------------------------------------------- */

/* A call of tool `tool` with as many arguments as it is declared with. */
AGT_API int32_t agt_step_tool(agt_scope *scope, const agt_site *site,
                              uint32_t tool, const agt_value *const *args,
                              const agt_value **result);

/* `ask`. What the source does not give is NULL. `user`, `system`, `messages`
 * as in the language; the answer is a value of the type `type`. */
typedef struct agt_ask {
  uint32_t llm;
  uint32_t type; /* index of the answer's type */
  const agt_value *context;
  const agt_value *system;
  const agt_value *user;
  const agt_value *messages;    /* list of Message */
  const agt_value *max;         /* int: calls of tools */
  const agt_value *temperature; /* float or int */
  const agt_value *tokens;      /* int */
  const agt_value *seed;        /* int */
  const agt_value *stop;        /* list of strings */
  const uint32_t *tools;        /* indices of tools the model may call */
  uint64_t n_tools;
} agt_ask;
AGT_API int32_t agt_step_ask(agt_scope *scope, const agt_site *site,
                             const agt_ask *ask, const agt_value **result);
/* prefix(llm, text): the result is a context for agt_ask. */
AGT_API int32_t agt_step_prefix(agt_scope *scope, const agt_site *site,
                                uint32_t llm, const agt_value *text,
                                const agt_value **result);

/* Another agent as a child: its steps have paths below SITE/AGENT, and it is
 * over before this returns. */
AGT_API int32_t agt_step_agent(agt_scope *scope, const agt_site *site,
                               uint32_t agent, const agt_value *const *args,
                               const agt_value **result);

/* approve TEXT by ROLE within D else OTHERWISE: *answer is 0 or 1. */
AGT_API int32_t agt_step_approve(agt_scope *scope, const agt_site *site,
                                 const agt_value *text, const agt_value *role,
                                 int64_t within, int32_t otherwise,
                                 int32_t *answer);
AGT_API int32_t agt_step_sleep(agt_scope *scope, const agt_site *site,
                               int64_t duration);
AGT_API int32_t agt_step_emit(agt_scope *scope, const agt_site *site,
                              const agt_value *text);
/* receive NAME -> T? within D: NULL when the time is over. `type` is T. */
AGT_API int32_t agt_step_receive(agt_scope *scope, const agt_site *site,
                                 const char *name, uint32_t type,
                                 int64_t within, const agt_value **result);

/* What control code may read of the world, as recorded steps. */
enum agt_reading {
  AGT_READ_NOW = 0,    /* seconds since 1970, float */
  AGT_READ_RANDOM = 1, /* float in [0, 1) */
  AGT_READ_UUID = 2,   /* string, version 4 */
  AGT_READ_ENV = 3,    /* argument: name; a string, or NULL where unset */
  AGT_READ_FILE = 4,   /* argument: path; string; fails when not UTF-8 */
  AGT_READ_HANDLE = 5  /* argument: handle; what it stands for */
};
/* `type` is the type of the result. */
AGT_API int32_t agt_step_read(agt_scope *scope, const agt_site *site,
                              int32_t reading, uint32_t type,
                              const agt_value *argument,
                              const agt_value **result);

/* ---- fork -------------------------------------------------------------- */

enum agt_policy {
  AGT_POLICY_ALL = 0,     /* result: list of T */
  AGT_POLICY_COLLECT = 1, /* list of result<T>; n: least successes */
  AGT_POLICY_QUORUM = 2,  /* list of result<T>; n: successes that are enough */
  AGT_POLICY_FIRST = 3    /* T */
};

/* One branch. `captures` is agt_fork.captures: the outer names it reads. It
 * runs on any thread, at the same time as the others. `yield v` is *result = v
 * and AGT_STEP_OK. */
typedef int32_t (*agt_branch_fn)(agt_scope *scope, const void *captures,
                                 const agt_value *item, int64_t index,
                                 const agt_value **result);

typedef struct agt_fork {
  agt_branch_fn branch;
  const void *captures;   /* read until agt_step_fork returns, not after */
  const agt_value *items; /* list */
  const agt_value *keys;  /* list of as many values, or NULL: the indices */
  int64_t width;          /* branches at the same time; 0: not given (all) */
  int64_t max;            /* more items than that fail; AGT_NEVER: no bound */
  int64_t deadline;       /* from the fork's first start; AGT_NEVER */
  int64_t n;              /* of collect and quorum */
  int32_t policy;         /* agt_policy */
  uint32_t type;          /* of what a branch yields */
} agt_fork;
AGT_API int32_t agt_step_fork(agt_scope *scope, const agt_site *site,
                              const agt_fork *fork, const agt_value **result);

/* ---- join, rerank ------------------------------------------------------ */

enum agt_join_kind {
  AGT_JOIN_FLATTEN = 0,
  AGT_JOIN_DEDUPE = 1,   /* by field `field`: the first one stays */
  AGT_JOIN_RANK = 2,     /* by field `field`, stable; n = 1: desc */
  AGT_JOIN_TAKE = 3,     /* the first n */
  AGT_JOIN_EVIDENCE = 4, /* stores what fields of type handle hold apart */
  AGT_JOIN_REDUCE = 5,   /* n: fanin; `with`, `index`, `function` */
  AGT_JOIN_BUDGET = 6    /* n: tokens; drops from the end */
};
enum agt_with {
  AGT_WITH_LLM = 0,     /* index of an llm */
  AGT_WITH_TOOL = 1,    /* index of a tool of one parameter, list<T> */
  AGT_WITH_FUNCTION = 2 /* `function`, list<T> to list<T> */
};
typedef struct agt_join_op {
  int32_t kind;  /* agt_join_kind */
  int32_t field; /* index of a field */
  int64_t n;
  int32_t with;   /* agt_with */
  uint32_t index; /* of the llm or tool */
  agt_agent_fn function;
} agt_join_op;
/* `list` may be a list<T>, a list<list<T>> or a list<result<...>> (then
 * `results` is 1: failures are dropped, which is recorded). `type` is the type
 * of the result, list<T>. */
AGT_API int32_t agt_step_join(agt_scope *scope, const agt_site *site,
                              const agt_value *list, int32_t results,
                              uint32_t type, const agt_join_op *ops,
                              uint64_t n_ops, const agt_value **result);
/* rerank(docs, query, with = ..., take = k): a list of k of the texts. */
AGT_API int32_t agt_step_rerank(agt_scope *scope, const agt_site *site,
                                const agt_value *docs, const agt_value *query,
                                int32_t with, uint32_t index, int64_t take,
                                const agt_value **result);

/* ---- the program ------------------------------------------------------- */

/* The parts of a tool that depend on its arguments. `args` are the tool's
 * arguments and, one behind them, the token. They may call the library, but no
 * step, and the library functions ENV and SECRET, which read the environment
 * and record nothing, only here. Nothing of what `request` returns is recorded.
 *   exec:  [argv: list<string>, stdin: string | bytes | none]
 *   http:  [url: string, body: any or none,
 *           headers: list of [name: string, value: string]]
 *   mcp:   NULL function
 * `reconcile` returns the list of the arguments of F; NULL without one. */
typedef struct agt_tool {
  agt_agent_fn request;
  agt_agent_fn reconcile;
} agt_tool;

/* A `test` block: a function without arguments whose scope is a run of its own
 * on a log in memory. It calls agents by agt_step_agent. */
typedef struct agt_test {
  const char *name;
  const char *place;
  agt_agent_fn run;
} agt_test;

/* `declarations` is JSON, described in docs/Agents.md. agents[i], tools[i]
 * belong to its i-th agent and tool. */
typedef struct agt_agents {
  const char *declarations;
  const agt_agent_fn *agents;
  const agt_tool *tools;
  const agt_test *tests;
  uint64_t n_agents;
  uint64_t n_tools;
  uint64_t n_tests;
} agt_agents;

/* mock LLM FILE: until the test ends, the llm is a scripted mock. `file` is
 * absolute. */
AGT_API int32_t agt_test_mock(agt_scope *scope, const char *place, uint32_t llm,
                              const char *file);
/* calls(LLM) and calls(TOOL): attempts made so far in this test. `with` is
 * AGT_WITH_LLM or AGT_WITH_TOOL. */
AGT_API int64_t agt_test_calls(agt_scope *scope, int32_t with, uint32_t index);
/* expect(a == b): fails with `text`, the source of the condition, and both
 * values when `truth` is 0. For other conditions a and b are NULL. */
AGT_API int32_t agt_test_expect(agt_scope *scope, const char *place,
                                const char *text, int32_t truth,
                                const agt_value *a, const agt_value *b);

/* randn([...], seed = n): element i of a tensor of f32 is number i % 4 of four
 * that Philox4x32-10 gives for the counter i / 4 and the key n, made normal by
 * the method of Box and Muller (docs/Agents.md). Fails for a size below 0 and
 * for more bytes than there are. */
AGT_API int32_t agt_test_randn(agt_scope *scope, const char *place,
                               const int64_t *shape, uint64_t rank,
                               int64_t seed, const agt_value **result);
/* A call of a graph: one tensor for each of its parameters; its weights are
 * bound. Several results are a list. What would fail a run fails the test. */
AGT_API int32_t agt_test_graph(agt_scope *scope, const char *place,
                               const agt_graph *graph,
                               const agt_value *const *args, uint64_t n_args,
                               const agt_value **result);
/* expect_close(a, b): fails with `text`, the source of both, and the elements
 * that differ most unless |a - b| <= atol + rtol * |b| everywhere. */
AGT_API int32_t agt_test_close(agt_scope *scope, const char *place,
                               const char *text, const agt_value *a,
                               const agt_value *b, double atol, double rtol);

/* The command line of a program that has agents; it may have graphs as well.
 * (Programs without agents call agt_main, and so link none of this.) With the
 * hidden command `test` it runs the tests, for `agtc test`. */
AGT_API int agt_main_agents(int argc, char **argv, const agt_program *program,
                            const agt_agents *agents);

/* Runs an agent, or goes on with the run `run_id`, as `EXE start` does, in the
 * database `db` (NULL: AGT_DB, else sqlite:agt.db; ":memory:" for tests).
 * `run_id` may be NULL for a new run, `args_json` for those of a known one.
 * *result_json is freed with agt_text_release. The code of the status is the
 * exit code of section 9. For the NAME_start functions of libraries. */
AGT_API agt_status agt_agent_start(const agt_program *program,
                                   const agt_agents *agents, uint32_t agent,
                                   const char *db, const char *run_id,
                                   const char *args_json, char **result_json);
AGT_API void agt_text_release(char *text);

#ifdef __cplusplus
}
#endif

#endif /* AGT_AGENT_H */
