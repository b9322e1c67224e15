// Appends instructions to a CheckedGraph and decides what must be checked at
// run time: a relation of dims that is proved costs nothing, one that is
// disproved is the caller's error, and any other becomes one Require, however
// often it is asked for.
#ifndef AGT_FRONTEND_SEMA_GRAPHBUILDER_H
#define AGT_FRONTEND_SEMA_GRAPHBUILDER_H

#include "frontend/Sema/Value.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"

namespace agt::sema {

class GraphBuilder {
public:
  GraphBuilder(CheckedGraph &graph, DimContext &dims)
      : graph(graph), dims(dims) {}

  /// A new value; parameters first.
  ValueId addValue(TensorType type);
  ValueId addNumber();

  /// The hidden input that is like this one, made at the first call; `type` is
  /// what it has then.
  const HiddenInput &hiddenInput(HiddenInput input, TensorType type);
  /// The same where it was made before, or null.
  const HiddenInput *findHidden(const HiddenInput &input) const;
  /// Says that dim `dim` of a hidden input gives a name its value.
  void setSource(llvm::StringRef name, const HiddenInput &input, unsigned dim);

  /// Appends `inst` with one new result of that type.
  Value emit(Inst inst, TensorType result);
  /// Appends `inst` with one f64 result.
  Value emitNumber(Inst inst);
  /// Appends `inst` with several results.
  Value emitTuple(Inst inst, llvm::ArrayRef<TensorType> results);
  void append(Inst inst) { graph.insts.push_back(std::move(inst)); }

  /// An int or float as the id of an f64.
  ValueId asNumber(const Value &number, llvm::SMRange range);

  /// False if a and b differ for all values of the names. Otherwise they are
  /// equal from here on, by proof or by a check with `message`, in which {0}
  /// and {1} stand for a and b.
  bool requireEqual(Dim a, Dim b, llvm::SMRange range,
                    const llvm::Twine &message);
  /// Likewise for a <= b.
  bool requireLessOrEqual(Dim a, Dim b, llvm::SMRange range,
                          const llvm::Twine &message);
  /// Likewise for a % b == 0, where a % 0 is a.
  bool requireMultiple(Dim a, Dim b, llvm::SMRange range,
                       const llvm::Twine &message);
  /// Equal by proof or by a check that was made before.
  bool known(Dim a, Dim b) const;

  const TensorType &type(ValueId id) const { return graph.values[id].type; }
  /// The instruction that made a value, or null for a parameter.
  const Inst *definition(ValueId id) const;

  /// What was appended since `checkpoint` goes with `rollback`.
  struct Checkpoint {
    size_t insts, values, facts, hidden;
  };
  Checkpoint checkpoint() const {
    return {graph.insts.size(), graph.values.size(), facts.size(),
            graph.hidden.size()};
  }
  void rollback(const Checkpoint &point);

private:
  bool hasFact(Dim difference, Predicate predicate) const;
  void addFact(Dim difference, Predicate predicate);
  void appendRequire(Predicate predicate, llvm::ArrayRef<Dim> dims,
                     llvm::SMRange range, const llvm::Twine &message);
  void addEqual(Dim a, Dim b);

  CheckedGraph &graph;
  DimContext &dims;
  /// Which instruction made each value, for `definition`.
  std::vector<size_t> definitions;
  /// Differences that are 0 (or at most 0) where execution passes the checks.
  std::vector<std::pair<Dim, Predicate>> facts;
  llvm::DenseSet<std::pair<Dim, unsigned>> factSet;
};

} // namespace agt::sema

#endif
