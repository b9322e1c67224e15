// What a program says about itself: the JSON in agt_program, parsed.
#ifndef AGT_RUNTIME_CLI_MANIFEST_H
#define AGT_RUNTIME_CLI_MANIFEST_H

#include "agt/runtime.h"

#include <string>
#include <vector>

namespace agt::rt {

struct ManifestParam {
  std::string name;
  std::string type; // "tensor<f32, [H, S, D]>"
  std::string doc;
};

struct ManifestGraph {
  std::string name;
  std::string doc;
  std::string mesh; // "" on one device
  std::vector<ManifestParam> params;
  std::vector<ManifestParam> results;
};

struct Manifest {
  std::string program;
  std::string hash;
  std::vector<ManifestGraph> graphs; // as many as the program has
};

/// Fails with AGT_FAILED when the manifest does not fit the program.
Manifest parseManifest(const agt_program &program);

/// The manifest as it is, indented, for --json.
std::string manifestText(const agt_program &program);

/// The name a result goes by: its own, else "result", with its number where
/// there are several.
std::string resultName(const agt_graph &graph, size_t index);

/// "name(q: tensor<...>, ...) -> tensor<...>"
std::string signatureText(const ManifestGraph &graph);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_MANIFEST_H
