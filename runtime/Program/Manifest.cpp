// See Manifest.h.
#include "runtime/Program/Manifest.h"

#include "runtime/Support/Failure.h"

#include <nlohmann/json.hpp>

namespace agt::rt {

using Json = nlohmann::ordered_json;

static Json parseJson(const agt_program &program) {
  try {
    return Json::parse(program.manifest);
  } catch (const Json::exception &error) {
    fail(AGT_FAILED,
         std::string("the program's manifest is damaged: ") + error.what());
  }
}

static std::string text(const Json &object, const char *key) {
  auto entry = object.find(key);
  return entry != object.end() && entry->is_string() ? entry->get<std::string>()
                                                     : "";
}

static std::vector<ManifestParam> params(const Json &graph, const char *key) {
  std::vector<ManifestParam> result;
  auto list = graph.find(key);
  if (list != graph.end())
    for (const Json &param : *list)
      result.push_back({text(param, "name"), text(param, "type")});
  return result;
}

static int64_t number(const Json &object, const char *key) {
  auto entry = object.find(key);
  return entry != object.end() && entry->is_number_integer()
             ? entry->get<int64_t>()
             : 0;
}

static ManifestInput parseInput(const Json &json) {
  using Kind = ManifestInput::Kind;
  static const std::pair<const char *, Kind> kinds[] = {
      {"positions", Kind::Positions}, {"length", Kind::Length},
      {"keys", Kind::Keys},           {"values", Kind::Values},
      {"weight", Kind::Weight},       {"places", Kind::Places},
      {"visible", Kind::Visible},     {"key_positions", Kind::KeyPositions}};
  ManifestInput input;
  if (json.is_null())
    return input;
  std::string word = text(json, "kind");
  for (auto [name, kind] : kinds)
    if (word == name)
      input.kind = kind;
  input.cache = text(json, "cache");
  input.tokens = size_t(number(json, "tokens"));
  input.vocab = number(json, "vocab");
  input.layer = number(json, "layer");
  input.weights = text(json, "weights");
  input.tensor = text(json, "tensor");
  input.blocks = text(json, "blocks");
  auto shape = json.find("shape");
  if (shape != json.end())
    for (const Json &dim : *shape)
      input.shape.push_back(dim.get<int64_t>());
  return input;
}

static ManifestGraph parseGraph(const Json &json) {
  ManifestGraph graph{text(json, "name"),
                      text(json, "doc"),
                      text(json, "mesh"),
                      params(json, "params"),
                      params(json, "results"),
                      {},
                      {},
                      text(json, "no_policy"),
                      json.value("hidden", false)};
  if (auto policies = json.find("policies"); policies != json.end())
    graph.policies = policies->get<std::vector<std::string>>();
  auto inputs = json.find("inputs");
  if (inputs == json.end())
    graph.inputs.resize(graph.params.size());
  else
    for (const Json &input : *inputs)
      graph.inputs.push_back(parseInput(input));
  return graph;
}

static void parseModels(const Json &json, Manifest &manifest) {
  if (auto weights = json.find("weights"); weights != json.end())
    for (const Json &entry : *weights)
      manifest.weights.push_back(
          {text(entry, "name"), text(entry, "path"), text(entry, "format")});
  if (auto llms = json.find("llms"); llms != json.end())
    for (const Json &entry : *llms)
      manifest.llms.push_back({text(entry, "name"), text(entry, "graph"),
                               text(entry, "tokenizer"), text(entry, "pages"),
                               text(entry, "pinned"), number(entry, "context"),
                               number(entry, "page"), number(entry, "vocab"),
                               number(entry, "pin"), number(entry, "wait")});
}

Manifest parseManifest(const agt_program &program) {
  Json json = parseJson(program);
  Manifest manifest;
  manifest.program = text(json, "program");
  manifest.hash = text(json, "hash");
  auto graphs = json.find("graphs");
  if (graphs != json.end())
    for (const Json &graph : *graphs)
      manifest.graphs.push_back(parseGraph(graph));
  parseModels(json, manifest);
  bool fits = manifest.graphs.size() == program.n_graphs;
  for (size_t i = 0; fits && i < program.n_graphs; ++i)
    fits = manifest.graphs[i].name == program.graphs[i].name &&
           manifest.graphs[i].inputs.size() == program.graphs[i].n_params &&
           manifest.graphs[i].results.size() == program.graphs[i].n_results;
  if (!fits)
    fail(AGT_FAILED, "the program's manifest is damaged: its graphs differ "
                     "from the program's");
  return manifest;
}

std::string manifestText(const agt_program &program) {
  Json json = parseJson(program);
  for (const char *list : {"graphs", "llms"}) {
    if (!json.contains(list))
      continue;
    Json shown = Json::array();
    for (Json &entry : json[list]) {
      entry.erase("pages");
      entry.erase("pinned");
      if (!entry.value("hidden", false))
        shown.push_back(std::move(entry));
    }
    json[list] = std::move(shown);
  }
  return json.dump(2) + "\n";
}

static std::string resultName(std::string own, size_t index, size_t count) {
  if (!own.empty())
    return own;
  return count == 1 ? "result" : "result" + std::to_string(index);
}

std::string resultName(const agt_graph &graph, size_t index) {
  const char *name = graph.results[index].name;
  return resultName(name ? name : "", index, graph.n_results);
}

std::string resultName(const ManifestGraph &graph, size_t index) {
  return resultName(graph.results[index].name, index, graph.results.size());
}

std::string signatureText(const ManifestGraph &graph) {
  std::string text = graph.name + "(";
  for (size_t i = 0; i < graph.params.size(); ++i)
    text +=
        (i ? ", " : "") + graph.params[i].name + ": " + graph.params[i].type;
  text += ") -> ";
  bool named = false;
  for (const ManifestParam &result : graph.results)
    named |= !result.name.empty();
  bool list = named || graph.results.size() != 1;
  text += list ? "(" : "";
  for (size_t i = 0; i < graph.results.size(); ++i) {
    const ManifestParam &result = graph.results[i];
    text += (i ? ", " : "") + (result.name.empty() ? "" : result.name + ": ") +
            result.type;
  }
  text += list ? ")" : "";
  return graph.mesh.empty() ? text : text + " on " + graph.mesh;
}

} // namespace agt::rt
