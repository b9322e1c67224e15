// See PlanText.h.
#include "tools/agtc/PlanText.h"

#include "passes/Analysis/Figures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace agt::analysis;
using namespace agt::tool;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string nameOf(const Machine &machine, const ModelLayout &layout) {
  std::string text;
  for (size_t i = 0; i < machine.axes.size(); ++i)
    text += (i ? ", " : "") + machine.axes[i].name +
            (layout.heads[i] ? ": heads" : ": tokens");
  return text + (layout.weightsEverywhere ? ", weights by all" : "");
}

static void writeLayouts(llvm::raw_ostream &out, const ModelPlan &plan,
                         llvm::ArrayRef<ModelLayout> layouts) {
  std::vector<std::string> names{"a device holds"};
  for (const ModelLayout &layout : layouts)
    names.push_back(nameOf(plan.machine, layout));
  size_t width = 0;
  for (const std::string &name : names)
    width = std::max(width, name.size());
  auto row = [&](const std::string &name, const std::string &weights,
                 const std::string &cache, const std::string &sum,
                 const std::string &note) {
    out << "  " << name << std::string(width - name.size(), ' ')
        << formatv("  {0,10}  {1,10}  {2,10}", weights, cache, sum)
        << (note.empty() ? "" : "  " + note) << "\n";
  };
  row(names[0], "weights", "cache", "sum", "");
  for (auto [i, layout] : llvm::enumerate(layouts)) {
    std::optional<std::string> term = breaks(layout, plan.machine);
    std::string note;
    if (plan.machine.memory)
      note =
          term ? "too much: the " + *term + " of " +
                     bytesText(*term == "cache" ? layout.cache : layout.weights)
               : "fits";
    if (layout.activation)
      note += (note.empty() ? "" : "; ") +
              ("each [tokens, " + llvm::Twine(plan.model.hidden) +
               "] of 16 bits is " + bytesText(layout.activation))
                  .str();
    row(names[i + 1], bytesText(layout.weights), bytesText(layout.cache),
        bytesText(layout.total()), note);
  }
}

/// What would fit where nothing does.
static void writeProposal(llvm::raw_ostream &out, const ModelPlan &plan) {
  auto devices = [&](double bytesOfCache) {
    ModelSizes model = plan.model;
    model.bytesOfCache = bytesOfCache;
    return devicesNeeded(model, plan.machine, plan.tokens);
  };
  out << "  nothing fits: it takes at least "
      << countText(double(devices(plan.model.bytesOfCache))) << " such devices";
  if (plan.model.bytesOfCache > 1)
    out << ", with kv: f8e4m3 " << countText(double(devices(1)));
  out << "\n";
}

static void writeRing(llvm::raw_ostream &out, const ModelPlan &plan,
                      const ModelLayout &layout) {
  std::optional<RingPlan> ring =
      ringOf(plan.model, plan.machine, layout, plan.tokens);
  if (!ring)
    return;
  auto hidden = [&](double compute) {
    return compute >= ring->hopTransfer ? "hidden" : "not hidden";
  };
  out << "  ring of " << ring->positions << ", " << nameOf(plan.machine, layout)
      << "; of one layer:\n"
      << "    a hop computes " << secondsText(ring->hopCompute) << " and sends "
      << secondsText(ring->hopTransfer) << ": " << hidden(ring->hopCompute)
      << "; causal and balanced it computes "
      << secondsText(ring->hopCompute / 2) << ": "
      << hidden(ring->hopCompute / 2) << "\n"
      << "    hidden from " << countText(std::ceil(ring->leastHidden))
      << " tokens a position on, causal from "
      << countText(std::ceil(ring->causalLeastHidden)) << "\n"
      << "    causal prefill: " << secondsText(ring->time)
      << ", a position receives " << bytesText(ring->bytesReceived);
  if (ring->transferTime)
    out << ", " << plainText(100 * ring->hiddenTime / ring->transferTime)
        << " % of the transfers hidden";
  out << "\n";
}

