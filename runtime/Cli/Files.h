// The files of a run: parameters from --in, results to --out.
#ifndef AGT_RUNTIME_CLI_FILES_H
#define AGT_RUNTIME_CLI_FILES_H

#include "runtime/Program/ModelInputs.h"
#include "runtime/Support/File.h"
#include "runtime/Tensor/Stored.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agt::rt {

/// The values of a graph's inputs, with the files they are mapped from.
class Inputs {
public:
  /// Reads what `specs` (the values of --in) name, and the weights from where
  /// `weightPaths` says or the program knows; caches are fresh. Fails with
  /// AGT_BAD_INPUT when a parameter is missing, given twice, unknown, or of
  /// another type or rank than declared.
  Inputs(const agt_graph &graph, const Manifest &program,
         const ManifestGraph &manifest, const std::vector<std::string> &specs,
         const std::map<std::string, std::string> &weightPaths);

  std::vector<agt_tensor> tensors() const;

private:
  template <typename Body> void noteFault(Body &&body);
  void add(const std::string &text);
  void addAll(const std::string &path);
  void bind(size_t param, const StoredTensor &stored, const std::string &path);
  const MappedFile &open(const std::string &path);
  std::optional<size_t> findGiven(const std::string &name) const;
  std::vector<std::string> givenNames() const;
  size_t paramNamed(const std::string &name) const;
  void checkComplete() const;

  const agt_graph &graph;
  const ManifestGraph &manifest;
  std::vector<std::unique_ptr<MappedFile>> files;
  std::vector<std::optional<HostTensor>> values; // one a parameter
  std::vector<std::string> faults;
  std::string unused; // tensors of files that no parameter is named like
  std::optional<Weights> weights;
  std::optional<Caches> caches;
};

/// Where results go.
class Outputs {
public:
  /// Parses the values of --out and makes sure that each file can be written,
  /// before any work is done.
  Outputs(const agt_graph &graph, const std::vector<std::string> &specs);

  /// Writes all files; they appear together at the end, or none does.
  void write(const agt_tensor *results) const;
  bool empty() const { return files.empty(); }
  std::vector<std::string> paths() const;

private:
  struct File {
    std::string path;
    bool safetensors;
    std::vector<size_t> results; // one for .npy
  };
  void add(const std::string &path, std::vector<size_t> results);

  const agt_graph &graph;
  std::vector<File> files;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_FILES_H
