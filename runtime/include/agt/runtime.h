/* agt/runtime.h - the one header between compiled programs and the runtime.
 *
 * A compiled graph is a C function. It does not compute: it *records*. Called
 * with the input tensors it checks their dims, works out every size, and hands
 * the runtime a list of allocations and kernel launches between
 * agt_graph_begin and agt_graph_end. Only agt_graph_end touches the device: by
 * then the whole plan is known, so that too little memory is said before the
 * work starts and the plan can be repeated for timing without the function.
 *
 * Every call returns an agt_status: NULL when all is well, else an object with
 * a code, a message and a place. No exception and no C++ type crosses this
 * header. The functions that compiled code calls are listed once, in abi.def;
 * the compiler's declarations and this header are both checked against it.
 */
#ifndef AGT_RUNTIME_H
#define AGT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AGT_ABI_VERSION 3

/* Programs and libraries export these functions whatever their visibility. */
#if defined(__GNUC__)
#define AGT_API __attribute__((visibility("default")))
#else
#define AGT_API
#endif

/* ---- status ------------------------------------------------------------ */

typedef struct agt_failure *agt_status; /* NULL: fine */

/* The codes are the exit codes of a program. */
enum agt_code {
  AGT_OK = 0,
  AGT_FAILED = 1,    /* the program failed */
  AGT_BAD_INPUT = 2, /* an argument, a file or a shape is wrong */
  AGT_WAITING = 3,
  AGT_CANCELLED = 4,
  AGT_MISSING = 5 /* a device, library or tool it needs is not there */
};

AGT_API int agt_status_code(agt_status status);            /* AGT_OK for NULL */
AGT_API const char *agt_status_message(agt_status status); /* "" for NULL */
AGT_API const char *
agt_status_place(agt_status status); /* "file:line:column" or "" */
AGT_API void agt_status_release(agt_status status); /* NULL is allowed */

/* ---- tensors ----------------------------------------------------------- */

typedef enum agt_dtype {
  AGT_F32 = 1,
  AGT_F16 = 2,
  AGT_BF16 = 3,
  AGT_F8E4M3 = 4,
  AGT_I8 = 5,
  AGT_I32 = 6,
  AGT_I64 = 7,
  AGT_BOOL = 8 /* one byte, 0 or 1 */
} agt_dtype;

/* strides are in elements, NULL for C order. Inputs belong to the caller;
 * outputs are allocated by the callee and freed with agt_tensor_release. */
typedef struct agt_tensor {
  void *data;
  agt_dtype dtype;
  int rank;
  const int64_t *shape;
  const int64_t *strides;
} agt_tensor;

AGT_API void agt_tensor_release(agt_tensor *tensor);

/* ---- context ----------------------------------------------------------- */

/* One device and the pipelines made on it. `device` is what --device takes:
 * "auto" (a GPU if there is one, else the CPU), "cpu", "vulkan", "vulkan:N",
 * "null"; NULL is "auto". A context is used by
 * one thread at a time. */
typedef struct agt_context agt_context;

AGT_API agt_status agt_context_create(const char *device, agt_context **out);
AGT_API void agt_context_destroy(agt_context *context);

/* ---- what a program holds (constant data, made by the compiler) -------- */

/* Bits of agt_kernel_variant.features. */
enum agt_feature {
  AGT_FEATURE_FLOAT16 = 1u << 0,   /* shaderFloat16 */
  AGT_FEATURE_INT64 = 1u << 1,     /* shaderInt64 */
  AGT_FEATURE_BROADCAST = 1u << 2, /* subgroup ballot/broadcast in compute */
  AGT_FEATURE_SHUFFLE = 1u << 3,   /* subgroup shuffle in compute */
  AGT_FEATURE_COOPMAT = 1u << 4,   /* cooperative matrices, f16 in, f32 sums */
  AGT_FEATURE_CPU_DRIVER = 1u << 5 /* the device is a driver on the CPU */
};

/* One SPIR-V module with the entry point "main". The workgroup size is in the
 * module. Its push constants are 64-bit addresses: first that of the launch's
 * scalars (an array of 32-bit words), then those of its buffers in order; at
 * most 15 buffers. Workgroup (x, y, z) has the linear number
 * x + y * gl_NumWorkGroups.x; those past `groups` (the first scalar) must do
 * nothing. */
