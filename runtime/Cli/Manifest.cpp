// See Manifest.h.
#include "runtime/Cli/Manifest.h"

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
      result.push_back(
          {text(param, "name"), text(param, "type"), text(param, "doc")});
  return result;
}

Manifest parseManifest(const agt_program &program) {
  Json json = parseJson(program);
  Manifest manifest;
  manifest.program = text(json, "program");
  manifest.hash = text(json, "hash");
  auto graphs = json.find("graphs");
  if (graphs != json.end())
    for (const Json &graph : *graphs)
      manifest.graphs.push_back({text(graph, "name"), text(graph, "doc"),
                                 text(graph, "mesh"), params(graph, "params"),
                                 params(graph, "results")});
  bool fits = manifest.graphs.size() == program.n_graphs;
  for (size_t i = 0; fits && i < program.n_graphs; ++i)
    fits = manifest.graphs[i].name == program.graphs[i].name &&
           manifest.graphs[i].params.size() == program.graphs[i].n_params &&
           manifest.graphs[i].results.size() == program.graphs[i].n_results;
  if (!fits)
    fail(AGT_FAILED, "the program's manifest is damaged: its graphs differ "
                     "from the program's");
  return manifest;
}

std::string manifestText(const agt_program &program) {
  return parseJson(program).dump(2) + "\n";
}

std::string resultName(const agt_graph &graph, size_t index) {
  const char *name = graph.results[index].name;
  if (name && *name)
    return name;
  return graph.n_results == 1 ? "result" : "result" + std::to_string(index);
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
