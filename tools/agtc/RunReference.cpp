// `agtc run --reference FILE GRAPH ...`: a program made on the spot. Its graphs
// have no kernels: what the runtime calls to run one is the oracle, so that the
// command line, the files and all messages are those of a compiled program.
// Results reach the runtime as constants of a plan for the null device.
//
// `--f64 [NAME=]FILE` and `--bounds [NAME=]FILE` are the oracle's own: float64
// values before rounding to f32, and how far a device may be from them.
#include "codegen/host/ModelManifest.h"
#include "dialect/Agt/Place.h"
#include "reference/Bytes.h"
#include "reference/Footprint.h"
#include "reference/Interpreter.h"
#include "tools/agtc/Commands.h"
#include "tools/agtc/Frontend.h"
#include "tools/agtc/NpyDoubles.h"
#include "tools/agtc/Source.h"

#include "agt/memory.h"
#include "agt/runtime.h"
#include "dialect/Agt/Attributes.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <new>
#include <stdexcept>

using namespace agt;
using namespace agt::tool;
using reference::Element;
using reference::Tensor;

namespace {

/// A file of float64 for one result.
struct ExtraFile {
  std::string name; // of the result; empty: the next in declared order
  std::string path;
  std::string word; // as given
  bool bounds;
};

/// What a graph of the program is declared as; owns the texts.
struct Declared {
  GraphOp op;
  std::string name, place;
  std::vector<std::string> names; // of parameters, then results
  std::vector<agt_param> params, results;
};

/// The command's state: agt_graph_fn has no room for a pointer of ours.
struct Command {
  std::vector<Declared> graphs;
  std::vector<agt_graph> table;
  std::string manifest;
  size_t selected = 0;
  std::vector<ExtraFile> extras;
};

} // namespace

static Command *current = nullptr;

//===----------------------------------------------------------------------===//
// Tensors to and from the runtime
//===----------------------------------------------------------------------===//

static agt_dtype dtypeOf(Element element) {
  constexpr agt_dtype dtypes[] = {AGT_F32, AGT_F16, AGT_BF16, AGT_F8E4M3,
                                  AGT_I8,  AGT_I32, AGT_I64,  AGT_BOOL};
  return dtypes[static_cast<int>(element)];
}

static Element elementOfParam(const agt_param &param) {
  for (int i = 0;; ++i)
    if (dtypeOf(static_cast<Element>(i)) == param.dtype)
      return static_cast<Element>(i);
}

static std::vector<Tensor> readInputs(const Declared &graph,
                                      const agt_tensor *in) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < graph.params.size(); ++i) {
    llvm::ArrayRef<int64_t> shape(in[i].shape, in[i].rank);
    auto strides = reference::stridesOf(shape);
    if (in[i].strides)
      strides.assign(in[i].strides, in[i].strides + in[i].rank);
    inputs.push_back(reference::fromBytes(elementOfParam(graph.params[i]),
                                          shape, strides, in[i].data));
  }
  return inputs;
}

/// Hands results to the plan; the first failure is returned.
static agt_status giveResults(agt_run *run,
                              const std::vector<Tensor> &results) {
  for (size_t i = 0; i < results.size(); ++i) {
    auto bytes = reference::toBytes(results[i]);
    agt_buffer *buffer = nullptr;
    if (agt_status status =
            agt_graph_constant(run, bytes.data(), bytes.size(), &buffer))
      return status;
    if (agt_status status =
            agt_graph_output(run, i, buffer, results[i].shape.data()))
      return status;
  }
  return nullptr;
}

static agt_status failRun(agt_run *run, llvm::Error error) {
  agt_status status = nullptr;
  llvm::handleAllErrors(
      std::move(error), [&](const reference::RunError &failed) {
        status = agt_graph_fail(run, AGT_BAD_INPUT, failed.place.c_str(),
                                failed.message.c_str(), 0, 0);
      });
  return status;
}

/// The position of the result that an extra file is for, or nothing.
static std::optional<size_t> resultOf(const ExtraFile &file,
                                      const Declared &graph, size_t &next) {
  if (file.name.empty())
    return next < graph.results.size() ? std::optional(next++) : std::nullopt;
  for (size_t i = 0; i < graph.results.size(); ++i)
    if (file.name == graph.results[i].name)
      return i;
  return std::nullopt;
}

