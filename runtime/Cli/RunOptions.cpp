// See RunOptions.h. CLI11 splits the command line; values are checked here, so
// that every message is ours and names what it is about.
#include "runtime/Cli/RunOptions.h"

#include "runtime/Cli/StatsForm.h"
#include "runtime/Cli/Words.h"
#include "runtime/Mesh/Mesh.h"
#include "runtime/Program/ModelInputs.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

namespace agt::rt {

namespace {
// The words as they were given.
struct RawOptions {
  std::string graph;
  std::vector<std::string> in, out, weights, set, linkRate;
  std::string device, devices, repeat, stats, trace, policy;
  bool check = false;
  bool help = false;
};
} // namespace

static const std::vector<std::string> &optionNames() {
  static const std::vector<std::string> names = {
      "--in",   "--out",       "--device", "--devices", "--weights",
      "--set",  "--repeat",    "--stats",  "--trace",   "--check",
      "--help", "--link-rate", "--policy"};
  return names;
}

[[noreturn]] static void refuse(const std::string &text) {
  fail(AGT_BAD_INPUT, text);
}

// An empty value is a shell variable that was not set, not a wish for what
// holds without the option.
static void checkValues(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options()) {
    if (option->get_positional() || option->get_expected_max() == 0)
      continue;
    for (const std::string &value : option->results())
      if (value.empty())
        refuse("expected a value behind '" + option->get_name() + "'");
  }
}

static RawOptions split(const std::vector<std::string> &arguments) {
  RawOptions raw;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.add_option("graph", raw.graph);
  auto list = [&](const char *name, std::vector<std::string> &values) {
    app.add_option(name, values)
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
  };
  auto single = [&](const char *name, std::string &value) {
    app.add_option(name, value)->take_last();
  };
  list("--in", raw.in);
  list("--out", raw.out);
  list("--weights", raw.weights);
  list("--set", raw.set);
  list("--link-rate", raw.linkRate);
  single("--device", raw.device);
  single("--devices", raw.devices);
  single("--repeat", raw.repeat);
  single("--trace", raw.trace);
  single("--policy", raw.policy);
  app.add_flag("--stats{text}", raw.stats)->take_last();
  app.add_flag("--check", raw.check);
  app.add_flag("--help,-h", raw.help);

  // To CLI11 that is the same as --stats.
  if (std::count(arguments.begin(), arguments.end(), "--stats="))
    refuseStatsForm("");
  parseWords(app, arguments, optionNames());
  if (!raw.help) {
    refuseExtras(app, optionNames());
    checkValues(app);
  }
  return raw;
}

static size_t findGraph(const std::string &name, const Manifest &manifest) {
  std::vector<std::string> names;
  for (const ManifestGraph &graph : manifest.graphs)
    if (!graph.hidden) // those are the last
      names.push_back(graph.name);
  std::string all = names.empty() ? "it has none" : "it has " + listText(names);
  if (name.empty())
    refuse("expected the name of a graph behind 'run', " + all);
  auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end())
    return size_t(found - names.begin());
  std::string guess = didYouMean(name, names);
  refuse("the program has no graph '" + name + "'" +
         (guess.empty() ? ", " + all : guess));
}

