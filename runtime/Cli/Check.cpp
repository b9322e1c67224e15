// See Check.h; the files are described in tools/agtc/Judge.cpp.
#include "runtime/Cli/Check.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/File.h"
#include "runtime/Tensor/Tensor.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace agt::rt {

static bool isProgram(const std::filesystem::path &path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) &&
         access(path.c_str(), X_OK) == 0;
}

static std::string findAgtc() {
  std::error_code ignored;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (!ignored && isProgram(self.parent_path() / "agtc"))
    return self.parent_path() / "agtc";
  const char *variable = std::getenv("PATH");
  std::string folders = variable ? variable : "";
  for (size_t at = 0; at < folders.size();) {
    size_t end = std::min(folders.find(':', at), folders.size());
    std::filesystem::path path = folders.substr(at, end - at);
    if (isProgram(path / "agtc"))
      return path / "agtc";
    at = end + 1;
  }
  fail(AGT_MISSING, "--check needs 'agtc', which holds the oracle: it is "
                    "neither beside the program nor on the PATH");
}

Check::Check(const agt_program &program, const agt_graph &graph)
    : program(program), graph(graph), agtc(findAgtc()) {
  std::error_code error;
  if (const char *given = std::getenv("AGT_CHECK_DIR")) {
    folder = given;
    std::filesystem::create_directories(folder, error);
    if (error)
      fail(AGT_BAD_INPUT,
           "cannot make the folder '" + folder + "': " + error.message());
    return;
  }
  std::string path =
      std::filesystem::temp_directory_path(error) / "agt-check-XXXXXX";
  if (error || !mkdtemp(path.data()))
    fail(AGT_FAILED, "cannot make a temporary folder for --check: " +
                         std::string(std::strerror(errno)));
  folder = path;
  temporary = true;
}

Check::~Check() {
  std::error_code ignored;
  if (temporary)
    std::filesystem::remove_all(folder, ignored);
}

void Check::keep(const std::string &name, const void *data,
                 size_t bytes) const {
  OutputFile file(folder + "/" + name);
  file.write(data, bytes);
  file.commit();
}

void Check::keepInputs(const std::vector<agt_tensor> &inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const agt_tensor &input = inputs[i];
    std::vector<unsigned char> bytes(
        *tensorBytes(input.dtype, input.shape, input.rank));
    copyContiguous(input, bytes.data());
    keep("input." + std::to_string(i), bytes.data(), bytes.size());
    shapes.emplace_back(input.shape, input.shape + input.rank);
  }
}

void Check::keepValue(size_t number, const void *data, size_t bytes) {
  keep("value." + std::to_string(number), data, bytes);
}

void Check::judge(const std::string &device) {
  keep("graph.mlirbc", program.ir, program.ir_bytes);
  nlohmann::json json = {
      {"graph", graph.name}, {"device", device}, {"inputs", shapes}};
  std::string about = json.dump() + "\n";
  keep("check.json", about.data(), about.size());
  std::fflush(stdout);
  std::string words[] = {agtc, "judge", folder};
  char *argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  int error =
      posix_spawn(&child, agtc.c_str(), nullptr, nullptr, argv, environ);
  int status = 0;
  while (!error && waitpid(child, &status, 0) < 0)
    error = errno == EINTR ? 0 : errno;
  if (error)
    fail(AGT_MISSING, "cannot run '" + agtc + "': " + std::strerror(error));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
    fail(AGT_FAILED, "");
  if (status != 0)
    fail(AGT_MISSING, "'" + agtc +
                          "' cannot judge what this program computed: --check "
                          "needs the version that compiled it");
}

} // namespace agt::rt
