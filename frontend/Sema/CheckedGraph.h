// A graph after checking: a flat list of instructions on typed values, in the
// order in which the author wrote them, with loops unrolled, defaults filled in
// and shapes worked out. What could not be proved stands in it as Require.
// Lowering (frontend/Lower) translates it op by op; nothing here depends on
// MLIR.
#ifndef AGT_FRONTEND_SEMA_CHECKEDGRAPH_H
#define AGT_FRONTEND_SEMA_CHECKEDGRAPH_H

#include "frontend/AST/Decl.h"
#include "frontend/Sema/Types.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace agt::sema {

/// An index into CheckedGraph::values.
using ValueId = uint32_t;
constexpr ValueId noValue = ~ValueId(0);

struct CheckedValue {
  /// An f64 number rather than a tensor.
  bool scalar = false;
  TensorType type;
};

enum class Op : uint8_t {
  // Element by element; tensors that broadcast to the result.
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Max,
  Min,
  And,
  Or,
  Compare, // `compare`
  Select,
  // Of one tensor.
  Neg,
  Abs,
  Not,
  Exp,
  Log,
  Sqrt,
  Rsqrt,
  Tanh,
  Sigmoid,
  Silu,
  Gelu,
  GeluTanh,
  Relu,
  Cos,
  Sin,
  Cast,
  // The same tensor under a type that knows dims which a check has settled.
  Refine,
  // A number as a tensor of rank 0: dims[0], or the f64 operand.
  Scalar,
  // Products, reductions, norms; an absent bias is noValue.
  Matmul,
  Linear,
  Reduce, // `reduction`, `axis`, `flag` for keep
  Argmax, // `axis`
  Topk,   // `count`
  Softmax,
  RmsNorm,   // `number` for eps
  LayerNorm, // `number` for eps
  Rope,     // `number` for base, `second` for scale, `flag` for halves, `count`
            // for dims (-1: all)
  Quantize, // `count` for the block
  Dequantize,
  UnpackBlocks, // `text` for the format
  // Movement.
  Reshape,   // dims: the new shape
  Transpose, // `permutation`
  Slice,     // `axis`, dims: start, stop
  Concat,    // `axis`
  Iota,      // dims: size
  Full,      // dims: the shape, then the value unless it is the f64 operand
  Embed,
  Attention, // `attention`
  // Rows put into a cache: the cache, the rows, their places.
  CacheAppend,
  // The same tensor, and how it lies on the mesh: `shard`.
  Shard,
  // The graph `text`, `flag` when on one device.
  Call,
  // `predicate` of dims[0] and dims[1], else `text` about these, or about the
  // two that follow them.
  Require,
  Return,
  // f64 numbers: `number`; dims[0]; `function` of one or two operands.
  NumberConst,
  NumberOfInt,
  NumberFunction,
};

enum class Reduction : uint8_t { Sum, Mean, Max, Min };
enum class Predicate : uint8_t { Equal, LessOrEqual };

/// Operands and attributes of attention by name; absent ones are noValue.
struct AttentionArgs {
  ValueId scale = noValue;
  std::vector<ValueId> masks;
  ValueId bias = noValue, sink = noValue, alibi = noValue;
  ValueId qPos = noValue, kvPos = noValue;
  ValueId qSeg = noValue, kvSeg = noValue;
  ValueId qCu = noValue, kvCu = noValue;
  ValueId kvLen = noValue;
  ValueId kScale = noValue, vScale = noValue;
  enum Causal { None, TopLeft, BottomRight } causal = None;
  std::optional<int64_t> left, right;
  int64_t pin = 0;
  std::optional<double> softcap;
  std::optional<int64_t> kBlock, vBlock;
  bool shd = false;
};

/// How the dims of a value lie on the graph's mesh.
struct ShardArgs {
  enum Balance { Contiguous, Zigzag, Striped };
  struct Split {
    unsigned dim;
    std::vector<std::string> axes;
    Balance balance = Contiguous;
  };
  std::vector<Split> splits;
  bool ulysses = false;
};

