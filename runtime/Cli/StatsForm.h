// --stats of commands whose standard output is for their answer.
#ifndef AGT_RUNTIME_CLI_STATSFORM_H
#define AGT_RUNTIME_CLI_STATSFORM_H

#include <string>

namespace agt::rt {

/// Fails with AGT_BAD_INPUT: what is behind `--stats=` is none of its forms.
[[noreturn]] void refuseStatsForm(const std::string &form);

/// Fails with AGT_BAD_INPUT unless `form`, what stands behind `--stats=`, is
/// "json", "json:FILE", or "text" for none, or where FILE cannot be written.
void checkStatsForm(const std::string &form);

/// Writes `json` or `text`, to FILE or the standard error; nothing where `form`
/// is empty.
void writeStats(const std::string &form, const std::string &json,
                const std::string &text);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_STATSFORM_H
