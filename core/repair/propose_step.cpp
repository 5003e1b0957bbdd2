#include "repair/propose_step.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>

#include "repair/fixed_grids.h"

namespace quantscope {
namespace {

// Takes the layers that `leaves` chooses out of `from`, a list of `layers`, and returns them with
// `why`; `trait` follows the name of such a layer in sentences about its neighbours.
template <class Choice>
std::vector<RefusedLayer> takeOut(const Graph& graph, LinearLayers& layers,
                                  std::vector<LinearLayer>& from, const Choice& leaves,
                                  const std::string& why, const std::string& trait) {
  std::vector<RefusedLayer> taken;
  std::erase_if(from, [&](const LinearLayer& layer) {
    if (!std::invoke(leaves, layer)) return false;
    taken.push_back({graph[layer.lead].name, why});
    layers.takenOut[layer.lead] = trait;
    return true;
  });
  return taken;
}

std::vector<RefusedLayer> takeOutFixed(const RepairState& state, LinearLayers& layers) {
  layers.fixedValues = state.fixed.values;
  const auto isFixed = [&](const LinearLayer& layer) {
    return state.fixed.weights.contains(layer.lead);
  };
  return takeOut(
      state.engine->graph(), layers, layers.layers, isFixed,
      std::string("an encoding of the configuration fixes the grid of its weight") + kLetItMove,
      std::string("has a weight whose grid an encoding of the configuration fixes") + kLetItMove);
}

std::vector<RefusedLayer> takeOutHalves(const Graph& graph, LinearLayers& layers) {
  std::vector<RefusedLayer> taken;
  for (std::vector<LinearLayer>* all : {&layers.layers, &layers.shared}) {
    std::ranges::move(takeOut(graph, layers, *all, &LinearLayer::half,
                              "its weight is float16, which this would round",
                              "has a float16 weight, which scaling would round"),
                      std::back_inserter(taken));
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
