#include "repair/propose_step.h"

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

}  // namespace

RepairProposal proposeStep(const RepairStep& step, const RepairState& state, LinearLayers layers,
                           RepairTools& tools, std::size_t way) {
  if (!step.movesGrids) return step.propose(state, layers, tools, way);
  const std::vector<RefusedLayer> fixed = takeOutFixed(state, layers);
  const bool none = layers.layers.empty() && !fixed.empty();
  RepairProposal proposal =
      none ? notLegal(
                 "encodings of the configuration fix the grids of all weights that may "
                 "change; take them out of the configuration's encodings to let them move")
           : step.propose(state, layers, tools, way);
  proposal.refused.insert(proposal.refused.begin(), fixed.begin(), fixed.end());
  return proposal;
}

}  // namespace quantscope
