// A folder that goes with the test, and files in it.
#ifndef AGT_UNITTESTS_RUNTIME_TEMPDIR_H
#define AGT_UNITTESTS_RUNTIME_TEMPDIR_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace agt::rt::test {

class TempDir {
public:
  TempDir() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "agt-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  TempDir(const TempDir &) = delete;

  std::string path(const std::string &name) const {
    return folder + "/" + name;
  }
  std::string write(const std::string &name, const std::string &content) {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  std::string read(const std::string &name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t count() const {
    auto begin = std::filesystem::directory_iterator(folder);
    return size_t(std::distance(begin, std::filesystem::directory_iterator()));
  }

  std::string folder;
};

} // namespace agt::rt::test

#endif // AGT_UNITTESTS_RUNTIME_TEMPDIR_H
