// JSON as text that ranks send each other: on one line, whatever is in it.
#ifndef AGT_RUNTIME_MESH_WIRETEXT_H
#define AGT_RUNTIME_MESH_WIRETEXT_H

#include <nlohmann/json.hpp>
#include <string>

namespace agt::rt {

inline std::string wireText(const nlohmann::json &json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_WIRETEXT_H
