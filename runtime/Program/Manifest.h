// What a program says about itself: the JSON in agt_program, parsed.
#ifndef AGT_RUNTIME_PROGRAM_MANIFEST_H
#define AGT_RUNTIME_PROGRAM_MANIFEST_H

#include "agt/runtime.h"

#include <string>
#include <vector>

namespace agt::rt {

struct ManifestParam {
  std::string name;
  std::string type; // "tensor<f32, [H, S, D]>"
};

/// What one input of a graph's function is.
struct ManifestInput {
  enum class Kind {
    Param,     // the author's parameter of the same number
    Positions, // of a cache's new tokens; stands for a parameter kv<M>
    Length,    // of a cache
    Keys,
    Values,
    Weight,
    // Of a cache in pages.
    Places,       // of its new tokens
    KeyPositions, // of the token at each place
    Visible       // which places each new token may see
  };
  Kind kind = Kind::Param;
  std::string cache;
  size_t tokens = 0; // of Positions: the parameter that the tokens are in
  int64_t vocab = 0; // of Positions: how many tokens there are, 0: not known
  int64_t layer = 0;
  std::string weights, tensor;
  std::string blocks; // of a weight: the type of its quantised blocks, or empty
  std::vector<int64_t> shape; // -1 where a dim is open; not of Param
};

struct ManifestWeights {
  std::string name, path, format;
};

/// An llm from a graph.
struct ManifestLlm {
  std::string name, graph, tokenizer;
  std::string pages;  // the graph for many sequences
  std::string pinned; // that for one where it is not `graph` itself, or empty
  int64_t context = 0, page = 0, vocab = 0;
  int64_t pin = 0; // first tokens that stay visible through windows
  int64_t waitNanoseconds = 0;
};

struct ManifestGraph {
  std::string name;
  std::string doc;
  std::string mesh; // "" on one device
  std::vector<ManifestParam> params;
  std::vector<ManifestParam> results;
  std::vector<ManifestInput> inputs; // as many as the program's graph takes
  std::vector<std::string> policies; // that a run can be forced to
  std::string noPolicy;              // why there are none, on a mesh
  bool hidden = false;               // not the author's

  /// Whether a parameter is the caller's to give.
  bool isGiven(size_t param) const {
    return inputs[param].kind == ManifestInput::Kind::Param;
  }
};

struct Manifest {
  std::string program;
  std::string hash;
  std::vector<ManifestGraph> graphs; // as many as the program has
  std::vector<ManifestWeights> weights;
  std::vector<ManifestLlm> llms;
};

/// Fails with AGT_FAILED when the manifest does not fit the program.
Manifest parseManifest(const agt_program &program);

/// The manifest as it is, indented, for --json, without what is hidden.
std::string manifestText(const agt_program &program);

/// The name a result goes by: its own, else "result", with its number where
/// there are several.
std::string resultName(const agt_graph &graph, size_t index);
std::string resultName(const ManifestGraph &graph, size_t index);

/// "name(q: tensor<...>, ...) -> tensor<...>"
std::string signatureText(const ManifestGraph &graph);

} // namespace agt::rt

#endif // AGT_RUNTIME_PROGRAM_MANIFEST_H