typedef struct agt_kernel_variant {
  const uint32_t *code;
  uint64_t code_bytes;
  uint32_t subgroup_size; /* 0: any, else the device's must be equal */
  uint32_t features;      /* agt_feature bits it needs */
  double min_flops;       /* only for launches with at least this much work */
  int64_t tile[4];        /* how many of work[i] one workgroup takes */
  int64_t min_rows; /* only for launches with at least this much work[0] */
} agt_kernel_variant;

/* What native code needs of the processor: a level of the x86-64 psABI, or the
 * highest and more. A processor of one runs code for those below. */
enum agt_isa {
  AGT_ISA_NONE = 0,
  AGT_ISA_V3 = 3,     /* x86-64-v3: AVX2, FMA, F16C */
  AGT_ISA_V4 = 4,     /* x86-64-v4: AVX-512 F, BW, CD, DQ, VL */
  AGT_ISA_V4_BF16 = 5 /* and AVX-512 BF16: products of bf16, two a lane */
};

/* One workgroup of a kernel as native code. `scalars` are those of a SPIR-V
 * kernel: the number of workgroups, then the launch's own. `buffers` are the
 * addresses of the launch's buffers in order, 64-byte aligned, but those of
 * weights wherever their file has them; AGT_CPU_SLACK bytes beyond each may be
 * read (and mean nothing). `group` counts from 0, in any order and on any
 * thread. `scratch` is the thread's own, 64-byte aligned, with anything in
 * it. */
typedef void (*agt_cpu_fn)(const int32_t *scalars, void *const *buffers,
                           int64_t group, void *scratch);
#define AGT_CPU_SLACK 256

typedef struct agt_cpu_variant {
  agt_cpu_fn run;
  uint32_t isa;           /* agt_isa it needs */
  uint32_t scratch_bytes; /* for each thread */
  double min_flops;       /* only for launches with at least this much work */
  int64_t tile[4];        /* how many of work[i] one workgroup takes */
} agt_cpu_variant;

/* Variants stand in order of preference: the first that fits is taken. */
typedef struct agt_kernel {
  const char *name;
  const agt_kernel_variant *variants;
  uint32_t n_variants;
  uint32_t n_cpu_variants;
  const agt_cpu_variant *cpu_variants;
} agt_kernel;

typedef agt_status (*agt_graph_fn)(agt_context *, const agt_tensor *in,
                                   size_t n_in, agt_tensor *out, size_t n_out);

typedef struct agt_param {
  const char *name;
  agt_dtype dtype;
  int32_t rank;
} agt_param;

/* One axis of a mesh, e.g. "cp" of 4. */
typedef struct agt_mesh_axis {
  const char *name;
  int64_t size; /* at least 1 */
  double link;  /* bytes a second in one direction, as declared; 0: not known */
} agt_mesh_axis;

/* Positions are numbered row by row: the last axis changes fastest. */
typedef struct agt_mesh {
  const char *name;
  const char *place; /* file:line:column of the declaration */
  const agt_mesh_axis *axes;
  uint64_t n_axes; /* at least 1 */
} agt_mesh;

typedef struct agt_graph {
  const char *name;
  const char *place; /* file:line:column of the declaration */
  const agt_param *params;
  const agt_param *results;
  uint32_t n_params;
  uint32_t n_results;
  agt_graph_fn run;
  const agt_mesh *mesh; /* NULL: it runs on one device */
} agt_graph;

/* The manifest is JSON: {"program": name, "hash": hex, "graphs": [{"name",
 * "doc", "mesh"?, "policies"?: what --policy may name, "no_policy"?: why there
 * is nothing, "params": [{"name", "type"}], "results": [{"name", "type"}],
 * "hidden"?: true where people are not shown it, "inputs"?: what the program
 * itself binds behind the parameters}], "weights"?: [...], "llms"?: [...]}
 * (runtime/Program/Manifest.h). A result without a name has "". */
typedef struct agt_program {
  uint32_t abi; /* AGT_ABI_VERSION */
  const char *manifest;
  const agt_graph *graphs;
  uint64_t n_graphs;
  /* The graphs with their kernels formed, as MLIR bytecode, for --check; NULL
   * in a program that does not hold them. */
  const void *ir;
  uint64_t ir_bytes;
} agt_program;

/* The whole command line of a program (language.md section 9) that has graphs
 * alone, and that of one which has local llms as well. (A program links what it
 * calls: tokenizers and the endpoint of `serve` are of the latter alone.) */
AGT_API int agt_main(int argc, char **argv, const agt_program *program);
AGT_API int agt_main_models(int argc, char **argv, const agt_program *program);