static bool sharesTokens(const ModelPlan &plan, const ModelLayout &layout) {
  for (size_t i = 0; i < layout.heads.size(); ++i)
    if (!layout.heads[i] && plan.machine.axes[i].size > 1)
      return true;
  return false;
}

static void writePlacements(llvm::raw_ostream &out, const ModelPlan &plan,
                            const ModelLayout &layout) {
  const ModelSizes &model = plan.model;
  const Machine &machine = plan.machine;
  std::optional<int64_t> crossover =
      crossoverOf(model, machine, layout, plan.tokens);
  if (!crossover) {
    if (!plan.rows.empty() && sharesTokens(plan, layout))
      out << "  what a launch costs, " << nameOf(machine, layout)
          << ", is not known: it takes the links of the axes, and 'flops' and "
             "'bandwidth' of a target\n";
    return;
  }
  out << "    "
      << (*crossover ? "up to " + countText(double(*crossover)) +
                           " queries a launch go to the keys; for more of them "
                           "the keys go round"
                     : "the keys go round, however few queries a launch has")
      << "\n";
  for (int64_t rows : plan.rows) {
    PlacementCosts costs =
        *placementsOf(model, machine, layout, rows, plan.tokens);
    const auto &s = costs.stationary;
    const auto &d = costs.distributed;
    out << "    a launch of " << countText(double(rows))
        << (rows == 1 ? " row: " : " rows: ")
        << (costs.keysStay() ? "stationary" : "distributed")
        << "\n      stationary   " << secondsText(s.total()) << ": queries "
        << secondsText(s.send) << ", product " << secondsText(s.product)
        << ", merge " << secondsText(s.merge) << "\n      distributed  "
        << secondsText(d.total()) << ": queries " << secondsText(d.split)
        << ", keys " << secondsText(d.move) << " beside product "
        << secondsText(d.product) << ", order " << secondsText(d.restore)
        << "\n";
  }
}

static void write(llvm::raw_ostream &out, const ModelPlan &plan) {
  const ModelSizes &model = plan.model;
  const Machine &machine = plan.machine;
  out << "model " << model.name << " on mesh " << machine.name << " (";
  for (size_t i = 0; i < machine.axes.size(); ++i)
    out << (i ? ", " : "") << machine.axes[i].name << " = "
        << machine.axes[i].size;
  out << "), " << countText(double(plan.tokens)) << " tokens\n";
  out << formatv("  weights {0,10}  ",
                 model.params ? bytesText(model.weightBytes()) : "?");
  if (model.params)
    out << countText(model.params) << " parameters of " << plan.weights << "\n";
  else
    out << "the model does not say its 'params'; not counted below\n";
  out << formatv("  cache   {0,10}  ",
                 bytesText(model.cacheBytes(double(plan.tokens))))
      << countText(model.cacheBytes(1)) << " B a token: 2 x " << model.layers
      << " layers x " << model.kvHeads << " kv heads x " << model.headDim
      << " of " << plan.cache << "\n";
  out << formatv("  device  {0,10}  ",
                 machine.memory ? bytesText(machine.memory) : "?")
      << (machine.memory ? "of memory" : "the mesh has no target that says")
      << "\n";
  std::vector<ModelLayout> layouts = layoutsOf(model, machine, plan.tokens);
  writeLayouts(out, plan, layouts);
  bool fits = false;
  for (const ModelLayout &layout : layouts)
    fits |= !breaks(layout, machine);
  if (!fits)
    writeProposal(out, plan);
  for (const ModelLayout &layout : layouts)
    if (!layout.weightsEverywhere) {
      writeRing(out, plan, layout);
      writePlacements(out, plan, layout);
    }
}

