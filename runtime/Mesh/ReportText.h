// What a position reports, as text that ranks send each other.
#ifndef AGT_RUNTIME_MESH_REPORTTEXT_H
#define AGT_RUNTIME_MESH_REPORTTEXT_H

#include "runtime/Plan/Report.h"

namespace agt::rt {

std::string reportText(const PositionReport &report);
PositionReport reportFromText(const std::string &text);

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_REPORTTEXT_H
