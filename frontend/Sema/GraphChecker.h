// The body of a graph: statements in order, loops unrolled, the checks that
// parameters need in front.
#ifndef AGT_FRONTEND_SEMA_GRAPHCHECKER_H
#define AGT_FRONTEND_SEMA_GRAPHCHECKER_H

#include "frontend/Sema/ExprChecker.h"
#include "frontend/Sema/Machine.h"

#include "llvm/ADT/StringSet.h"

namespace agt::sema {

class GraphChecker {
public:
  GraphChecker(Checker &checker, const GraphSignature &signature)
      : checker(checker), diags(checker.diags), signature(signature),
        builder(graph, checker.dims),
        exprs(checker, builder, signature, scope) {
    graph.signature = &signature;
  }

  /// Checks the whole body.
  CheckedGraph check();

private:
  void declareParams();
  void requireDims(unsigned param);
  void checkBlock(const ast::Block &block);
  void checkStmt(const ast::Stmt &stmt);
  void checkLet(const ast::LetStmt &stmt);
  void checkVar(const ast::VarStmt &stmt);
  void checkAssign(const ast::AssignStmt &stmt);
  void checkRepeat(const ast::RepeatStmt &stmt);
  void checkReturn(const ast::ReturnStmt &stmt);
  void checkShard(const ast::ShardStmt &stmt);
  // Its parts (Shard.cpp).
  Dim shardedDim(const ast::Ident &name);
  bool checkShardBy(const ast::ShardBy &by, const MeshInfo &mesh,
                    llvm::StringSet<> &used, ShardArgs::Split &split);
  std::optional<unsigned> findSharded(const ast::Ident &value,
                                      const TensorType &type,
                                      const ast::Ident &name, Dim size,
                                      bool &ok);
  void shardValue(const ast::ShardStmt &stmt, const ast::Ident &name,
                  Local &local, ShardArgs args,
                  llvm::ArrayRef<const ast::Ident *> dims);

  void checkMeshSize();
  void declare(const ast::Ident &name, Local::Kind kind, Value value);
  void takeApart(const ast::LetStmt &stmt, const Value &value);
  /// The value as the declared type wants it.
  Value annotated(const Operand &operand, const ast::TypeRef *type,
                  const ast::Ident &name);
  Value unchanged(const Operand &operand, const Local &local,
                  const ast::Ident &name);
  std::optional<std::pair<int64_t, int64_t>>
  bounds(const ast::RepeatStmt &stmt);
  bool carry(const ast::RepeatStmt &stmt, std::vector<Local *> &carried);
  void iterate(const ast::RepeatStmt &stmt, int64_t from, int64_t to);
  void iteration(const ast::RepeatStmt &stmt, Value index);
  bool tooLong(const ast::RepeatStmt &stmt);
  void checkUnrun(const ast::RepeatStmt &stmt, Value index);
  std::vector<Operand> returned(const ast::ReturnStmt &stmt,
                                const Value &value);
  std::string resultName(unsigned index) const;
  Local *findLocal(const ast::Ident &name);

  Checker &checker;
  Diagnostics &diags;
  const GraphSignature &signature;
  CheckedGraph graph;
  GraphBuilder builder;
  Scope scope;
  ExprChecker exprs;
  bool returns = false;
  /// A statement that is an error may have been meant to return.
  bool mayReturn = false;
  int64_t iterations = 0;
  bool reportedTooLong = false;
};

} // namespace agt::sema

#endif
