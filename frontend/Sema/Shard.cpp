// `shard x, y by DIM over AXIS ...`: which dims of which values are cut over
// which axes of the graph's mesh.
#include "frontend/Sema/Checker.h"
#include "frontend/Sema/GraphChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace agt;
using namespace agt::sema;

static bool checkWord(Diagnostics &diags, const ast::Ident &word,
                      llvm::StringRef what,
                      llvm::ArrayRef<llvm::StringRef> words) {
  if (!word || llvm::is_contained(words, word.text))
    return true;
  diags.error(word.range, "unknown " + what + " '" + word.text +
                              "', expected " + oneOf(words) +
                              didYouMean(word.text, words));
  return false;
}

/// The size that a name of a dim stands for, or null after an error.
Dim GraphChecker::shardedDim(const ast::Ident &name) {
  if (auto known = signature.env.find(name.text); known != signature.env.end())
    return known->second;
  if (const auto *decl = checker.findAs<ast::ConstDecl>(name.text)) {
    Value value = checker.constValue(*decl);
    return value.isInt() ? value.dim : nullptr;
  }
  std::vector<llvm::StringRef> names;
  for (const auto &entry : signature.env)
    names.push_back(entry.first());
  llvm::sort(names);
  diags.error(name.range,
              "unknown dim '" + name.text + "'" + didYouMean(name.text, names));
  return nullptr;
}

/// The steps of a ring are written out, one for each position.
void GraphChecker::checkMeshSize() {
  constexpr int64_t most = 128;
  const ast::Ident &name = signature.decl->mesh;
  const MeshInfo *mesh = name ? checker.mesh(name.text) : nullptr;
  if (!mesh)
    return;
  int64_t positions = 1;
  for (const MeshAxis &axis : mesh->axes)
    if (__builtin_mul_overflow(positions, axis.size, &positions))
      positions = std::numeric_limits<int64_t>::max();
  if (positions > most)
    diags
        .error(name.range, "a graph runs on at most " + llvm::Twine(most) +
                               " positions, and mesh '" + mesh->name +
                               "' has " + llvm::Twine(positions))
        .note(mesh->range, "declared here");
}

/// The axes, balance and way of one `by`, all known and each axis once in the
/// statement.
bool GraphChecker::checkShardBy(const ast::ShardBy &by, const MeshInfo &mesh,
                                llvm::StringSet<> &used,
                                ShardArgs::Split &split) {
  std::vector<llvm::StringRef> known;
  for (const MeshAxis &axis : mesh.axes)
    known.push_back(axis.name);
  bool ok = checkWord(diags, by.balance, "balance",
                      {"contiguous", "zigzag", "striped"});
  ok &= checkWord(diags, by.via, "way", {"ring", "ulysses"});
  for (const ast::Ident &axis : by.axes) {
    if (!llvm::is_contained(known, axis.text)) {
      diags.error(axis.range, "mesh '" + mesh.name + "' has no axis '" +
                                  axis.text + "'" +
                                  didYouMean(axis.text, known));
      ok = false;
      continue;
    }
    if (!used.insert(axis.text).second) {
      bool twice = llvm::is_contained(split.axes, axis.text);
      diags.error(axis.range, "axis '" + axis.text +
                                  (twice ? "' cuts this dim twice"
                                         : "' cuts two dims of one value"));
      ok = false;
    }
    split.axes.push_back(axis.text.str());
  }
  split.balance = llvm::StringSwitch<ShardArgs::Balance>(by.balance.text)
                      .Case("zigzag", ShardArgs::Zigzag)
                      .Case("striped", ShardArgs::Striped)
                      .Default(ShardArgs::Contiguous);
  return ok;
}

/// Which dims of a parameter are written as the name `dim`.
static llvm::SmallVector<unsigned> writtenAs(const ast::GraphDecl &graph,
                                             llvm::StringRef param,
                                             llvm::StringRef dim) {
  llvm::SmallVector<unsigned> found;
  for (const ast::Param *declared : graph.params) {
    if (declared->name.text != param || declared->type->args.size() < 2)
      continue;
    for (auto [i, expr] : llvm::enumerate(declared->type->args[1].dims))
      if (const auto *name = llvm::dyn_cast<ast::NameRef>(expr))
        if (name->name.text == dim)
          found.push_back(i);
  }
  return found;
}

/// The dim of `type` of that size, if there is one; an error where there are
/// several.
std::optional<unsigned> GraphChecker::findSharded(const ast::Ident &value,
                                                  const TensorType &type,
                                                  const ast::Ident &name,
                                                  Dim size, bool &ok) {
  // Sizes may be equal by chance; a parameter says what it means.
  llvm::SmallVector<unsigned> written =
      writtenAs(*signature.decl, value.text, name.text);
  if (written.size() == 1 && written[0] < type.rank() &&
      builder.known(type.shape[written[0]], size))
    return written[0];
  std::optional<unsigned> found;
  for (auto [i, dim] : llvm::enumerate(type.shape)) {
    if (!builder.known(dim, size))
      continue;
    if (found) {
      diags.error(name.range, "'" + value.text + "' has two dims of size '" +
                                  name.text + "': " + type.str());
      ok = false;
      return std::nullopt;
    }
    found = i;
  }
  return found;
}

