// Splitting a command line with CLI11, with messages of ours.
#ifndef AGT_RUNTIME_CLI_WORDS_H
#define AGT_RUNTIME_CLI_WORDS_H

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace agt::rt {

/// Has `app` take the arguments; `options` are the names that it knows. Fails
/// with AGT_BAD_INPUT.
void parseWords(CLI::App &app, const std::vector<std::string> &arguments,
                const std::vector<std::string> &options);
/// Fails with AGT_BAD_INPUT where the app has left a word over.
void refuseExtras(const CLI::App &app, const std::vector<std::string> &options);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_WORDS_H
