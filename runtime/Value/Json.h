// JSON text read without losing anything: an integer beyond 64 bits, bytes
// that are not UTF-8, half a surrogate pair and more than 512 levels are
// errors, never something near.
#ifndef AGT_RUNTIME_VALUE_JSON_H
#define AGT_RUNTIME_VALUE_JSON_H

#include <nlohmann/json.hpp>
#include <string_view>

namespace agt::rt {

using Json = nlohmann::json;

/// Throws StepFailure, with what is wrong and at which byte.
Json parseJson(std::string_view text);

} // namespace agt::rt

#endif // AGT_RUNTIME_VALUE_JSON_H
