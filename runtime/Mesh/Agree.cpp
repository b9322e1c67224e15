// See Agree.h.
#include "runtime/Mesh/Agree.h"

#include "runtime/Mesh/WireText.h"
#include "runtime/Support/Failure.h"

namespace agt::rt {

using Json = nlohmann::json;

// What `body` comes to, as JSON; null where another rank has failed.
static Json outcomeOf(MpiWorld &world,
                      const std::function<std::string()> &body) {
  try {
    return {{"value", body()}};
  } catch (const Cancelled &) {
    return nullptr;
  } catch (...) {
    agt_status status = statusOfCurrentException();
    Json failure = {{"code", agt_status_code(status)},
                    {"message", agt_status_message(status)},
                    {"place", agt_status_place(status)}};
    agt_status_release(status);
    world.cancel();
    return {{"failure", failure}};
  }
}

std::vector<std::string> agree(MpiWorld &world, bool named,
                               const std::function<std::string()> &body) {
  Json own = outcomeOf(world, body);
  std::vector<std::string> texts = world.gatherAll(wireText(own));
  std::vector<std::string> values;
  std::vector<Json> outcomes;
  for (size_t rank = 0; rank < texts.size(); ++rank) {
    Json outcome = outcomes.emplace_back(Json::parse(texts[rank]));
    if (!outcome.contains("failure"))
      continue;
    const Json &failure = outcome["failure"];
    std::string prefix = named ? "position " + std::to_string(rank) + ": " : "";
    throw Failure(agt_code(failure["code"].get<int>()),
                  prefix + failure["message"].get<std::string>(),
                  failure["place"].get<std::string>());
  }
  for (const Json &outcome : outcomes) {
    if (outcome.is_null())
      fail(AGT_FAILED, "the run was cancelled");
    values.push_back(outcome["value"].get<std::string>());
  }
  return values;
}

} // namespace agt::rt
