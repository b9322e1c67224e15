// agt_main: the command line of a program, language.md section 9.
//
// Everything that only describes the program (no argument, --help, --json,
// --version, run --help) is answered from constant data, with no device, no
// library and no file touched.
#include "runtime/Cli/Main.h"
#include "runtime/Cli/Crash.h"
#include "runtime/Cli/Faults.h"
#include "runtime/Cli/Help.h"
#include "runtime/Cli/Ranks.h"
#include "runtime/Cli/Run.h"
#include "runtime/Cli/RunOptions.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

namespace agt::rt {
namespace {

bool contains(const std::vector<std::string> &list, const std::string &word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

[[noreturn]] void refuseCommand(const std::string &word) {
  // Commands that are about agents or local models, which this runtime serves
  // only in programs that have them.
  const std::vector<std::string> agentCommands = {
      "start",   "resume",  "runs",   "log",    "watch",  "cancel",
      "replay",  "fork",    "signal", "export", "import", "gc",
      "approve", "resolve", "worker", "submit", "ui"};
  if (contains(agentCommands, word))
    fail(AGT_BAD_INPUT,
         "the program has no agents, which '" + word + "' is about");
  if (contains({"generate", "tokens", "serve"}, word))
    fail(AGT_BAD_INPUT,
         "the program has no llms, which '" + word + "' is about");
  std::vector<std::string> known = {"run", "--help", "--version", "--json"};
  std::string guess = didYouMean(word, known);
  fail(AGT_BAD_INPUT,
       std::string("unknown ") + (word[0] == '-' ? "option" : "command") +
           " '" + word + "'" +
           (guess.empty() ? ", expected run, --help, --version or --json"
                          : guess));
}

void print(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

// `words` are the arguments behind the program's own name.
void runCommand(const std::string &exe, const std::vector<std::string> &words,
                const agt_program &program) {
  checkVersion(program);
  Manifest manifest = parseManifest(program);
  if (words.empty())
    return print(listingText(manifest, exe));
  const std::string &word = words.front();
  std::vector<std::string> rest(words.begin() + 1, words.end());
  if (word == "run") {
    std::unique_ptr<MpiWorld> world = joinRanks(manifest, rest);
    RunOptions options = parseRunOptions(rest, program, manifest);
    if (options.help && !isSilentRank())
      print(runHelpText(manifest, exe));
    if (options.help)
      return;
    checkRanks(program.graphs[options.graph]);
    return runGraph(program, manifest, options, world.get());
  }
  bool describes = word == "--help" || word == "-h" || word == "--version" ||
                   word == "--json";
  if (!describes)
    refuseCommand(word.empty() ? "''" : word);
  if (!rest.empty())
    fail(AGT_BAD_INPUT,
         "unexpected argument '" + rest.front() + "' behind '" + word + "'");
  if (word == "--version")
    return print(manifest.program + " " + manifest.hash + "\n");
  if (word == "--json")
    return print(manifestText(program));
  print(helpText(manifest, exe));
}

} // namespace

void outliveFileLimit() { std::signal(SIGXFSZ, SIG_IGN); }

void checkVersion(const agt_program &program) {
  if (program.abi != AGT_ABI_VERSION)
    fail(AGT_FAILED, "the program was compiled for version " +
                         std::to_string(program.abi) +
                         " of the runtime, this is version " +
                         std::to_string(AGT_ABI_VERSION));
}

std::string callName(const char *path) {
  std::string text = path ? path : "";
  std::string name = text.substr(text.rfind('/') + 1);
  return text == "./" + name ? text : name;
}

int reportFailure(agt_status status) {
  if (isSilentRank()) {
    int code = agt_status_code(status);
    agt_status_release(status);
    // mpirun ends all ranks when one fails: rank 0 speaks first.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return code;
  }
  std::string place = printable(agt_status_place(status));
  std::fflush(stdout);
  for (const std::string &message : messagesOf(agt_status_message(status)))
    if (!message.empty())
      std::fprintf(stderr, "%serror: %s\n",
                   place.empty() ? "" : (place + ": ").c_str(),
                   printable(message).c_str());
  int code = agt_status_code(status);
  agt_status_release(status);
  return code;
}

} // namespace agt::rt

int agt_main(int argc, char **argv, const agt_program *program) {
  using namespace agt::rt;
  outliveFileLimit();
  reportCrashes();
  agt_status status = guard([&] {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    runCommand(callName(argc ? argv[0] : nullptr), words, *program);
    if (std::fflush(stdout) != 0)
      fail(AGT_FAILED, "cannot write to the standard output");
  });
  return status ? reportFailure(status) : AGT_OK;
}