/// Notes that `local` lies as `args` says; an error where a dim of it is cut
/// already.
void GraphChecker::shardValue(const ast::ShardStmt &stmt,
                              const ast::Ident &name, Local &local,
                              ShardArgs args,
                              llvm::ArrayRef<const ast::Ident *> dims) {
  ValueId id = local.value.id;
  for (const Inst *made = builder.definition(id); made && made->op == Op::Shard;
       made = builder.definition(made->operands[0]))
    for (const ShardArgs::Split &old : made->shard->splits)
      for (auto [i, split] : llvm::enumerate(args.splits)) {
        bool sameAxis = llvm::any_of(split.axes, [&](const std::string &axis) {
          return llvm::is_contained(old.axes, axis);
        });
        if (old.dim != split.dim && !sameAxis)
          continue;
        diags
            .error(dims[i]->range,
                   old.dim == split.dim
                       ? "dim '" + dims[i]->text + "' of '" + name.text +
                             "' is sharded twice"
                       : "'" + name.text + "' is sharded twice over one axis")
            .note(made->range, "first sharded here");
        return;
      }
  Inst inst(Op::Shard, stmt.range);
  inst.operands = {id};
  inst.shard = std::make_shared<ShardArgs>(std::move(args));
  local.value = builder.emit(std::move(inst), local.value.tensor);
}

void GraphChecker::checkShard(const ast::ShardStmt &stmt) {
  const ast::Ident &meshName = signature.decl->mesh;
  if (!meshName) {
    diags
        .error(stmt.range, "'shard' needs a mesh; graph '" +
                               signature.decl->name.text + "' has no 'on MESH'")
        .note(signature.decl->name.range, "declared here");
    return;
  }
  const MeshInfo *mesh = checker.mesh(meshName.text);
  std::vector<Local *> locals;
  for (const ast::Ident &name : stmt.names)
    locals.push_back(findLocal(name));
  if (!mesh)
    return;
  bool ok = true;
  llvm::StringSet<> used;
  std::vector<Dim> sizes;
  ShardArgs args;
  for (const ast::ShardBy &by : stmt.by) {
    sizes.push_back(shardedDim(by.dim));
    ShardArgs::Split split{};
    ok &= sizes.back() != nullptr;
    ok &= checkShardBy(by, *mesh, used, split);
    args.ulysses |= by.via.text == "ulysses";
    args.splits.push_back(std::move(split));
  }
  // A value takes the cuts of the dims that it has; each must be one's.
  llvm::SmallVector<bool> taken(stmt.by.size());
  std::vector<ShardArgs> ofValue;
  std::vector<std::vector<const ast::Ident *>> dimsOfValue;
  std::string types;
  for (auto [name, local] : llvm::zip(stmt.names, locals)) {
    ShardArgs own;
    std::vector<const ast::Ident *> dims;
    own.ulysses = args.ulysses;
    if (ok && local && !local->value.isPoison() && !local->value.isTensor()) {
      diags.error(name.range,
                  "expected a tensor to shard, got " + describe(local->value));
      ok = false;
    }
    ok &= local && local->value.isTensor();
    for (size_t i = 0; ok && i < stmt.by.size(); ++i) {
      std::optional<unsigned> dim =
          findSharded(name, local->value.tensor, stmt.by[i].dim, sizes[i], ok);
      if (!dim)
        continue;
      taken[i] = true;
      own.splits.push_back(args.splits[i]);
      own.splits.back().dim = *dim;
      dims.push_back(&stmt.by[i].dim);
    }
    if (ok)
      types += (types.empty() ? "" : ", ") + local->value.tensor.str();
    ofValue.push_back(std::move(own));
    dimsOfValue.push_back(std::move(dims));
  }
  if (!ok)
    return;
  for (auto [by, has] : llvm::zip(stmt.by, taken))
    if (!has) {
      std::string who = stmt.names.size() == 1
                            ? "'" + stmt.names[0].text.str() + "' has"
                            : "none of these values has";
      diags.error(by.dim.range, who + (stmt.names.size() == 1 ? " no" : " a") +
                                    " dim '" + by.dim.text + "': " + types);
      ok = false;
    }
  for (size_t i = 0; ok && i < locals.size(); ++i)
    if (!ofValue[i].splits.empty())
      shardValue(stmt, stmt.names[i], *locals[i], std::move(ofValue[i]),
                 dimsOfValue[i]);
}