static std::vector<std::string> splitAtCommas(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// One for each position; a shorter list is gone through again.
static std::vector<DeviceChoice> chooseDevices(const RawOptions &raw,
                                               const agt_graph &graph) {
  size_t positions = graph.mesh ? size_t(positionsOf(*graph.mesh)) : 1;
  if (raw.devices.empty())
    return {parseDevice(raw.device.empty() ? "auto" : raw.device)};
  if (!raw.device.empty())
    refuse("expected --device or --devices, got both");
  std::vector<std::string> parts = splitAtCommas(raw.devices);
  if (parts.size() > positions)
    refuse(std::string("graph '") + graph.name + "' has " +
           (positions == 1 ? "one position"
                           : std::to_string(positions) + " positions") +
           ", got " + std::to_string(parts.size()) + " devices: '" +
           raw.devices + "'");
  std::vector<DeviceChoice> listed, choices;
  for (const std::string &part : parts)
    listed.push_back(parseDevice(part));
  for (size_t i = 0; i < positions; ++i)
    choices.push_back(listed[i % listed.size()]);
  return choices;
}

static std::map<std::string, double>
parseLinkRates(const std::vector<std::string> &texts, const agt_graph &graph) {
  std::map<std::string, double> rates;
  std::vector<std::string> axes;
  for (uint64_t i = 0; graph.mesh && i < graph.mesh->n_axes; ++i)
    axes.push_back(graph.mesh->axes[i].name);
  for (const std::string &text : texts) {
    std::string axis = text.substr(0, text.find('='));
    std::string rate = text.substr(std::min(axis.size() + 1, text.size()));
    std::string of = std::string("graph '") + graph.name + "' ";
    if (axes.empty())
      refuse(of + "has no axis '" + axis + "': it runs on one device");
    std::optional<double> value = parseRate(rate);
    if (!value)
      refuse("expected AXIS=RATE, such as " + axes.front() +
             "=50MB/s, behind '--link-rate', got '" + text + "'");
    if (!std::count(axes.begin(), axes.end(), axis))
      refuse(of + "has no axis '" + axis + "', it has " + listText(axes));
    if (!rates.emplace(axis, *value).second)
      refuse("axis '" + axis + "' has two rates behind '--link-rate'");
  }
  return rates;
}

static uint32_t parseRepeat(const std::string &text) {
  bool digits = !text.empty() && text.size() <= 9 &&
                text.find_first_not_of("0123456789") == std::string::npos;
  uint32_t value = digits ? uint32_t(std::stoul(text)) : 0;
  if (value == 0)
    refuse("expected a whole number from 1 to 999999999 behind '--repeat', "
           "got '" +
           text + "'");
  return value;
}

static void parseStats(const std::string &text, RunOptions &options) {
  if (text.empty())
    return;
  if (text == "text" || text == "true") {
    options.stats = StatsForm::Text;
  } else if (text == "json") {
    options.stats = StatsForm::Json;
  } else if (text.rfind("json:", 0) == 0 && text.size() > 5) {
    options.stats = StatsForm::Json;
    options.statsFile = text.substr(5);
  } else {
    refuseStatsForm(text);
  }
}

// Options that are about something this program or graph does not have.
static void refuseWhatIsAbsent(const RawOptions &raw, const agt_graph &graph) {
  auto nameIn = [](const std::string &text) {
    return "'" + text.substr(0, text.find('=')) + "'";
  };
  if (!raw.set.empty())
    refuse("the program has no number " + nameIn(raw.set.front()) + " to set");
}

/// Where the rows of a launch are those of branches over one prefix, keys that
/// stay are called stationary, and rows that are shared distributed.
static Policy policyNamed(const std::string &text) {
  for (auto [name, policy] :
       {std::pair(policyName(Policy::PassKV), Policy::PassKV),
        {policyName(Policy::PassQ), Policy::PassQ},
        {"distributed", Policy::PassKV},
        {"stationary", Policy::PassQ}})
    if (text == name)
      return policy;
  refuse("expected pass-kv or distributed, pass-q or stationary behind "
         "'--policy', got '" +
         text + "'" +
         didYouMean(text, {"pass-kv", "pass-q", "stationary", "distributed"}));
}

static Policy parsePolicy(const std::string &text, const agt_graph &graph,
                          const ManifestGraph &declared) {
  if (text.empty())
    return Policy::None;
  std::string of = std::string("graph '") + graph.name + "' ";
  if (!graph.mesh)
    refuse(of +
           "has no transfers to choose a policy for: it runs on one device");
  Policy policy = policyNamed(text);
  const std::vector<std::string> &known = declared.policies;
  if (std::count(known.begin(), known.end(), policyName(policy)))
    return policy;
  refuse(of + "cannot be run with '--policy " + text + "': " +
         (declared.noPolicy.empty()
              ? "its transfers were chosen when it was compiled"
              : declared.noPolicy));
}

// A run that stops at each kernel has no time worth telling.
static bool parseCheck(const RawOptions &raw, const agt_program &program,
                       const agt_graph &graph) {
  if (!raw.check)
    return false;
  if (graph.mesh)
    refuse(std::string("graph '") + graph.name +
           "' runs on a mesh; --check compares the kernels of one device");
  if (!program.ir)
    refuse("the program does not hold its graphs as IR, which --check goes by");
  const char *other = !raw.stats.empty()    ? "--stats"
                      : !raw.repeat.empty() ? "--repeat"
                      : !raw.trace.empty()  ? "--trace"
                                            : nullptr;
  if (other)
    refuse(std::string("expected --check or ") + other +
           ", got both: a run that is checked is not timed");
  return true;
}

RunOptions parseRunOptions(const std::vector<std::string> &arguments,
                           const agt_program &program,
                           const Manifest &manifest) {
  RawOptions raw = split(arguments);
  RunOptions options;
  options.help = raw.help;
  if (raw.help)
    return options;
  options.graph = findGraph(raw.graph, manifest);
  const agt_graph &graph = program.graphs[options.graph];
  refuseWhatIsAbsent(raw, graph);
  options.check = parseCheck(raw, program, graph);
  options.weights = parseWeightPaths(raw.weights, manifest);
  options.in = raw.in;
  options.out = raw.out;
  options.devices = chooseDevices(raw, graph);
  options.linkRates = parseLinkRates(raw.linkRate, graph);
  options.policy =
      parsePolicy(raw.policy, graph, manifest.graphs[options.graph]);
  options.repeatGiven = !raw.repeat.empty();
  if (options.repeatGiven)
    options.repeat = parseRepeat(raw.repeat);
  parseStats(raw.stats, options);
  options.trace = raw.trace;
  return options;
}

} // namespace agt::rt
