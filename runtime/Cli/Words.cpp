// See Words.h.
#include "runtime/Cli/Words.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <CLI/CLI.hpp>

namespace agt::rt {

void parseWords(CLI::App &app, const std::vector<std::string> &arguments,
                const std::vector<std::string> &options) {
  // CLI11 takes the words from the back.
  std::vector<std::string> words(arguments.rbegin(), arguments.rend());
  try {
    app.parse(words);
  } catch (const CLI::ParseError &error) {
    std::string text = error.what();
    std::string name = text.substr(0, text.find(':'));
    if (std::count(options.begin(), options.end(), name))
      fail(AGT_BAD_INPUT, "expected a value behind '" + name + "'");
    fail(AGT_BAD_INPUT, "cannot read the command line: " + text);
  }
}

void refuseExtras(const CLI::App &app,
                  const std::vector<std::string> &options) {
  for (const std::string &word : app.remaining()) {
    if (word.size() > 1 && word[0] == '-') {
      std::string name = word.substr(0, word.find('='));
      fail(AGT_BAD_INPUT,
           "unknown option '" + name + "'" + didYouMean(name, options));
    }
    fail(AGT_BAD_INPUT, "unexpected argument '" + word + "'");
  }
}

} // namespace agt::rt