/* ---- what compiled graphs call ----------------------------------------- */

typedef struct agt_run agt_run;       /* a plan being recorded */
typedef struct agt_buffer agt_buffer; /* a place in it; owned by the plan */

/* Starts a plan. Checks count, dtype and rank of the inputs. */
AGT_API agt_status agt_graph_begin(agt_context *context, const agt_graph *graph,
                                   const agt_tensor *in, size_t n_in,
                                   size_t n_out, agt_run **run);
/* An error found by compiled code. In `message`, {0} and {1} stand for a and
 * b. `place` is file:line:column. Never returns NULL. */
AGT_API agt_status agt_graph_fail(agt_run *run, int32_t code, const char *place,
                                  const char *message, int64_t a, int64_t b);
/* The device's copy of input `index`, in C order. */
AGT_API agt_status agt_graph_input(agt_run *run, uint64_t index,
                                   agt_buffer **buffer);
/* Room for `bytes` bytes (0 is fine), rounded up to whole words inside. */
AGT_API agt_status agt_graph_alloc(agt_run *run, int64_t bytes,
                                   agt_buffer **buffer);
/* Room for `bytes` bytes that hold a copy of `data` before the first launch. */
AGT_API agt_status agt_graph_constant(agt_run *run, const void *data,
                                      int64_t bytes, agt_buffer **buffer);
/* Input `input` has to hold the offsets of packed sequences: from 0, none below
 * the one before it, at most `tokens`. */
AGT_API agt_status agt_graph_check_offsets(agt_run *run, uint64_t input,
                                           int64_t tokens, const char *place);
/* One input has to hold a finite scale for each head and `block` tokens of
 * another, of 8-bit elements, that is not 0 where these are not. They are
 * [..., heads, tokens, dim], or [..., tokens, heads, dim] where heads_first is
 * 0. */
AGT_API agt_status agt_graph_check_scales(agt_run *run, uint64_t scales_input,
                                          uint64_t values_input, int64_t block,
                                          int32_t heads_first,
                                          const char *place);
/* The frequencies of a rotary embedding over `dims` elements, as a constant:
 * dims / 2 rows of two words (low, high), round(scale * base^(-2i/dims) /
 * (2 pi) * 2^64) modulo 2^64. */
AGT_API agt_status agt_graph_rope_table(agt_run *run, int64_t dims, double base,
                                        double scale, agt_buffer **buffer);
/* No launch after this one uses the buffer: its room may be used again. */
AGT_API agt_status agt_graph_free(agt_run *run, agt_buffer *buffer);
/* One kernel over work[0] x work[1] x work[2] x work[3] items: the number of
 * workgroups is the product of ceil(work[i] / tile[i]), none of them if that
 * is 0. The scalars a kernel sees are: the number of workgroups, then
 * `scalars`, each of which must fit 32 bits, signed (the bits of a float are
 * sign-extended). `flops` are the useful operations, `name` is the phase in
 * --stats, `place` the author's line. Launches run in order, each seeing what
 * those before it wrote. */
AGT_API agt_status agt_graph_launch(agt_run *run, const agt_kernel *kernel,
                                    agt_buffer *const *buffers,
                                    uint64_t n_buffers, const int64_t *scalars,
                                    uint64_t n_scalars, const int64_t work[4],
                                    double flops, const char *name,
                                    const char *place);
/* The launch recorded last is an attention that visits `bytes` bytes of keys
 * and values: of those in a block (of 128 keys) that the positions of its
 * queries let one of them see, each once, whatever only data hides. Where that
 * launch had no work it visits none. --stats shows it, nothing else goes by it.
 */
AGT_API agt_status agt_graph_kv_read(agt_run *run, double bytes);
/* The buffer now has the next value of the graph's IR: the results of its
 * kernels in order, which --check looks at. */
AGT_API agt_status agt_graph_value(agt_run *run, agt_buffer *buffer);
/* Result `index` is the buffer's content, in C order. */
AGT_API agt_status agt_graph_output(agt_run *run, uint64_t index,
                                    agt_buffer *buffer, const int64_t *shape);
/* Runs the plan and fills `out`. The plan is gone afterwards, whatever it
 * returns; a plan that never ends goes with its context. */
AGT_API agt_status agt_graph_end(agt_run *run, agt_tensor *out);

