// The driver's pipeline cache as a file, so that a second process need not
// compile again.
//
// The file is $XDG_CACHE_HOME/agt/NAME.pipelines (or ~/.cache/agt). It holds
// a line of magic, the length and a hash of the data, and the data: drivers
// are known to crash on damaged caches, so a file that does not fit its hash
// is never shown to one. A cache is never worth an error: a file that cannot
// be read counts as empty, one that cannot be written is not.
#ifndef AGT_RUNTIME_VULKAN_PIPELINECACHE_H
#define AGT_RUNTIME_VULKAN_PIPELINECACHE_H

#include <string>

namespace agt::rt {

/// The folder of the cache, or "" when there is no home. Not created here.
std::string cacheFolder();

/// The data in `folder`/`name`.pipelines, "" when there is none or it is bad.
std::string readCache(const std::string &folder, const std::string &name);

/// Replaces the file, whole or not at all; creates the folder.
void writeCache(const std::string &folder, const std::string &name,
                const std::string &data);

} // namespace agt::rt

#endif // AGT_RUNTIME_VULKAN_PIPELINECACHE_H
