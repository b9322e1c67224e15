// Plans as text for people and as JSON for machines.
#ifndef AGT_TOOLS_AGTC_PLANTEXT_H
#define AGT_TOOLS_AGTC_PLANTEXT_H

#include "passes/Analysis/Plan.h"

namespace agt::tool {

/// A model on a mesh.
struct ModelPlan {
  analysis::ModelSizes model;
  std::string weights, cache; // dtypes
  analysis::Machine machine;
  int64_t tokens;
  std::vector<int64_t> rows; // of launches to be placed
};

std::string textOf(const std::vector<ModelPlan> &plans);
/// A list of objects; sizes in bytes, times in seconds.
std::string jsonOf(const std::vector<ModelPlan> &plans);

} // namespace agt::tool

#endif
