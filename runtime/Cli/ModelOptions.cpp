// See ModelOptions.h.
#include "runtime/Cli/ModelOptions.h"

#include "runtime/Cli/Words.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <CLI/CLI.hpp>

#include <cmath>

namespace agt::rt {

[[noreturn]] static void refuse(const std::string &text) {
  fail(AGT_BAD_INPUT, text);
}

bool ModelOptions::flag(const char *name) const {
  auto found = flags.find(name);
  return found != flags.end() && found->second;
}

const std::string *ModelOptions::find(const char *name) const {
  auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

const std::vector<std::string> &ModelOptions::list(const char *name) const {
  static const std::vector<std::string> none;
  auto found = lists.find(name);
  return found == lists.end() ? none : found->second;
}

ModelOptions parseModelOptions(const std::vector<std::string> &arguments,
                               const ModelCommand &command) {
  ModelOptions options;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  if (command.hasLlm)
    app.add_option("llm", options.llm);
  std::map<std::string, std::string> values;
  for (const std::string &name : command.single)
    app.add_option(name, values[name])->take_last();
  std::vector<std::string> names = command.single;
  for (const std::string &name : command.several) {
    app.add_option(name, options.lists[name])
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    names.push_back(name);
  }
  for (const std::string &name : command.flags) {
    app.add_flag(name, options.flags[name]);
    names.push_back(name);
  }
  if (command.hasStats) {
    app.add_flag("--stats{text}", options.stats)->take_last();
    names.push_back("--stats");
  }
  app.add_flag("--help,-h", options.help);
  names.push_back("--help");
  parseWords(app, arguments, names);
  refuseExtras(app, names);
  for (const std::string &name : command.single)
    if (app.count(name))
      options.values[name] = values[name];
  return options;
}

const ManifestLlm &findLlm(const std::string &name, const Manifest &manifest,
                           const std::string &command) {
  std::vector<std::string> names;
  for (const ManifestLlm &llm : manifest.llms)
    names.push_back(llm.name);
  if (names.empty())
    refuse("the program has no llms, which '" + command + "' is about");
  if (name.empty())
    refuse("expected the name of an llm behind '" + command + "', it has " +
           listText(names));
  for (const ManifestLlm &llm : manifest.llms)
    if (llm.name == name)
      return llm;
  std::string guess = didYouMean(name, names);
  refuse("the program has no llm '" + name + "' from a graph" +
         (guess.empty() ? ", it has " + listText(names) : guess));
}

uint64_t ModelOptions::wholeNumber(const char *name, uint64_t otherwise) const {
  const std::string *text = find(name);
  if (!text)
    return otherwise;
  bool digits = !text->empty() && text->size() <= 18 &&
                text->find_first_not_of("0123456789") == std::string::npos;
  if (!digits)
    refuse(std::string("expected a whole number behind '") + name + "', got '" +
           *text + "'");
  return std::stoull(*text);
}

double ModelOptions::realNumber(const char *name, double otherwise,
                                double least, double most,
                                const char *what) const {
  const std::string *text = find(name);
  if (!text)
    return otherwise;
  char *end = nullptr;
  double value = std::strtod(text->c_str(), &end);
  if (text->empty() || *end || !std::isfinite(value) || value < least ||
      value > most)
    refuse(std::string("expected ") + what + " behind '" + name + "', got '" +
           *text + "'");
  return value;
}

} // namespace agt::rt
