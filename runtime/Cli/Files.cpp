// See Files.h. A spec is NAME=PATH or PATH; it is the first when what stands
// before the first '=' could be a name. One that begins with '=' has lost its
// name: it is neither.
#include "runtime/Cli/Files.h"

#include "runtime/Cli/Faults.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Npy.h"
#include "runtime/Tensor/Safetensors.h"

#include <algorithm>
#include <cctype>

namespace agt::rt {

[[noreturn]] static void refuse(const std::string &text) {
  fail(AGT_BAD_INPUT, text);
}

namespace {
struct Spec {
  std::string name; // "" when none is given
  std::string path;
};
} // namespace

static Spec parseSpec(const std::string &text) {
  size_t end = text.find('=');
  if (end == std::string::npos)
    return {"", text};
  if (end == 0)
    return {"", ""};
  for (size_t i = 0; i < end; ++i) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (!std::isalnum(c) && c != '_')
      return {"", text};
  }
  return {text.substr(0, end), text.substr(end + 1)};
}

// The first of the names, long ones cut short, and how many there are besides.
static std::string fewOf(std::vector<std::string> names) {
  constexpr size_t most = 8, longest = 64;
  if (names.empty())
    return "none";
  size_t rest = names.size() - std::min(names.size(), most);
  names.resize(names.size() - rest);
  for (std::string &name : names)
    name = name.size() > longest ? "'" + name.substr(0, longest) + "...'"
                                 : "'" + name + "'";
  if (rest)
    names.push_back(std::to_string(rest) + " more");
  return listText(names);
}

static bool isSafetensors(const std::string &path) {
  return endsWith(path, ".safetensors");
}

// ---- inputs ----------------------------------------------------------------

// What is wrong with each input is said, not of the first alone.
template <typename Body> void Inputs::noteFault(Body &&body) {
  try {
    body();
  } catch (const Failure &failure) {
    if (failure.code != AGT_BAD_INPUT)
      throw;
    faults.push_back(failure.message);
  }
}

Inputs::Inputs(const agt_graph &graph, const Manifest &program,
               const ManifestGraph &manifest,
               const std::vector<std::string> &specs,
               const std::map<std::string, std::string> &weightPaths)
    : graph(graph), manifest(manifest), values(manifest.params.size()) {
  for (const std::string &spec : specs)
    noteFault([&] { add(spec); });
  if (!faults.empty())
    failForAll(AGT_BAD_INPUT, faults);
  checkComplete();
  checkTokens(manifest, [&](size_t param) { return values[param]->view(); });
  weights.emplace(graph, manifest, program, weightPaths);
  auto tokensOf = [&](size_t param) { return values[param]->shape[0]; };
  caches.emplace(graph, manifest, /*onHost=*/true, tokensOf);
  caches->append(tokensOf);
}

std::vector<agt_tensor> Inputs::tensors() const {
  std::vector<agt_tensor> views;
  for (size_t i = 0; i < graph.n_params; ++i) {
    if (i < values.size() && values[i])
      views.push_back(values[i]->view());
    else if (std::optional<agt_tensor> weight = weights->tensor(i))
      views.push_back(*weight);
    else
      views.push_back(*caches->tensor(i));
  }
  return views;
}

const MappedFile &Inputs::open(const std::string &path) {
  files.push_back(std::make_unique<MappedFile>(path));
  return *files.back();
}

// The parameter of that name which --in may give.
std::optional<size_t> Inputs::findGiven(const std::string &name) const {
  for (size_t i = 0; i < manifest.params.size(); ++i)
    if (manifest.params[i].name == name && manifest.isGiven(i))
      return i;
  return std::nullopt;
}

std::vector<std::string> Inputs::givenNames() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < manifest.params.size(); ++i)
    if (manifest.isGiven(i))
      names.push_back(manifest.params[i].name);
  return names;
}

size_t Inputs::paramNamed(const std::string &name) const {
  if (std::optional<size_t> param = findGiven(name))
    return *param;
  for (const ManifestParam &param : manifest.params)
    if (param.name == name)
      refuse("'" + name + "' is a cache, which a run makes itself");
  std::vector<std::string> names = givenNames();
  std::string guess = didYouMean(name, names);
  if (guess.empty())
    guess = names.empty() ? ", it has none" : ", it has " + listText(names);
  refuse("graph '" + manifest.name + "' has no parameter '" + name + "'" +
         guess);
}

void Inputs::add(const std::string &text) {
  Spec spec = parseSpec(text);
  if (spec.name.empty() && isSafetensors(spec.path))
    return addAll(spec.path);
  if (spec.name.empty() || spec.path.empty())
    refuse("expected NAME=FILE.npy or FILE.safetensors behind '--in', got '" +
           text + "'");
  size_t param = paramNamed(spec.name);
  const MappedFile &file = open(spec.path);
  if (!isSafetensors(spec.path))
    return bind(param, readNpy(file.data(), file.size(), spec.path), spec.path);
  std::vector<std::string> names;
  for (const NamedStored &entry :
       readSafetensors(file.data(), file.size(), spec.path)) {
    if (entry.name == spec.name)
      return bind(param, entry.tensor, spec.path);
    names.push_back(entry.name);
  }
  std::string guess = didYouMean(spec.name, names);
  refuse("'" + spec.path + "' has no tensor '" + spec.name + "'" +
         (guess.empty() ? ", it has " + fewOf(names) : guess));
}

