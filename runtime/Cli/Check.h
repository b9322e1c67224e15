// `run --check`: what the device makes of each kernel is kept in files, which
// `agtc judge` compares with the float64 oracle. The oracle itself is a part of
// the compiler; a program holds only its graphs as IR (agt_program.ir).
#ifndef AGT_RUNTIME_CLI_CHECK_H
#define AGT_RUNTIME_CLI_CHECK_H

#include "agt/runtime.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace agt::rt {

class Check {
public:
  /// Finds agtc, beside the program or on the PATH, and makes the folder: a
  /// temporary one, or that of AGT_CHECK_DIR, which stays. Fails with
  /// AGT_MISSING where there is no agtc.
  Check(const agt_program &program, const agt_graph &graph);
  ~Check();
  Check(const Check &) = delete;
  Check &operator=(const Check &) = delete;

  void keepInputs(const std::vector<agt_tensor> &inputs);
  void keepValue(size_t number, const void *data, size_t bytes);
  /// Lets agtc print its table. Fails, without a message, where a kernel
  /// departs from the oracle: agtc has said which.
  void judge(const std::string &device);

private:
  void keep(const std::string &name, const void *data, size_t bytes) const;

  const agt_program &program;
  const agt_graph &graph;
  std::string agtc;
  std::string folder;
  bool temporary = false;
  std::vector<std::vector<int64_t>> shapes; // of the inputs
};

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_CHECK_H
