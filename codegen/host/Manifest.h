//===- Manifest.h - What a program says of itself ---------------*- C++ -*-===//
//
// Taken from the agt IR before graphs are lowered: names, types as the author
// wrote them, doc comments, and the program's hash.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_MANIFEST_H
#define AGT_CODEGEN_HOST_MANIFEST_H

#include "dialect/Agt/Agt.h"
#include "runtime/include/agt/runtime.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace agt::host {

struct ParamInfo {
  std::string name;
  std::string type; // as the author wrote it
  agt_dtype dtype;
  int32_t rank;
};

/// An axis of a mesh.
struct AxisInfo {
  std::string name;
  int64_t size;
  double link; // bytes a second, 0: not known
};

struct GraphInfo {
  std::string name;
  std::string place; // file:line:column
  std::string doc;
  std::string mesh; // empty on one device
  std::string meshPlace;
  std::vector<AxisInfo> axes;
  bool hasPolicies = false;      // a run goes by pass-kv or pass-q
  std::string noPolicy;          // else, on a mesh, why not
  std::vector<ParamInfo> params; // all inputs, the author's first
  std::vector<ParamInfo> results;
  size_t ownParams = 0; // of the author's
  std::string inputs;   // JSON of those that the program binds, or empty
  bool hidden = false;  // not the author's
};

/// What an agt_agents is made of, by the names of the functions.
struct AgentsInfo {
  struct Agent {
    std::string function;
    std::string name;
    std::string doc;
    std::vector<std::string> params;
  };
  struct Tool {
    std::string request;
    std::string reconcile; // empty without one
  };
  struct Test {
    std::string function;
    std::string title;
    std::string place;
  };
  /// Empty in a program without agents.
  std::string declarations;
  std::vector<Agent> agents;
  std::vector<Tool> tools;
  std::vector<Test> tests;
};

struct Manifest {
  std::string program;
  /// SHA-256 of the agt IR without places, in hex: two builds of one source
  /// have one hash, and formatting or comments do not change it, except those
  /// that document a declaration: they are part of the program.
  std::string hash;
  std::vector<GraphInfo> graphs;
  std::string weights, llms; // JSON
  AgentsInfo agents;

  /// The JSON of agt_program.manifest (agt/runtime.h).
  std::string json() const;
};

Manifest describeProgram(mlir::ModuleOp module, llvm::StringRef program);

/// The C name of an element type.
agt_dtype dtypeOf(mlir::Type element);

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_MANIFEST_H
