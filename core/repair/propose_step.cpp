#include "repair/propose_step.h"

#include <algorithm>
#include <iterator>

#include "repair/fixed_grids.h"

namespace quantscope {
namespace {

// Returns the layers that it has taken out.
std::vector<RefusedLayer> takeOutFixed(const RepairState& state, LinearLayers& layers) {
  std::vector<RefusedLayer> fixed;
  layers.fixedValues = state.fixed.values;
  std::erase_if(layers.layers, [&](const LinearLayer& layer) {
    if (!state.fixed.weights.contains(layer.lead)) return false;
    fixed.push_back({state.engine->graph()[layer.lead].name,
                     std::string("an encoding of the configuration fixes the grid of its weight") +
                         kLetItMove});
    layers.takenOut[layer.lead] =
        std::string("has a weight whose grid an encoding of the configuration fixes") + kLetItMove;
    return true;
  });
  return fixed;
}

// Likewise.
std::vector<RefusedLayer> takeOutHalves(const Graph& graph, LinearLayers& layers) {
  std::vector<RefusedLayer> taken;
  for (std::vector<LinearLayer>* all : {&layers.layers, &layers.shared}) {
    std::erase_if(*all, [&](const LinearLayer& layer) {
      if (!layer.half) return false;
      taken.push_back({graph[layer.lead].name, "its weight is float16, which this would round"});
      layers.takenOut[layer.lead] = "has a float16 weight, which scaling would round";
      return true;
    });
  }
  return taken;
}

}  // namespace

RepairProposal proposeStep(const RepairStep& step, const RepairState& state, LinearLayers layers,
                           RepairTools& tools, std::size_t way) {
  std::vector<RefusedLayer> out;
  std::string none;  // why it can do nothing, where all layers are taken out
  if (!step.takesHalves) {
    out = takeOutHalves(state.engine->graph(), layers);
    none =
        "all weights that may change are float16, which it would round; give the model in float32";
  }
  if (step.movesGrids) {
    std::vector<RefusedLayer> fixed = takeOutFixed(state, layers);
    if (!fixed.empty()) {
      none =
          "encodings of the configuration fix the grids of all weights that may change; take them "
          "out of the configuration's encodings to let them move";
    }
    std::ranges::move(fixed, std::back_inserter(out));
  }
  const bool any = !layers.layers.empty() || out.empty() || step.wholeModel;
  RepairProposal proposal = any ? step.propose(state, layers, tools, way) : notLegal(none);
  proposal.refused.insert(proposal.refused.begin(), out.begin(), out.end());
  return proposal;
}

}  // namespace quantscope
