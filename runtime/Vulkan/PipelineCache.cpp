// See PipelineCache.h.
#include "runtime/Vulkan/PipelineCache.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/File.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>

namespace agt::rt {

static constexpr char magic[8] = {'A', 'G', 'T', 'P', 'I', 'P', 'E', '1'};

namespace {
struct Header {
  char magic[8];
  uint64_t bytes;
  uint64_t hash;
};
} // namespace

// FNV-1a: against damage, not against malice.
static uint64_t hashOf(const char *data, size_t bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<unsigned char>(data[i])) * 0x100000001b3u;
  return hash;
}

std::string cacheFolder() {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/')
    return std::string(cache) + "/agt";
  const char *home = std::getenv("HOME");
  if (home && home[0] == '/')
    return std::string(home) + "/.cache/agt";
  return "";
}

static std::string pathOf(const std::string &folder, const std::string &name) {
  return folder + "/" + name + ".pipelines";
}

std::string readCache(const std::string &folder, const std::string &name) {
  if (folder.empty())
    return "";
  try {
    MappedFile file(pathOf(folder, name));
    Header header;
    if (file.size() < sizeof header)
      return "";
    std::memcpy(&header, file.data(), sizeof header);
    auto *data = reinterpret_cast<const char *>(file.data()) + sizeof header;
    size_t bytes = file.size() - sizeof header;
    if (std::memcmp(header.magic, magic, sizeof magic) != 0 ||
        header.bytes != bytes || header.hash != hashOf(data, bytes))
      return "";
    return std::string(data, bytes);
  } catch (const Failure &) {
    return "";
  }
}

// mkdir -p; what fails shows when the file is opened.
static void createFolders(const std::string &folder) {
  for (size_t slash = folder.find('/', 1);;
       slash = folder.find('/', slash + 1)) {
    mkdir(folder.substr(0, slash).c_str(), 0700);
    if (slash == std::string::npos)
      return;
  }
}

void writeCache(const std::string &folder, const std::string &name,
                const std::string &data) {
  if (folder.empty())
    return;
  createFolders(folder);
  try {
    Header header;
    std::memcpy(header.magic, magic, sizeof magic);
    header.bytes = data.size();
    header.hash = hashOf(data.data(), data.size());
    OutputFile file(pathOf(folder, name));
    file.write(&header, sizeof header);
    file.write(data);
    file.commit();
  } catch (const Failure &) {
    return;
  }
}

} // namespace agt::rt