void Inputs::addAll(const std::string &path) {
  const MappedFile &file = open(path);
  std::vector<std::string> others;
  bool fits = false;
  for (const NamedStored &entry :
       readSafetensors(file.data(), file.size(), path)) {
    std::optional<size_t> param = findGiven(entry.name);
    fits |= param.has_value();
    if (param)
      noteFault([&] { bind(*param, entry.tensor, path); });
    else
      others.push_back(entry.name);
  }
  if (!fits)
    refuse("'" + path + "' has no tensor that graph '" + manifest.name +
           "' has a parameter for: it has " + fewOf(others) + ", the graph " +
           fewOf(givenNames()));
  if (!others.empty())
    unused += "; '" + path + "' has " + fewOf(others) + " besides";
}

void Inputs::bind(size_t param, const StoredTensor &stored,
                  const std::string &path) {
  const ManifestParam &declared = manifest.params[param];
  if (values[param])
    refuse("'" + declared.name + "' is given twice, the second time by '" +
           path + "'");
  HostTensor value =
      bindStored(stored, graph.params[param].dtype, declared.name, path);
  size_t rank = value.shape.size();
  if (rank != size_t(graph.params[param].rank))
    refuse("expected " + declared.type + " for '" + declared.name + "', got " +
           std::to_string(rank) + (rank == 1 ? " dim " : " dims ") +
           shapeText(value.shape.data(), rank) + " in '" + path + "'");
  values[param] = std::move(value);
}

void Inputs::checkComplete() const {
  std::vector<std::string> missing;
  for (size_t i = 0; i < values.size(); ++i)
    if (!values[i] && manifest.isGiven(i))
      missing.push_back("--in " + manifest.params[i].name + "=FILE.npy (" +
                        manifest.params[i].type + ")");
  if (!missing.empty())
    refuse("graph '" + manifest.name + "' needs " + listText(missing) + unused);
}

// ---- outputs ---------------------------------------------------------------

Outputs::Outputs(const agt_graph &graph, const std::vector<std::string> &specs)
    : graph(graph) {
  std::vector<std::string> names;
  for (size_t i = 0; i < graph.n_results; ++i)
    names.push_back(resultName(graph, i));

  // Named ones first: the others take what is left, in declared order.
  std::vector<bool> taken(graph.n_results, false);
  std::vector<size_t> chosen(specs.size(), graph.n_results);
  for (size_t i = 0; i < specs.size(); ++i) {
    Spec spec = parseSpec(specs[i]);
    if (spec.path.empty())
      refuse("expected FILE or NAME=FILE behind '--out', got '" + specs[i] +
             "'");
    if (spec.name.empty())
      continue;
    size_t result = size_t(std::find(names.begin(), names.end(), spec.name) -
                           names.begin());
    if (result == names.size()) {
      std::string guess = didYouMean(spec.name, names);
      refuse(std::string("graph '") + graph.name + "' has no result '" +
             spec.name + "'" +
             (guess.empty() ? ", it has " + listText(names) : guess));
    }
    if (taken[result])
      refuse("the result '" + spec.name + "' has two '--out'");
    taken[result] = true;
    chosen[i] = result;
  }
  size_t next = 0;
  for (size_t i = 0; i < specs.size(); ++i) {
    Spec spec = parseSpec(specs[i]);
    while (next < taken.size() && taken[next])
      ++next;
    if (chosen[i] < graph.n_results) {
      add(spec.path, {chosen[i]});
    } else if (isSafetensors(spec.path)) {
      std::vector<size_t> rest;
      for (; next < taken.size(); ++next)
        if (!taken[next])
          rest.push_back(next);
      add(spec.path, rest);
    } else if (next < taken.size()) {
      add(spec.path, {next++});
    } else {
      refuse(std::string("graph '") + graph.name + "' has " +
             std::to_string(graph.n_results) +
             (graph.n_results == 1 ? " result" : " results") +
             ", none is left for '--out " + specs[i] + "'");
    }
  }
  for (const File &file : files)
    checkWritable(file.path);
}

std::vector<std::string> Outputs::paths() const {
  std::vector<std::string> result;
  for (const File &file : files)
    result.push_back(file.path);
  return result;
}

void Outputs::add(const std::string &path, std::vector<size_t> results) {
  for (File &file : files) {
    if (file.path != path)
      continue;
    if (!file.safetensors)
      refuse("'" + path + "' is to hold two results");
    file.results.insert(file.results.end(), results.begin(), results.end());
    return;
  }
  files.push_back({path, isSafetensors(path), std::move(results)});
}

void Outputs::write(const agt_tensor *results) const {
  std::vector<std::unique_ptr<OutputFile>> written;
  for (const File &file : files) {
    written.push_back(std::make_unique<OutputFile>(file.path));
    if (!file.safetensors) {
      writeNpy(*written.back(), results[file.results.front()]);
    } else {
      std::vector<NamedTensor> tensors;
      for (size_t result : file.results)
        tensors.push_back({resultName(graph, result), results[result]});
      writeSafetensors(*written.back(), tensors);
    }
    written.back()->finish();
  }
  for (auto &file : written)
    file->commit();
}

} // namespace agt::rt
