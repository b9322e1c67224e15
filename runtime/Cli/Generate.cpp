// See Generate.h.
#include "runtime/Cli/Generate.h"

#include "runtime/Cli/ModelOptions.h"
#include "runtime/Cli/StatsForm.h"
#include "runtime/Generate/LocalModel.h"
#include "runtime/Generate/TextStream.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace agt::rt {
namespace {

const char *textOf(Stop stop) {
  switch (stop) {
  case Stop::EndOfText:
    return "end of text";
  case Stop::Tokens:
    return "tokens";
  case Stop::Context:
    return "context";
  case Stop::Asked:
    return "stop";
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
         "  --min-p X            choose among those at least X times as likely "
         "as the likeliest\n"
         "  --repetition-penalty X\n"
         "                       above 1: tokens that came before are less "
         "likely\n"
         "  --stop TEXT          end before TEXT; may be given again\n"
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
  ModelCommand command;
  command.single = {"--prompt", "--tokens", "--temperature",        "--top-k",
                    "--top-p",  "--min-p",  "--repetition-penalty", "--seed",
                    "--device"};
  command.several = {"--weights", "--stop"};
  command.flags = {"--special"};
  command.hasStats = true;
  ModelOptions options = parseModelOptions(arguments, command);
  if (options.help)
    return write(generateHelp(exe));
  const ManifestLlm &llm = findLlm(options.llm, manifest, "generate");
  checkStatsForm(options.stats);
  Sampling sampling;
  sampling.temperature = options.realNumber("--temperature", 0, 0, 1e6,
                                            "a number that is not negative");
  sampling.topP =
      options.realNumber("--top-p", 1, 0, 1, "a number from 0 to 1");
  sampling.minP =
      options.realNumber("--min-p", 0, 0, 1, "a number from 0 to 1");
  sampling.repetition = options.realNumber("--repetition-penalty", 1, 1e-3, 1e3,
                                           "a number from 0.001 to 1000");
  sampling.topK = int64_t(options.wholeNumber("--top-k", 0));
  sampling.seed = options.wholeNumber("--seed", 0);
  int64_t limit = options.find("--tokens")
                      ? int64_t(options.wholeNumber("--tokens", 0))
                      : -1;
  const std::string *device = options.find("--device");
  DeviceChoice choice = parseDevice(device ? *device : "auto");
  LocalModel model(program, manifest, llm, choice,
                   parseWeightPaths(options.list("--weights"), manifest));
  const std::string *prompt = options.find("--prompt");
  TextStream stream(options.list("--stop"));
  auto emit = [&](std::string_view bytes) {
    write(stream.take(bytes));
    return !stream.isStopped();
  };
  Stop stop = model.generate(prompt ? *prompt : "", limit, sampling, emit,
                             options.flag("--special"));
  write(stream.end() + "\n");
  if (stop == Stop::Context)
    std::fprintf(stderr,
                 "the context of llm '%s' is full: it has room for %lld "
                 "tokens\n",
                 llm.name.c_str(), static_cast<long long>(llm.context));
  writeStats(options.stats, statsObject(llm, model.stats(), stop).dump() + "\n",
             statsText(model.stats(), stop));
}

void runTokens(const std::vector<std::string> &arguments,
               const Manifest &manifest, const std::string &exe) {
  ModelCommand command;
  command.single = {"--text"};
  command.flags = {"--special"};
  ModelOptions options = parseModelOptions(arguments, command);
  if (options.help)
    return write(
        "usage: " + exe +
        " tokens LLM --text TEXT [--special]\n\n"
        "The tokens of a text, as numbers. With --special the names of "
        "special tokens\nare these tokens.\n");
  const ManifestLlm &llm = findLlm(options.llm, manifest, "tokens");
  const std::string *text = options.find("--text");
  if (!text)
    fail(AGT_BAD_INPUT,
         "expected '--text TEXT' behind 'tokens " + llm.name + "'");
  std::string line;
  for (int32_t token :
       openTokenizer(llm)->encode(*text, options.flag("--special")))
    line += (line.empty() ? "" : " ") + std::to_string(token);
  write(line + "\n");
}

} // namespace agt::rt
