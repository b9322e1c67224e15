// SHA-256 and what is named by it: a step's token, a blob's id.
#ifndef AGT_RUNTIME_LOG_TOKEN_H
#define AGT_RUNTIME_LOG_TOKEN_H

#include <initializer_list>
#include <string>
#include <string_view>

namespace agt::rt {

/// 64 lower-case hex digits.
std::string sha256Hex(std::string_view text);

/// The digest over fields that are each preceded by their length as 8 bytes,
/// little end first, so that no two lists of fields are the same bytes.
std::string digestFields(std::initializer_list<std::string_view> fields);

/// A step's idempotency token: over "agt1", run, path and canonical arguments.
/// Made once, kept in the intent, never made again.
std::string stepToken(std::string_view run, std::string_view path,
                      std::string_view args);

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_TOKEN_H