/* ---- graphs on a mesh ---------------------------------------------------- *
 *
 * A graph on a mesh is recorded once for each position, by one function that
 * asks where it is (agt_graph_position). The plans of all positions run at the
 * same time and meet only where they exchange buffers. A position records what
 * it does in order; all the functions above but agt_graph_begin and
 * agt_graph_end may be used.
 */

/* Records the plan of one position; `in` are the caller's whole arrays. */
typedef agt_status (*agt_record_fn)(agt_run *run, const agt_tensor *in);

/* What agt_graph_begin, a recording and agt_graph_end do on one device, for
 * all positions of graph->mesh. */
AGT_API agt_status agt_mesh_run(agt_context *context, const agt_graph *graph,
                                agt_record_fn record, const agt_tensor *in,
                                size_t n_in, agt_tensor *out, size_t n_out);
/* The same for a graph whose rings can go either way: keys and values go round,
 * or queries go to the keys and partial results back. The run takes the way
 * that --policy names, else the one whose transfers cost less. */
AGT_API agt_status agt_mesh_run_either(agt_context *context,
                                       const agt_graph *graph,
                                       agt_record_fn pass_kv,
                                       agt_record_fn pass_q,
                                       const agt_tensor *in, size_t n_in,
                                       agt_tensor *out, size_t n_out);

/* Keys of a leaf: attention of a program that is compiled to be reproducible
 * merges blocks of so many keys in one fixed tree. */
#define AGT_LEAF_KEYS 128

/* Which tokens a part of a dim holds. Of S tokens in n pieces the first S mod
 * n pieces hold one more than the others; where pieces are whole leaves, one
 * leaf more. */
enum agt_balance {
  AGT_CONTIGUOUS = 0,   /* part r of W is piece r of W */
  AGT_ZIGZAG = 1,       /* pieces r and 2W - 1 - r of 2W, in this order */
  AGT_STRIPED = 2,      /* tokens r, r + W, r + 2W, ... */
  AGT_LEAVES = 3,       /* AGT_CONTIGUOUS of whole leaves */
  AGT_ZIGZAG_LEAVES = 4 /* AGT_ZIGZAG of whole leaves */
};

/* How dim `dim` of a tensor is cut: in `parts` parts, of which position p holds
 * part (p / step) % parts. */
typedef struct agt_split {
  int32_t dim;
  int32_t parts;
  int32_t step;
  int32_t balance; /* agt_balance */
} agt_split;

/* Attention of which the bits depend neither on how keys are cut nor on how
 * they are launched. Blocks of AGT_LEAF_KEYS keys, the leaves, are attended
 * each by itself, and what they come to is merged in one binary tree over their
 * numbers. `slots` is where that is kept; it grows with what is added.
 * `tokens` keys are cut as `split` says (dim and step are not used). */
AGT_API agt_status agt_graph_leaves(agt_run *run, int64_t tokens,
                                    const agt_split *split, agt_buffer **slots);
/* One step: queries meet a part of the keys. The kernel attends some blocks of
 * keys a launch; the last five of its scalars are written here: how many, 1,
 * the number of the first, the slot of the first (slot i + 1 follows
 * `slot_bytes` bytes behind slot i), and, for the kernel that merges, how many
 * merges there are. That takes the slots and a list of triples of i32 (into,
 * left, right); `right` is below 0 where `left` is moved. */
typedef struct agt_leaf_step {
  const agt_kernel *kernel;
  const agt_kernel *merge_kernel;
  agt_buffer *const *buffers; /* `slots` among them, wherever it belongs */
  uint64_t n_buffers;
  const int64_t *scalars;
  uint64_t n_scalars;
  const int64_t
      *work;    /* four, of one block: work[1] and [2] grow with blocks */
  int64_t rows; /* of the merging */
  int64_t slot_bytes;
  double flops;
  double kv_bytes; /* of agt_graph_kv_read */
  const char *name;
  const char *place;
  int64_t enabled; /* 0: no query sees any of these keys */
} agt_leaf_step;
AGT_API agt_status agt_graph_attend_leaves(agt_run *run, agt_buffer *slots,
                                           int64_t part,
                                           const agt_leaf_step *step);
/* The slot of what all keys come to, once all parts are there. */
AGT_API agt_status agt_graph_root(agt_run *run, agt_buffer *slots,
                                  int64_t *slot);