struct Inst {
  Op op;
  llvm::SMRange range;
  llvm::SmallVector<ValueId, 3> operands;
  llvm::SmallVector<ValueId, 1> results;
  // What the op needs besides, as its enumerator says.
  llvm::SmallVector<Dim, 2> dims;
  llvm::SmallVector<int64_t, 0> permutation;
  int64_t axis = 0;
  int64_t count = 0;
  double number = 0;
  double second = 0;
  bool flag = false;
  ast::CompareOp compare = ast::CompareOp::Eq;
  Reduction reduction = Reduction::Sum;
  Predicate predicate = Predicate::Equal;
  Op function = Op::Add;
  std::string text;
  std::shared_ptr<AttentionArgs> attention;
  std::shared_ptr<ShardArgs> shard;

  Inst(Op op, llvm::SMRange range) : op(op), range(range) {}
};

/// What a parameter kv<M> is a cache of.
struct CacheInfo {
  const ast::ModelDecl *model = nullptr;
  int64_t layers = 0;
  int64_t heads = 0; // of keys and values
  int64_t headDim = 0;
  DType dtype = DType::F32;
  /// 0 where the model does not say.
  int64_t vocab = 0;
  /// The parameter whose tokens are new to it.
  unsigned tokens = 0;
};

/// A parameter or result.
struct SignatureItem {
  llvm::StringRef name;
  TensorType type;
  /// `type` is what the author meant; false after an error.
  bool valid = false;
  /// The type as written, on one line.
  std::string text;
  llvm::SMRange range;
  /// Of each dim, for errors that point at it.
  std::vector<llvm::SMRange> dimRanges;
  /// Of a parameter kv<M>; `type` is then that of the new tokens' positions.
  std::optional<CacheInfo> cache;
};

/// Where the value of a name of a dim is read.
struct DimSource {
  /// Numbers beyond the parameters are those of hidden inputs.
  unsigned param = 0;
  unsigned dim = 0;
  llvm::SMRange range;
};

/// What a graph takes besides its parameters: the program binds it.
struct HiddenInput {
  enum Kind {
    Weight,      // `tensor` of `weights`
    CacheLength, // how many tokens the cache `param` holds with the new ones
    CacheKeys,   // of `layer`
    CacheValues
  };
  Kind kind;
  llvm::SMRange range; // where it is asked for first
  const ast::WeightsDecl *weights = nullptr;
  std::string tensor = {};
  std::string blocks = {}; // the format of quantised blocks; `value` is bytes
  unsigned param = 0;
  int64_t layer = 0;
  ValueId value = noValue;

  bool isSame(const HiddenInput &other) const {
    return kind == other.kind && weights == other.weights &&
           tensor == other.tensor && param == other.param &&
           layer == other.layer;
  }
};

struct GraphSignature {
  const ast::GraphDecl *decl = nullptr;
  /// Checked without errors; callers say nothing about it otherwise.
  bool valid = true;
  std::vector<SignatureItem> params;
  std::vector<SignatureItem> results;
  /// Names bound by parameters, in order.
  llvm::MapVector<llvm::StringRef, DimSource> sources;
  /// What every name of a dim stands for: itself, or what `where` says.
  llvm::StringMap<Dim> env;
};

/// Operations of a graph, its loops unrolled and the graphs that it calls in
/// their calls' places; beyond these a program would not fit anywhere.
constexpr size_t maxOps = 1 << 20;

struct CheckedGraph {
  const GraphSignature *signature = nullptr;
  /// Parameters come first.
  std::vector<CheckedValue> values;
  /// Inputs behind the parameters, in order.
  std::vector<HiddenInput> hidden;
  std::vector<Inst> insts;
  /// Where names of dims are read, also those of dims that are not a bare name
  /// (under a name that no source has).
  llvm::StringMap<DimSource> sources;
};

} // namespace agt::sema

#endif