std::string agt::tool::textOf(const std::vector<ModelPlan> &plans) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (auto [i, plan] : llvm::enumerate(plans)) {
    if (i)
      out << "\n";
    write(out, plan);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void write(llvm::json::OStream &out, int64_t rows,
                  const PlacementCosts &costs) {
  const auto &s = costs.stationary;
  const auto &d = costs.distributed;
  out.object([&] {
    out.attribute("rows", rows);
    out.attribute("taken", costs.keysStay() ? "stationary" : "distributed");
    out.attributeObject("stationary", [&] {
      out.attribute("time_s", s.total());
      out.attribute("send_queries_s", s.send);
      out.attribute("product_s", s.product);
      out.attribute("merge_s", s.merge);
    });
    out.attributeObject("distributed", [&] {
      out.attribute("time_s", d.total());
      out.attribute("split_queries_s", d.split);
      out.attribute("move_keys_s", d.move);
      out.attribute("product_s", d.product);
      out.attribute("restore_order_s", d.restore);
    });
  });
}

static void write(llvm::json::OStream &out, const ModelPlan &plan,
                  const ModelLayout &layout) {
  out.object([&] {
    out.attributeObject("axes", [&] {
      for (size_t i = 0; i < plan.machine.axes.size(); ++i)
        out.attribute(plan.machine.axes[i].name,
                      layout.heads[i] ? "heads" : "tokens");
    });
    out.attribute("weights_by_all", layout.weightsEverywhere);
    out.attribute("weights_bytes", layout.weights);
    out.attribute("cache_bytes", layout.cache);
    out.attribute("total_bytes", layout.total());
    if (layout.activation)
      out.attribute("activation_bytes", layout.activation);
    if (plan.machine.memory) {
      std::optional<std::string> term = breaks(layout, plan.machine);
      out.attribute("fits", !term);
      if (term)
        out.attribute("breaks", *term);
    }
    if (layout.weightsEverywhere)
      return;
    std::optional<RingPlan> ring =
        ringOf(plan.model, plan.machine, layout, plan.tokens);
    if (!ring)
      return;
    out.attributeObject("ring", [&] {
      out.attribute("positions", ring->positions);
      out.attribute("hop_compute_s", ring->hopCompute);
      out.attribute("hop_transfer_s", ring->hopTransfer);
      out.attribute("least_tokens_hidden", ring->leastHidden);
      out.attribute("least_tokens_hidden_causal", ring->causalLeastHidden);
      out.attribute("bytes_received", ring->bytesReceived);
      out.attribute("time_s", ring->time);
      out.attribute("transfer_time_s", ring->transferTime);
      out.attribute("transfer_hidden_s", ring->hiddenTime);
      if (std::optional<int64_t> rows =
              crossoverOf(plan.model, plan.machine, layout, plan.tokens))
        out.attribute("crossover_rows", *rows);
    });
    if (!plan.rows.empty() && crossoverOf(plan.model, plan.machine, layout, 1))
      out.attributeArray("placements", [&] {
        for (int64_t rows : plan.rows)
          write(out, rows,
                *placementsOf(plan.model, plan.machine, layout, rows,
                              plan.tokens));
      });
  });
}

std::string agt::tool::jsonOf(const std::vector<ModelPlan> &plans) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream out(stream, 2);
  out.array([&] {
    for (const ModelPlan &plan : plans)
      out.object([&] {
        out.attribute("model", plan.model.name);
        out.attribute("mesh", plan.machine.name);
        out.attribute("positions", plan.machine.positions());
        out.attribute("tokens", plan.tokens);
        out.attribute("memory_bytes", plan.machine.memory);
        out.attribute("weights_bytes", plan.model.weightBytes());
        out.attribute("cache_bytes",
                      plan.model.cacheBytes(double(plan.tokens)));
        out.attribute("cache_bytes_per_token", plan.model.cacheBytes(1));
        if (plan.machine.memory)
          out.attribute("devices_needed",
                        devicesNeeded(plan.model, plan.machine, plan.tokens));
        out.attributeArray("layouts", [&] {
          for (const ModelLayout &layout :
               layoutsOf(plan.model, plan.machine, plan.tokens))
            write(out, plan, layout);
        });
      });
  });
  stream << "\n";
  return text;
}