/* What an exchange carries; --stats counts AGT_MOVE_AUX apart. */
enum agt_move {
  AGT_MOVE_KV = 0,      /* keys and values */
  AGT_MOVE_QUERY = 1,   /* queries */
  AGT_MOVE_PARTIAL = 2, /* partial results of attention */
  AGT_MOVE_AUX = 3,     /* positions, segments, scales */
  AGT_MOVE_VALUE = 4    /* any other value of the graph */
};

/* The number of the position that is being recorded. */
AGT_API agt_status agt_graph_position(agt_run *run, int64_t *position);
/* This position's part of input `index`, in C order. */
AGT_API agt_status agt_graph_input_part(agt_run *run, uint64_t index,
                                        const agt_split *splits,
                                        uint64_t n_splits, agt_buffer **buffer);
/* The buffer is this position's part of result `index`, whose whole shape is
 * `shape`. Where several positions hold the same part, the first gives it. */
AGT_API agt_status agt_graph_output_part(agt_run *run, uint64_t index,
                                         agt_buffer *buffer,
                                         const int64_t *shape,
                                         const agt_split *splits,
                                         uint64_t n_splits);
/* The positions in the whole (i32) of the tokens that part `part` of `tokens`
 * tokens holds, as a constant; split->dim and split->step are not used. */
AGT_API agt_status agt_graph_token_positions(agt_run *run, int64_t tokens,
                                             const agt_split *split,
                                             int64_t part, agt_buffer **buffer);
/* Sends `send_bytes` bytes of `send` to position `to` and receives
 * `receive_bytes` bytes into `receive` from position `from`; where a count is 0
 * nothing goes that way, and the buffer may be NULL. What was recorded before
 * has written `send`; what is recorded from here on runs while the bytes
 * travel and must not write `send` nor touch `receive` before the ticket is
 * awaited. Between two positions exchanges match in the order in which they are
 * recorded. `axis` is the axis of the mesh whose links carry it. */
AGT_API agt_status agt_graph_exchange(agt_run *run, agt_buffer *send,
                                      int64_t to, int64_t send_bytes,
                                      agt_buffer *receive, int64_t from,
                                      int64_t receive_bytes, int32_t move,
                                      const char *axis, const char *name,
                                      const char *place, int64_t *ticket);
/* What is recorded from here on runs after the exchange is over. */
AGT_API agt_status agt_graph_await(agt_run *run, int64_t ticket);
/* The whole of a tensor of which every position holds a part, in C order:
 * positions that differ in no split's axis hold copies, and each position
 * receives what it lacks from the nearest before it. `shape` is the whole's.
 * Splits of dim -1 cut no dim of `shape`: positions that hold the same part of
 * each gather among themselves, and others may gather other values. */
AGT_API agt_status agt_graph_gather(agt_run *run, agt_buffer *part,
                                    const int64_t *shape, int64_t rank,
                                    int64_t element_bytes,
                                    const agt_split *splits, uint64_t n_splits,
                                    const char *axis, const char *name,
                                    const char *place, agt_buffer **whole);
/* What an attention lets be seen by positions. Queries and keys are cut in
 * `parts` parts each; `left` and `right` are the sides of a window, -1 where
 * there is no limit; the first `pin` keys stay visible through it. */
typedef struct agt_view {
  int32_t parts;
  int32_t query_balance; /* agt_balance */
  int32_t key_balance;
  int32_t causal;
  int64_t left;
  int64_t right;
  int64_t pin;
} agt_view;

/* Whether a query of part `query_part` of `queries` tokens sees any key of part
 * `key_part` of `keys` (1 or 0). Query i stands at position i + offset, key j
 * at j. */
AGT_API agt_status agt_graph_sees(agt_run *run, const agt_view *view,
                                  int64_t queries, int64_t keys, int64_t offset,
                                  int64_t query_part, int64_t key_part,
                                  int64_t *sees);
/* Whether a part that meets the shard of `owner` after step `step` of a ring
 * sees any of its keys: in step t the shard is at part (owner + t) % parts. */
AGT_API agt_status agt_graph_needed(agt_run *run, const agt_view *view,
                                    int64_t queries, int64_t keys,
                                    int64_t offset, int64_t owner, int64_t step,
                                    int64_t *needed);
/* Notes that step `step` of a ring meets the shard of position `owner`;
 * `attended` is 0 where no query of this position can see any of its keys.
 * --stats counts the steps, --trace shows them. */
AGT_API agt_status agt_graph_hop(agt_run *run, int64_t step, int64_t owner,
                                 int64_t attended, const char *name);

#ifdef __cplusplus
}
#endif

#endif /* AGT_RUNTIME_H */
