// See Ranks.h.
#include "runtime/Cli/Ranks.h"

#include "runtime/Mesh/Agree.h"
#include "runtime/Mesh/Mesh.h"
#include "runtime/Mesh/WireText.h"
#include "runtime/Support/Failure.h"

namespace agt::rt {

using Json = nlohmann::json;

static std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

std::unique_ptr<MpiWorld> joinRanks(const Manifest &manifest,
                                    const std::vector<std::string> &words) {
  if (ranksFromEnvironment() < 2)
    return nullptr;
  auto world = std::make_unique<MpiWorld>();
  std::string own =
      wireText(Json::array({manifest.program, manifest.hash, Json(words)}));
  std::vector<std::string> all = world->gatherAll(own);
  Json first = Json::parse(all.front());
  for (size_t rank = 1; rank < all.size(); ++rank) {
    Json other = Json::parse(all[rank]);
    std::string who = "rank " + std::to_string(rank);
    auto program = [](const Json &json) {
      return "'" + json[0].get<std::string>() + "' (" +
             json[1].get<std::string>() + ")";
    };
    if (other[0] != first[0] || other[1] != first[1])
      fail(AGT_BAD_INPUT, who + " runs " + program(other) + ", rank 0 runs " +
                              program(first) +
                              ": all ranks need the same program");
    auto line = [](const Json &json) {
      return "'run " + joined(json[2].get<std::vector<std::string>>()) + "'";
    };
    if (other[2] != first[2])
      fail(AGT_BAD_INPUT, who + " was started with " + line(other) +
                              ", rank 0 with " + line(first) +
                              ": all ranks need the same command line");
  }
  return world;
}

void checkRanks(const agt_graph &graph) {
  int64_t ranks = ranksFromEnvironment();
  int64_t positions = graph.mesh ? positionsOf(*graph.mesh) : 1;
  bool underMpi = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  if (ranks == positions || !underMpi)
    return;
  std::string started = ", mpirun has started " + std::to_string(ranks) +
                        (ranks == 1 ? " rank" : " ranks");
  if (!graph.mesh)
    fail(AGT_BAD_INPUT, std::string("graph '") + graph.name +
                            "' runs on one device" + started);
  fail(AGT_BAD_INPUT, std::string("graph '") + graph.name + "' has " +
                          std::to_string(positions) +
                          (positions == 1 ? " position" : " positions") +
                          started + ": use 'mpirun -n " +
                          std::to_string(positions) + "'");
}

SharedInputs::SharedInputs(
    MpiWorld &world, const std::function<std::vector<agt_tensor>()> &read) {
  std::vector<std::string> texts = agree(world, false, [&] {
    Json list = Json::array();
    if (world.rank() != 0)
      return std::string();
    values = read();
    for (const agt_tensor &tensor : values)
      list.push_back(Json::array(
          {int(tensor.dtype),
           std::vector<int64_t>(tensor.shape, tensor.shape + tensor.rank)}));
    return wireText(list);
  });
  if (world.rank() == 0)
    return;
  for (const Json &entry : Json::parse(texts.front())) {
    shapes.push_back(entry[1].get<std::vector<int64_t>>());
    values.push_back({nullptr, agt_dtype(entry[0].get<int>()),
                      int(shapes.back().size()), nullptr, nullptr});
  }
  for (size_t i = 0; i < values.size(); ++i)
    values[i].shape = shapes[i].data();
}

bool isSilentRank() {
  return ranksFromEnvironment() > 1 && rankFromEnvironment() != 0;
}

} // namespace agt::rt