static agt_status writeExtras(agt_run *run,
                              const std::vector<Tensor> &results) {
  const Declared &graph = current->graphs[current->selected];
  size_t nextValue = 0, nextBound = 0;
  for (const ExtraFile &file : current->extras) {
    auto result = resultOf(file, graph, file.bounds ? nextBound : nextValue);
    if (!result) {
      std::string text = "graph '" + graph.name + "' has no result for '" +
                         (file.bounds ? "--bounds " : "--f64 ") + file.word +
                         "'";
      return agt_graph_fail(run, AGT_BAD_INPUT, "", text.c_str(), 0, 0);
    }
    const Tensor &tensor = results[*result];
    std::vector<double> values;
    for (int64_t i = 0; i < tensor.size(); ++i)
      values.push_back(file.bounds ? tensor.bound(i) : tensor.number(i));
    if (!writeOutput(file.path, npyOfDoubles(tensor.shape, values)))
      return agt_graph_fail(run, AGT_BAD_INPUT, "", "a result was not written",
                            0, 0);
  }
  return nullptr;
}

/// Says before the work how much memory it takes, where there is less.
static agt_status checkMemory(const Declared &graph, const agt_tensor *in) {
  std::vector<std::vector<int64_t>> shapes;
  for (size_t i = 0; i < graph.params.size(); ++i)
    shapes.emplace_back(in[i].shape, in[i].shape + in[i].rank);
  std::string who = "graph '" + graph.name + "' in float64";
  std::optional<uint64_t> bytes = reference::footprint(graph.op, shapes);
  return bytes ? agt_memory_check(who.c_str(), *bytes, graph.place.c_str())
               : nullptr;
}

namespace {
/// Too little memory is an exception meanwhile, and not the end of agtc.
class CatchesTooLittle {
public:
  CatchesTooLittle() : known(std::set_new_handler(nullptr)) {}
  ~CatchesTooLittle() { std::set_new_handler(known); }

private:
  std::new_handler known;
};
} // namespace

/// What a container says of too many elements is nothing that a user asked.
static llvm::Expected<std::vector<Tensor>> interpret(const Declared &graph,
                                                     const agt_tensor *in) {
  CatchesTooLittle meanwhile;
  try {
    return reference::run(graph.op, readInputs(graph, in));
  } catch (const std::length_error &) {
  } catch (const std::bad_alloc &) {
  }
  return llvm::make_error<reference::RunError>(
      graph.place, "out of memory: graph '" + graph.name +
                       "' holds 8 to 16 bytes an element in float64");
}

