// The state that all parts of checking share: the names of a file, what they
// stand for, and how errors are reported. Values of consts, fields of models
// and signatures of graphs are worked out when they are first asked for, so the
// order of declarations does not matter.
#ifndef AGT_FRONTEND_SEMA_CHECKER_H
#define AGT_FRONTEND_SEMA_CHECKER_H

#include "frontend/Diagnostics.h"
#include "frontend/Sema/GraphBuilder.h"
#include "frontend/Sema/Machine.h"
#include "frontend/Sema/Sema.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace agt::sema {

class Checker;

/// A path of the source, absolute: relative ones are relative to the file that
/// the literal stands in.
std::string absolutePath(const Checker &checker, const ast::StringLit &literal);

/// "a graph", "a const", ... for errors about names.
std::string kindOf(const ast::Decl &decl);
/// "graph", "const", ...: the keyword.
llvm::StringRef keywordOf(const ast::Decl &decl);

class Checker {
public:
  Checker(Diagnostics &diags, DimContext &dims, const SemaOptions &options)
      : diags(diags), dims(dims), options(options) {}

  /// Registers all names; reports those declared twice.
  void declare(llvm::ArrayRef<const ast::File *> files);
  /// Checks every declaration but the bodies of graphs.
  void checkDeclarations();
  /// Reports the constructs that have no meaning yet, among those chosen.
  void refuse(llvm::ArrayRef<const ast::Decl *> chosen);

  //===--------------------------------------------------------------------===//
  // Names and their values
  //===--------------------------------------------------------------------===//

  const ast::Decl *find(llvm::StringRef name) const;
  template <typename T> const T *findAs(llvm::StringRef name) const {
    return llvm::dyn_cast_or_null<T>(find(name));
  }
  /// Whether errors still say what may have been meant: looking for it in all
  /// names costs too much in a program that is wrong everywhere.
  bool suggests() const { return diags.errorCount() < 100; }
  /// All names, or those of one kind, for suggestions; none if !suggests().
  std::vector<llvm::StringRef> names() const;
  template <typename T> std::vector<llvm::StringRef> namesOf() const {
    std::vector<llvm::StringRef> result;
    if (!suggests())
      return result;
    for (const ast::Decl *decl : decls)
      if (llvm::isa<T>(decl) && decl->name)
        result.push_back(decl->name.text);
    return result;
  }
  llvm::ArrayRef<const ast::Decl *> allDecls() const { return decls; }

  /// Poison where it has errors; these are reported once.
  Value constValue(const ast::ConstDecl &decl);
  Value modelField(const ast::ModelDecl &decl, const ast::Ident &member);
  Value enumValue(const ast::EnumDecl &decl, const ast::Ident &member);
  /// A value for `name` outside graphs (const), or nothing if there is none.
  std::optional<Value> globalValue(llvm::StringRef name);
  const GraphSignature &signature(const ast::GraphDecl &decl);

  /// The tensors of a file, which is read at the first call; null after an
  /// error, which is reported once.
  const WeightsInfo *weights(const ast::WeightsDecl &decl);
  const MeshInfo *mesh(llvm::StringRef name) const;
  /// Whether this is the first time that the const is said to be no int.
  bool firstReport(const ast::ConstDecl &decl) {
    return reportedConsts.insert(&decl).second;
  }
  /// Remembers a call for the search for recursion.
  void noteCall(const ast::GraphDecl &caller, const ast::GraphDecl &callee,
                llvm::SMRange range);
  /// Graphs that `decl` calls, as noted.
  struct CallSite {
    const ast::GraphDecl *callee;
    llvm::SMRange range;
  };
  llvm::ArrayRef<CallSite> callsOf(const ast::GraphDecl &decl) const;
  /// Remembers that a graph uses a construct without meaning yet.
  void refuseLater(const ast::Decl *decl, llvm::SMRange range,
                   llvm::StringRef construct);
  /// Grows with every error and every refusal.
  unsigned faults() const { return diags.errorCount() + refusalsSeen; }

  //===--------------------------------------------------------------------===//
  // Types
  //===--------------------------------------------------------------------===//

