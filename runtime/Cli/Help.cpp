// See Help.h.
#include "runtime/Cli/Help.h"

#include <algorithm>

namespace agt::rt {

// Every line of `text` behind `indent`.
static std::string indented(const std::string &text,
                            const std::string &indent) {
  std::string result;
  for (size_t at = 0; at <= text.size() && !text.empty();) {
    size_t end = std::min(text.find('\n', at), text.size());
    result += indent + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return result;
}

static std::string describe(const ManifestGraph &graph) {
  std::string text = "  " + signatureText(graph) + "\n";
  text += indented(graph.doc, "      ");
  return text;
}

static std::string graphsText(const Manifest &manifest) {
  std::string text = "graphs:\n";
  for (const ManifestGraph &graph : manifest.graphs)
    if (!graph.hidden)
      text += describe(graph);
  return manifest.graphs.empty() ? "no graphs\n" : text;
}

// The llms that the program runs itself.
static std::string llmsText(const Manifest &manifest) {
  std::string text = manifest.llms.empty() ? "" : "llms:\n";
  for (const ManifestLlm &llm : manifest.llms)
    text +=
        "  " + llm.name + ": graph " + llm.graph + ", a context of " +
        std::to_string(llm.context) + " tokens" +
        (llm.pin ? ", the first " + std::to_string(llm.pin) + " pinned" : "") +
        "\n";
  return text;
}

// The command that runs the first graph, with its own names.
static std::string example(const Manifest &manifest, const std::string &exe) {
  if (manifest.graphs.empty())
    return "";
  const ManifestGraph &graph = manifest.graphs.front();
  std::string text = exe + " run " + graph.name;
  for (size_t i = 0; i < graph.params.size(); ++i)
    if (graph.isGiven(i))
      text +=
          " --in " + graph.params[i].name + "=" + graph.params[i].name + ".npy";
  for (size_t i = 0; i < graph.results.size(); ++i)
    text += " --out " + resultName(graph, i) + ".npy";
  return "\nexample:\n  " + text + "\n";
}

std::string listingText(const Manifest &manifest, const std::string &exe) {
  return manifest.program + " (" + manifest.hash + ")\n\n" +
         graphsText(manifest) + llmsText(manifest) + example(manifest, exe) +
         "\n'" + exe + " --help' says more.\n";
}

std::string helpText(const Manifest &manifest, const std::string &exe) {
  std::string text = "usage: " + exe +
                     " [--help | --version | --json]\n       " + exe +
                     " run GRAPH [OPTION...]\n";
  if (!manifest.llms.empty())
    text += "       " + exe + " generate LLM [OPTION...]\n       " + exe +
            " tokens LLM --text TEXT\n       " + exe + " serve [OPTION...]\n";
  return text +
         "\n"
         "  --help       this text; 'run --help' for the options of run\n"
         "  --version    the program's name and hash\n"
         "  --json       what the program holds, as JSON\n\n" +
         graphsText(manifest) + llmsText(manifest) + example(manifest, exe) +
         "\nexit codes: 0 done, 1 failed, 2 bad input or command line, 5 a "
         "device or library is missing\n";
}

std::string runHelpText(const Manifest &manifest, const std::string &exe) {
  return "usage: " + exe +
         " run GRAPH --in NAME=FILE ... --out [NAME=]FILE ... [OPTION...]\n\n"
         "  --in NAME=FILE.npy       a parameter's value; "
         "NAME=FILE.safetensors "
         "takes the tensor NAME\n"
         "  --in FILE.safetensors    every parameter the file has a tensor "
         "for\n"
         "  --out NAME=FILE          a result, as .npy or .safetensors\n"
         "  --out FILE               the next result in declared order; a "
         ".safetensors file takes all\n"
         "  --device DEVICE          auto (default), vulkan, vulkan:N, cpu, or "
         "null, which computes nothing\n"
         "  --devices LIST           one for each position of a mesh, with "
         "commas between;\n"
         "                           a shorter list is gone through again\n"
         "  --weights NAME=PATH      another file for the weights NAME\n"
         "  --set NAME=NUMBER        a number that the program leaves open\n"
         "  --repeat N               run N times after a warm-up\n"
         "  --stats, --stats=json[:FILE]\n"
         "                           time, work and memory by phase\n"
         "  --check                  compare each kernel with the float64 "
         "oracle of agtc and name the first that departs\n"
         "  --trace FILE.json        a timeline for Perfetto "
         "(ui.perfetto.dev)\n"
         "  --link-rate AXIS=RATE    slow transfers over an axis of the mesh "
         "down, such as cp=50MB/s\n"
         "  --policy pass-kv|pass-q  keys go round the positions of a ring, or "
         "queries go to the keys;\n"
         "                           by default what moves less\n"
         "  --policy distributed|stationary\n"
         "                           the same two, of rows of branches over a "
         "prefix\n\n"
         "Under 'mpirun -n N' a graph on a mesh of N positions has one in each "
         "rank; rank 0 reads and writes.\n\n" +
         graphsText(manifest) + example(manifest, exe);
}

} // namespace agt::rt
