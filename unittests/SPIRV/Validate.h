// validateSpirv: what `spirv-val --target-env vulkan1.3` says about a module;
// nothing when it is fine.
#ifndef AGT_UNITTESTS_SPIRV_VALIDATE_H
#define AGT_UNITTESTS_SPIRV_VALIDATE_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

inline std::string validateSpirv(const std::vector<uint32_t> &words) {
  char path[] = "/tmp/agt-spirv-XXXXXX";
  int fd = mkstemp(path);
  if (fd < 0)
    return "no temporary file";
  const size_t bytes = words.size() * sizeof(uint32_t);
  bool written = write(fd, words.data(), bytes) == static_cast<ssize_t>(bytes);
  close(fd);
  std::string said = written ? "" : "the module was not written";
  std::string command =
      std::string("spirv-val --target-env vulkan1.3 ") + path + " 2>&1";
  FILE *pipe = popen(command.c_str(), "r");
  char buffer[512];
  while (pipe && fgets(buffer, sizeof buffer, pipe))
    said += buffer;
  if (!pipe || pclose(pipe) != 0)
    said += "spirv-val failed";
  unlink(path);
  return said;
}

#endif // AGT_UNITTESTS_SPIRV_VALIDATE_H
