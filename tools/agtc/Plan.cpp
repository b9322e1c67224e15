// `agtc plan FILE`: what each model needs on each mesh, from their declarations
// alone (passes/Analysis/Plan.h).
#include "tools/agtc/Commands.h"
#include "tools/agtc/Frontend.h"
#include "tools/agtc/PlanText.h"
#include "tools/agtc/Source.h"

using namespace agt;
using namespace agt::tool;

static double bytesOf(sema::DType dtype) {
  switch (dtype) {
  case sema::DType::F32:
  case sema::DType::I32:
    return 4;
  case sema::DType::I64:
    return 8;
  case sema::DType::F16:
  case sema::DType::BF16:
    return 2;
  case sema::DType::F8E4M3:
  case sema::DType::I8:
  case sema::DType::Bool:
    return 1;
  }
  return 0;
}

static analysis::ModelSizes sizesOf(const sema::ModelInfo &info) {
  analysis::ModelSizes sizes;
  sizes.name = info.name;
  sizes.layers = info.layers;
  sizes.heads = info.heads;
  sizes.kvHeads = info.kvHeads;
  sizes.headDim = info.headDim;
  sizes.hidden = info.hidden;
  sizes.params = info.params;
  sizes.bytesOfWeight = bytesOf(info.weights);
  sizes.bytesOfCache = bytesOf(info.cache);
  return sizes;
}

static const sema::TargetInfo *targetOf(const sema::Program &program,
                                        const sema::MeshInfo &mesh) {
  for (const sema::TargetInfo &target : program.targets)
    if (target.name == mesh.target)
      return &target;
  return nullptr;
}

/// The mesh with what its target says; operations are those on `weights`, or
/// the nearest type that the target has a rate for.
static analysis::Machine machineOf(const sema::Program &program,
                                   const sema::MeshInfo &mesh,
                                   sema::DType weights) {
  analysis::Machine machine;
  machine.name = mesh.name;
  const sema::TargetInfo *target = targetOf(program, mesh);
  for (const sema::MeshAxis &axis : mesh.axes)
    machine.axes.push_back({axis.name, axis.size,
                            axis.link ? axis.link
                            : target  ? target->link
                                      : 0});
  if (!target)
    return machine;
  machine.memory = target->memoryBytes;
  machine.bandwidth = target->bandwidth;
  for (sema::DType dtype :
       {weights, sema::DType::BF16, sema::DType::F16, sema::DType::F32})
    if (machine.rate == 0)
      machine.rate = target->flops[unsigned(dtype)];
  return machine;
}

/// Says what a model lacks for a plan.
static bool isComplete(Diagnostics &diagnostics, const sema::ModelInfo &model) {
  std::string missing;
  for (auto [word, value] : {std::pair("layers", model.layers),
                             {"heads", model.heads},
                             {"kv_heads", model.kvHeads},
                             {"head_dim", model.headDim}})
    if (value == 0)
      missing += (missing.empty() ? "'" : ", '") + std::string(word) + "'";
  if (missing.empty())
    return true;
  diagnostics.error(model.range,
                    "a plan of model '" + model.name + "' needs " + missing);
  return false;
}

template <typename T>
static std::vector<const T *> chosen(const std::vector<T> &all,
                                     const std::string &name) {
  std::vector<const T *> result;
  for (const T &one : all)
    if (name.empty() || one.name == name)
      result.push_back(&one);
  return result;
}

int agt::tool::plan(const PlanOptions &options) {
  auto frontend = frontendOptions(options.defines, {});
  if (!frontend)
    return BadUsage;
  Source source;
  if (!source.read(options.input))
    return BadUsage;
  frontend->nothing = true;
  sema::Program program;
  FrontendStatus status =
      checkFile(source.diagnostics, source.mainBuffer, *frontend, &program);
  if (status != FrontendStatus::Fine)
    return exitCode(status);

  auto models = chosen(program.models, options.model);
  auto meshes = chosen(program.meshes, options.mesh);
  auto lacks = [&](const char *what, const std::string &name) {
    complain("'" + options.input + "' has no " + what +
             (name.empty() ? "" : " '" + name + "'") +
             ": a plan is of a model on a mesh");
    return BadUsage;
  };
  if (models.empty())
    return lacks("model", options.model);
  if (meshes.empty())
    return lacks("mesh", options.mesh);
  std::vector<ModelPlan> plans;
  bool complete = true;
  for (const sema::ModelInfo *model : models) {
    complete &= isComplete(source.diagnostics, *model);
    for (const sema::MeshInfo *mesh : meshes)
      plans.push_back({sizesOf(*model), sema::dtypeName(model->weights).str(),
                       sema::dtypeName(model->cache).str(),
                       machineOf(program, *mesh, model->weights),
                       options.tokens, options.rows});
  }
  if (!complete)
    return ErrorsInProgram;
  return writeOutput("", options.json ? jsonOf(plans) : textOf(plans))
             ? Fine
             : BadUsage;
}
