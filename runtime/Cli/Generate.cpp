// See Generate.h. CLI11 splits the command line; values are checked here, so
// that every message is ours.
#include "runtime/Cli/Generate.h"

#include "runtime/Generate/LocalModel.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Text.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

namespace agt::rt {
namespace {

[[noreturn]] void refuse(const std::string &text) { fail(AGT_BAD_INPUT, text); }

struct RawOptions {
  std::string llm;
  // By option; absent ones are not there.
  std::map<std::string, std::string> values;
  std::vector<std::string> weights;
  std::string stats;
  bool special = false;
  bool help = false;

  const std::string *find(const char *name) const {
    auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }
};

/// `single` are the options that take one value.
RawOptions split(const std::vector<std::string> &arguments,
                 const std::vector<std::string> &single, bool runs) {
  RawOptions raw;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.add_option("llm", raw.llm);
  std::map<std::string, std::string> values;
  for (const std::string &name : single)
    app.add_option(name, values[name])->take_last();
  std::vector<std::string> names = single;
  if (runs) {
    app.add_option("--weights", raw.weights)
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    app.add_flag("--stats{text}", raw.stats)->take_last();
    names.insert(names.end(), {"--weights", "--stats"});
  }
  app.add_flag("--special", raw.special);
  app.add_flag("--help,-h", raw.help);
  names.insert(names.end(), {"--special", "--help"});
  std::vector<std::string> words(arguments.rbegin(), arguments.rend());
  try {
    app.parse(words);
  } catch (const CLI::ParseError &error) {
    std::string text = error.what();
    std::string name = text.substr(0, text.find(':'));
    if (std::count(names.begin(), names.end(), name))
      refuse("expected a value behind '" + name + "'");
    refuse("cannot read the command line: " + text);
  }
  for (const std::string &word : app.remaining()) {
    if (word.size() > 1 && word[0] == '-') {
      std::string name = word.substr(0, word.find('='));
      refuse("unknown option '" + name + "'" + didYouMean(name, names));
    }
    refuse("unexpected argument '" + word + "'");
  }
  for (const std::string &name : single)
    if (app.count(name))
      raw.values[name] = values[name];
  return raw;
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

uint64_t wholeNumber(const RawOptions &raw, const char *name,
                     uint64_t otherwise) {
  const std::string *text = raw.find(name);
  if (!text)
    return otherwise;
  bool digits = !text->empty() && text->size() <= 18 &&
                text->find_first_not_of("0123456789") == std::string::npos;
  if (!digits)
    refuse(std::string("expected a whole number behind '") + name +
           "', got '" + *text + "'");
  return std::stoull(*text);
}

double realNumber(const RawOptions &raw, const char *name, double otherwise,
                  double least, double most, const char *what) {
  const std::string *text = raw.find(name);
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

const char *textOf(Stop stop) {
  switch (stop) {
  case Stop::EndOfText:
    return "end of text";
  case Stop::Tokens:
    return "tokens";
  case Stop::Context:
    return "context";
  case Stop::Asked:
    break; // by agents alone
  }
  return "";
}

double rate(int64_t count, double seconds) {
  return seconds > 0 ? double(count) / seconds : 0;
}

nlohmann::ordered_json statsObject(const ManifestLlm &llm,
                                   const GenerationStats &stats, Stop stop) {
  // Of the new tokens the first comes from the prompt's launch.
  int64_t steps = std::max<int64_t>(stats.newTokens - 1, 0);
  return {{"llm", llm.name},
          {"stop", textOf(stop)},
          {"prompt_tokens", stats.promptTokens},
          {"new_tokens", stats.newTokens},
          {"load_time_s", stats.loadSeconds},
          {"prompt_time_s", stats.promptSeconds},
          {"time_s", stats.stepSeconds},
          {"tokens_per_s", rate(steps, stats.stepSeconds)},
          {"launches_per_token", stats.launches},
          {"peak_memory", stats.peakBytes}};
}

std::string statsText(const GenerationStats &stats, Stop stop) {
  int64_t steps = std::max<int64_t>(stats.newTokens - 1, 0);
  char rateText[32];
  std::snprintf(rateText, sizeof rateText, "%.1f",
                rate(steps, stats.stepSeconds));
  return "load     " + secondsText(stats.loadSeconds) + "\nprompt   " +
         std::to_string(stats.promptTokens) + " tokens in " +
         secondsText(stats.promptSeconds) + "\ntext     " +
         std::to_string(stats.newTokens) + " tokens, " + rateText +
         " a second, " + std::to_string(stats.launches) +
         " launches each\nended by " + textOf(stop) + "\n";
}

/// Beside the text, which has the standard output for itself.
void report(const RawOptions &raw, const ManifestLlm &llm,
            const GenerationStats &stats, Stop stop) {
  const std::string &form = raw.stats;
  if (form.empty())
    return;
  std::string json = statsObject(llm, stats, stop).dump() + "\n";
  if (form.rfind("json:", 0) == 0 && form.size() > 5) {
    OutputFile file(form.substr(5));
    file.write(json);
    file.commit();
    return;
  }
  std::string text = form == "json" ? json : statsText(stats, stop);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void checkStats(const std::string &form) {
  if (form.empty() || form == "text" || form == "true" || form == "json")
    return;
  if (form.rfind("json:", 0) != 0 || form.size() == 5)
    refuse("expected --stats, --stats=json or --stats=json:FILE, got "
           "'--stats=" +
           form + "'");
  checkWritable(form.substr(5));
}

void write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0)
    fail(AGT_FAILED, "cannot write to the standard output");
}

std::string generateHelp(const std::string &exe) {
  return "usage: " + exe +
         " generate LLM [--prompt TEXT] [OPTION...]\n\n"
         "  --prompt TEXT        what the text begins with; without it the llm "
         "begins\n"
         "  --special            the names of special tokens in it are these "
         "tokens\n"
         "  --tokens N           at most N tokens; else until the text ends or "
         "the context is full\n"
         "  --temperature X      0 (default) takes the likeliest token each "
         "time\n"
         "  --top-k N, --top-p X choose among the N likeliest, among the "
         "likeliest that make up X\n"
         "  --seed N             another choice for another N (0)\n"
         "  --device DEVICE      auto (default), vulkan, vulkan:N or cpu\n"
         "  --weights NAME=PATH  another file for the weights NAME\n"
         "  --stats, --stats=json[:FILE]\n"
         "                       tokens and times, on the standard error\n";
}

} // namespace

void runGenerate(const std::vector<std::string> &arguments,
                 const agt_program &program, const Manifest &manifest,
                 const std::string &exe) {
  RawOptions raw = split(arguments,
                         {"--prompt", "--tokens", "--temperature", "--top-k",
                          "--top-p", "--seed", "--device"},
                         true);
  if (raw.help)
    return write(generateHelp(exe));
  const ManifestLlm &llm = findLlm(raw.llm, manifest, "generate");
  checkStats(raw.stats);
  Sampling sampling;
  sampling.temperature = realNumber(raw, "--temperature", 0, 0, 1e6,
                                    "a number that is not negative");
  sampling.topP = realNumber(raw, "--top-p", 1, 0, 1, "a number from 0 to 1");
  sampling.topK = int64_t(wholeNumber(raw, "--top-k", 0));
  sampling.seed = wholeNumber(raw, "--seed", 0);
  int64_t limit =
      raw.find("--tokens") ? int64_t(wholeNumber(raw, "--tokens", 0)) : -1;
  const std::string *device = raw.find("--device");
  DeviceChoice choice = parseDevice(device ? *device : "auto");
  LocalModel model(program, manifest, llm, choice,
                   parseWeightPaths(raw.weights, manifest));
  const std::string *prompt = raw.find("--prompt");
  auto emit = [](std::string_view text) {
    write(text);
    return true;
  };
  Stop stop =
      model.generate(prompt ? *prompt : "", limit, sampling, emit, raw.special);
  write("\n");
  if (stop == Stop::Context)
    std::fprintf(stderr,
                 "the context of llm '%s' is full: it has room for %lld "
                 "tokens\n",
                 llm.name.c_str(), static_cast<long long>(llm.context));
  report(raw, llm, model.stats(), stop);
}

void runTokens(const std::vector<std::string> &arguments,
               const Manifest &manifest, const std::string &exe) {
  RawOptions raw = split(arguments, {"--text"}, false);
  if (raw.help)
    return write(
        "usage: " + exe +
        " tokens LLM --text TEXT [--special]\n\n"
        "The tokens of a text, as numbers. With --special the names of "
        "special tokens\nare these tokens.\n");
  const ManifestLlm &llm = findLlm(raw.llm, manifest, "tokens");
  const std::string *text = raw.find("--text");
  if (!text)
    refuse("expected '--text TEXT' behind 'tokens " + llm.name + "'");
  std::string line;
  for (int32_t token : openTokenizer(llm)->encode(*text, raw.special))
    line += (line.empty() ? "" : " ") + std::to_string(token);
  write(line + "\n");
}

} // namespace agt::rt