  /// Checks, once, that a type exists and has the arguments that it takes.
  bool checkType(const ast::TypeRef &type);
  /// Whether the field has bounds without errors.
  bool goodBounds(const ast::Field &field) const {
    return boundedFields.contains(&field);
  }
  /// The tensor that `type` names, its dims by `evaluate`; nothing after
  /// errors.
  using DimEvaluator = llvm::function_ref<Dim(const ast::Expr &)>;
  std::optional<TensorType> tensorType(const ast::TypeRef &type,
                                       DimEvaluator evaluate);
  /// As written, on one line without comments.
  static std::string typeText(const ast::TypeRef &type);

  /// Reports a number of elements beyond 64 bits.
  bool checkSize(const TensorType &type, llvm::SMRange range);

  /// An error of `--define` or `--only`.
  void optionError(const llvm::Twine &message) {
    badOptions = true;
    diags.error({}, message);
  }

  Diagnostics &diags;
  DimContext &dims;
  const SemaOptions &options;
  bool badOptions = false;
  /// Filled by checkDeclarations.
  std::vector<TargetInfo> targets;
  std::vector<MeshInfo> meshes;
  std::vector<ModelInfo> models;

private:
  void declareOne(const ast::Decl &decl);
  void checkRecord(const ast::RecordDecl &decl);
  void checkRecordCycles();
  void checkBounds(const ast::Field &field);
  void checkEnum(const ast::EnumDecl &decl);
  void checkTarget(const ast::TargetDecl &decl);
  void checkMesh(const ast::MeshDecl &decl);
  void checkAxes(const ast::Prop &prop, MeshInfo &mesh);
  void checkMeshTarget(const ast::Prop &prop, MeshInfo &mesh);
  void checkMeshLink(const ast::Prop &prop, MeshInfo &mesh);
  Value modelValue(const ast::Prop &prop);
  Value evaluateField(const ast::Prop &prop);
  void checkModel(const ast::ModelDecl &decl);
  void noteModel(const ast::ModelDecl &decl);
  void checkWeights(const ast::WeightsDecl &decl);
  void checkLlm(const ast::LlmDecl &decl);
  void checkLocalLlm(const ast::LlmDecl &decl);
  void checkDecoder(const ast::LlmDecl &decl, const ast::GraphDecl &graph);
  void checkTypeOnce(const ast::TypeRef &type);
  void applyDefines();
  Value defined(const ast::ConstDecl &decl, Value value);
  Value parseDefine(llvm::StringRef name, llvm::StringRef text,
                    const Value &declared);
  void buildSignature(const ast::GraphDecl &decl, GraphSignature &signature);

  llvm::DenseMap<const ast::TypeRef *, bool> checkedTypes;
  llvm::DenseSet<const ast::Field *> boundedFields;
  struct Refusal {
    const ast::Decl *decl;
    llvm::SMRange range;
    std::string construct;
  };
  std::vector<Refusal> refusals;
  unsigned refusalsSeen = 0;
  llvm::DenseSet<const ast::ConstDecl *> reportedConsts;
  llvm::DenseMap<const ast::GraphDecl *, std::vector<CallSite>> calls;
  std::vector<const ast::Decl *> decls;
  llvm::StringMap<const ast::Decl *> globals;
  /// Consts and fields are worked out in source order, so this bounds forward
  /// references only.
  static constexpr unsigned maxConstDepth = 256;
  unsigned constDepth = 0;
  enum class State { Fresh, Running, Done };
  struct ConstEntry {
    State state = State::Fresh;
    Value value;
  };
  llvm::DenseMap<const ast::ConstDecl *, ConstEntry> consts;
  llvm::DenseMap<const ast::Prop *, Value> modelFields;
  llvm::DenseMap<const ast::Prop *, State> modelFieldStates;
  llvm::DenseMap<const ast::GraphDecl *, GraphSignature *> signatures;
  std::map<const ast::WeightsDecl *, WeightsInfo> weightsFiles;

public:
  /// Filled by checkDeclarations.
  std::vector<LocalLlm> localLlms;
  /// Handed on to the Program: checked graphs point into it.
  std::vector<std::unique_ptr<GraphSignature>> ownedSignatures;
};

} // namespace agt::sema

#endif
