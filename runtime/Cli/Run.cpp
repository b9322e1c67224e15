// See Run.h. The device is opened by the plan when it is needed, after the
// files have been read and the shapes checked: a typing mistake is told at
// once, and as a mistake even where there is no device.
#include "runtime/Cli/Run.h"

#include "runtime/Cli/Check.h"
#include "runtime/Cli/Files.h"
#include "runtime/Cli/Ranks.h"
#include "runtime/Cli/Report.h"
#include "runtime/Plan/Context.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Dtype.h"
#include "runtime/Tensor/Tensor.h"
#include "runtime/Vulkan/Instance.h"

#include <cstdio>
#include <optional>
#include <unistd.h>

namespace agt::rt {

namespace {

// One line on the terminal that says what is going on; nothing elsewhere.
class Progress {
public:
  Progress() : shown(isatty(STDERR_FILENO)) {}
  ~Progress() { clear(); }
  void show(const std::string &text) {
    if (shown)
      std::fprintf(stderr, "\r\033[K%s ...", text.c_str());
  }
  void clear() {
    if (shown)
      std::fprintf(stderr, "\r\033[K");
  }

private:
  bool shown;
};

class GraphRun {
public:
  GraphRun(const agt_program &program, const Manifest &manifest,
           const RunOptions &options, MpiWorld *world)
      : options(options), world(world), graph(program.graphs[options.graph]),
        manifest(manifest), declared(manifest.graphs[options.graph]),
        context(options.devices), results(graph.n_results) {
    bool measured = options.stats != StatsForm::None || options.repeatGiven ||
                    !options.trace.empty();
    context.settings.repeat = options.repeat;
    context.settings.linkRates = options.linkRates;
    context.settings.policy = options.policy;
    context.settings.warmUp = measured;
    context.settings.launchTimes =
        options.stats != StatsForm::None || !options.trace.empty();
    if (options.check) {
      check = std::make_unique<Check>(program, graph);
      context.settings.observe = [this](size_t number, const void *data,
                                        size_t bytes) {
        check->keepValue(number, data, bytes);
      };
    }
    context.settings.world = world;
    if (isSilentRank())
      return;
    context.settings.progress = [this](const std::string &text) {
      progress.show(text);
    };
  }

  void run() {
    if (world)
      return runAsRank();
    Outputs outputs = checkedOutputs();
    readInputs();
    compute(inputs->tensors());
    writeAndReport(outputs);
  }

private:
  void runAsRank() {
    std::optional<Outputs> outputs;
    SharedInputs shared(*world, [&] {
      outputs.emplace(checkedOutputs());
      readInputs();
      return inputs->tensors();
    });
    compute(shared.tensors());
    if (outputs)
      writeAndReport(*outputs);
  }

  // What can be said of them before the work is.
  Outputs checkedOutputs() const {
    Outputs outputs(graph, options.out);
    std::vector<std::string> paths = outputs.paths();
    for (const std::string &file : {options.statsFile, options.trace})
      if (!file.empty()) {
        checkWritable(file);
        paths.push_back(file);
      }
    for (auto a = paths.begin(); a != paths.end(); ++a)
      for (auto b = paths.begin(); b != a; ++b)
        if (areOneFile(*a, *b))
          fail(AGT_BAD_INPUT, "two outputs would be written to '" + *a + "'");
    return outputs;
  }

  void readInputs() {
    context.step("read inputs", [&] {
      inputs = std::make_unique<Inputs>(graph, manifest, declared, options.in,
                                        options.weights);
    });
  }

  void compute(const std::vector<agt_tensor> &in) {
    std::vector<RunReport::Step> before = context.report.steps;
    if (check)
      check->keepInputs(in);
    rethrow(graph.run(&context, in.data(), in.size(), results.tensors.data(),
                      results.tensors.size()));
    std::vector<RunReport::Step> &steps = context.report.steps;
    steps.insert(steps.begin(), before.begin(), before.end());
  }

  void writeAndReport(const Outputs &outputs) {
    context.step("write results",
                 [&] { outputs.write(results.tensors.data()); });
    progress.clear();
    if (check)
      return check->judge(context.device().properties().name);
    report(outputs.empty());
  }

  void report(bool resultsDropped) {
    Stats stats = collectStats(graph.name, context.report);
    if (!options.trace.empty())
      writeFile(options.trace, traceJson(graph.name, context.report));
    if (options.stats == StatsForm::Text)
      print(statsText(stats));
    else if (options.stats == StatsForm::Json && options.statsFile.empty())
      print(statsJson(stats));
    else if (options.stats == StatsForm::Json)
      writeFile(options.statsFile, statsJson(stats));
    else if (options.repeatGiven)
      print(secondsText(stats.time) + "\n");
    else if (resultsDropped && options.trace.empty())
      describeResults();
  }

  // Without --out there is still something to say: what came out.
  void describeResults() {
    for (size_t i = 0; i < results.tensors.size(); ++i) {
      const agt_tensor &tensor = results.tensors[i];
      print(resultName(graph, i) + ": tensor<" + dtypeName(tensor.dtype) +
            ", " + shapeText(tensor.shape, size_t(tensor.rank)) + ">\n");
    }
  }

  static void writeFile(const std::string &path, const std::string &text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
  }

  static void print(const std::string &text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
      fail(AGT_FAILED, "cannot write to the standard output");
  }

  const RunOptions &options;
  MpiWorld *world;
  const agt_graph &graph;
  const Manifest &manifest;
  const ManifestGraph &declared;
  Progress progress;
  std::unique_ptr<Inputs> inputs;
  std::unique_ptr<Check> check; // where --check is given
  agt_context context;
  Results results;
};

} // namespace

void runGraph(const agt_program &program, const Manifest &manifest,
              const RunOptions &options, MpiWorld *world) {
  GraphRun(program, manifest, options, world).run();
  // Objects that were left on the device show when it is closed.
  if (validationErrorCount())
    fail(AGT_FAILED, "the Vulkan validation layer found errors");
}

} // namespace agt::rt
