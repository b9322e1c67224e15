// The dialect's discardable attributes: what is noted on ops of this dialect
// beside what the ops themselves hold. AgtDialect.td has their constraints.
#ifndef AGT_DIALECT_AGT_ATTRIBUTES_H
#define AGT_DIALECT_AGT_ATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace agt {

// ---- on arguments and results ----------------------------------------------

/// Text: the author's name, and the type as it was written.
constexpr llvm::StringLiteral kName = "agt.name";
constexpr llvm::StringLiteral kType = "agt.type";
/// A dictionary: what the program binds an argument of a graph to (agt.graph).
constexpr llvm::StringLiteral kInput = "agt.input";
/// A #agt.sharding: how an argument lies.
constexpr llvm::StringLiteral kShardingOfArgument = "agt.sharding";

// ---- on any op -------------------------------------------------------------

/// An array of #agt.sharding, one a result.
constexpr llvm::StringLiteral kShardingsOfResults = "agt.shardings";

// ---- on graphs -------------------------------------------------------------

/// A unit: the graph is not the author's, and nobody is shown it.
constexpr llvm::StringLiteral kHidden = "agt.hidden";
/// A unit: the bits of its results depend on its inputs alone, so no kernel may
/// be chosen by the number of rows.
constexpr llvm::StringLiteral kReproducible = "agt.reproducible";
/// What agt-add-policies leaves on graphs on a mesh. `agt.policy`, a text, is
/// the way that keys and queries meet on rings: keys go round, or queries go to
/// them. `agt.policy_of`, a symbol, is on the program for the other way and
/// names the graph that it is of; `agt.rings`, an integer, is how many
/// attentions go by it. A graph that has nothing to choose has `agt.no_policy`,
/// a text that says why.
constexpr llvm::StringLiteral kPolicy = "agt.policy";
constexpr llvm::StringLiteral kPolicyOf = "agt.policy_of";
constexpr llvm::StringLiteral kRings = "agt.rings";
constexpr llvm::StringLiteral kNoPolicy = "agt.no_policy";
constexpr llvm::StringLiteral kPassKV = "pass-kv", kPassQ = "pass-q";
/// What agt-convert-to-ring leaves on a graph: what its inputs have to hold,
/// since ops on parts no longer say. An array of dictionaries: `input`, of
/// offsets or scales; `of`, the input that they are offsets into or scales of,
/// and `axis`, its tokens; of scales `block` and `heads_first`; `place`, a
/// location. Offsets may have no `of`.
constexpr llvm::StringLiteral kDataChecks = "agt.data_checks";

// ---- on other ops ----------------------------------------------------------

/// What agt-expand-attention leaves on an attention of packed sequences: the
/// number of the graph's input that its offsets were.
constexpr llvm::StringLiteral kQCuInput = "agt.q_cu_input";
constexpr llvm::StringLiteral kKvCuInput = "agt.kv_cu_input";
/// A unit on a call: on one device, whatever the callee's mesh.
constexpr llvm::StringLiteral kSingle = "agt.single";
/// On a mesh, what its target declares: a dictionary of `name`, `link` (bytes a
/// second) and, by element type, operations a second.
constexpr llvm::StringLiteral kTargetOfMesh = "agt.target";

} // namespace agt

#endif // AGT_DIALECT_AGT_ATTRIBUTES_H
