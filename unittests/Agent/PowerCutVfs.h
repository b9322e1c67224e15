// A SQLite VFS that can lose what was not synced.
//
// Files are written through to the system's; beside each it keeps the content
// as of the last sync and the writes since. powerCut() makes of every file that
// content plus a random part of the writes, torn at sector boundaries: a disk
// may have written any of them. Connections that were open then get I/O errors.
#ifndef AGT_UNITTESTS_AGENT_POWERCUTVFS_H
#define AGT_UNITTESTS_AGENT_POWERCUTVFS_H

#include <cstdint>

namespace agt::rt::test {

extern const char *const powerCutVfs; // the VFS's name

void registerPowerCutVfs();
/// Forgets all files; no connection may be open.
void resetPowerCut();
void powerCut(uint32_t seed);

} // namespace agt::rt::test

#endif // AGT_UNITTESTS_AGENT_POWERCUTVFS_H