/// The agt_graph_fn of every graph.
static agt_status runOracle(agt_context *context, const agt_tensor *in,
                            size_t n_in, agt_tensor *out, size_t n_out) {
  const Declared &graph = current->graphs[current->selected];
  if (agt_status status = checkMemory(graph, in))
    return status;
  agt_run *run = nullptr;
  if (agt_status status = agt_graph_begin(
          context, &current->table[current->selected], in, n_in, n_out, &run))
    return status;
  auto results = interpret(graph, in);
  if (!results)
    return failRun(run, results.takeError());
  if (agt_status status = giveResults(run, *results))
    return status;
  if (agt_status status = writeExtras(run, *results))
    return status;
  return agt_graph_end(run, out);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static std::string textAttr(mlir::DictionaryAttr attrs, llvm::StringRef name) {
  auto text = attrs ? attrs.getAs<mlir::StringAttr>(name) : nullptr;
  return text ? text.str() : "";
}

/// Adds parameters or results, and their part of the manifest.
static void declare(mlir::TypeRange types,
                    llvm::function_ref<mlir::DictionaryAttr(unsigned)> attrs,
                    Declared &graph, std::vector<agt_param> &params,
                    llvm::json::Array &json) {
  for (auto [i, type] : llvm::enumerate(types)) {
    graph.names.push_back(textAttr(attrs(i), kName));
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    params.push_back({nullptr, dtypeOf(reference::elementOf(type)),
                      static_cast<int32_t>(tensor.getRank())});
    json.push_back(llvm::json::Object{{"name", graph.names.back()},
                                      {"type", textAttr(attrs(i), kType)}});
  }
}

static void addGraph(GraphOp op, Command &command, llvm::json::Array &graphs) {
  Declared &graph = command.graphs.emplace_back();
  graph.op = op;
  graph.name = op.getSymName().str();
  graph.place = placeOf(op.getLoc());
  llvm::json::Array params, results;
  declare(
      op.getArgumentTypes(), [&](unsigned i) { return op.getArgAttrDict(i); },
      graph, graph.params, params);
  // Those behind are not the caller's.
  while (params.size() > host::countParams(op))
    params.pop_back();
  declare(
      op.getResultTypes(), [&](unsigned i) { return op.getResultAttrDict(i); },
      graph, graph.results, results);
  llvm::json::Object object{{"name", graph.name},
                            {"doc", op.getDoc().value_or("").str()},
                            {"params", std::move(params)},
                            {"results", std::move(results)}};
  if (auto inputs = host::inputsJson(op))
    object["inputs"] = std::move(*inputs);
  graphs.push_back(std::move(object));
}

/// Fills in what points into strings, which no longer move.
static void makeTable(Command &command) {
  for (Declared &graph : command.graphs) {
    auto name = graph.names.begin();
    for (auto *params : {&graph.params, &graph.results})
      for (agt_param &param : *params)
        param.name = (name++)->c_str();
    command.table.push_back(
        {graph.name.c_str(), graph.place.c_str(), graph.params.data(),
         graph.results.data(), static_cast<uint32_t>(graph.params.size()),
         static_cast<uint32_t>(graph.results.size()), runOracle, nullptr});
  }
}

static void makeProgram(mlir::ModuleOp module, llvm::StringRef file,
                        Command &command) {
  llvm::json::Array graphs;
  for (auto op : module.getOps<GraphOp>())
    addGraph(op, command, graphs);
  makeTable(command);
  llvm::json::Object manifest{{"program", file},
                              {"hash", ""},
                              {"graphs", std::move(graphs)},
                              {"weights", host::weightsJson(module)}};
  llvm::raw_string_ostream(command.manifest)
      << llvm::json::Value(std::move(manifest));
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

/// Takes the oracle's own options out of `words`. False, with a message, when
/// one has no value.
static bool takeExtras(std::vector<std::string> &words, Command &command) {
  std::vector<std::string> rest;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "--f64" && words[i] != "--bounds") {
      rest.push_back(words[i]);
      continue;
    }
    bool bounds = words[i] == "--bounds";
    if (++i == words.size()) {
      complain("expected a file behind '" + words[i - 1] + "'");
      return false;
    }
    llvm::StringRef word = words[i];
    auto [name, path] = word.split('=');
    if (!word.contains('='))
      std::swap(name, path);
    if (path.empty() || word.starts_with("=")) {
      complain("expected FILE or NAME=FILE behind '" + words[i - 1] +
               "', got '" + word + "'");
      return false;
    }
    command.extras.push_back({name.str(), path.str(), words[i], bounds});
  }
  words = std::move(rest);
  return true;
}

/// The first word that is neither an option nor the value of one.
static std::string graphName(const std::vector<std::string> &words) {
  static const llvm::StringSet<> withValue = {
      "--in",  "--out",    "--device", "--devices",   "--weights",
      "--set", "--repeat", "--trace",  "--link-rate", "--policy"};
  for (size_t i = 0; i < words.size(); ++i) {
    if (withValue.contains(words[i]))
      ++i;
    else if (!llvm::StringRef(words[i]).starts_with("-"))
      return words[i];
  }
  return "";
}

/// Calls the runtime as a program would.
static int runProgram(Command &command, const RunReferenceOptions &options,
                      const std::vector<std::string> &words) {
  // Last, so that it wins over a --device of the user.
  std::vector<std::string> all = {"agtc run --reference " + options.input,
                                  "run"};
  all.insert(all.end(), words.begin(), words.end());
  all.insert(all.end(), {"--device", "null"});
  std::vector<char *> argv;
  for (std::string &word : all)
    argv.push_back(word.data());
  agt_program program{AGT_ABI_VERSION,
                      command.manifest.c_str(),
                      command.table.data(),
                      command.table.size(),
                      nullptr,
                      0};
  current = &command;
  int code = agt_main(static_cast<int>(argv.size()), argv.data(), &program);
  current = nullptr;
  return code;
}

int agt::tool::runReference(const RunReferenceOptions &options) {
  Command command;
  std::vector<std::string> words = options.arguments;
  if (!takeExtras(words, command))
    return BadUsage;
  std::string name = graphName(words);
  auto frontend = frontendOptions(options.defines, options.only);
  if (!frontend)
    return BadUsage;
  frontend->graph = name; // what it does not call need not compile
  Source source;
  if (!source.read(options.input))
    return BadUsage;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  FrontendResult result =
      compileToAgt(source.diagnostics, source.mainBuffer, context, *frontend);
  if (!result.module)
    return exitCode(result.status);
  makeProgram(*result.module, options.input, command);
  for (auto [i, graph] : llvm::enumerate(command.graphs))
    if (graph.name == name)
      command.selected = i;
  return runProgram(command, options, words);
}
