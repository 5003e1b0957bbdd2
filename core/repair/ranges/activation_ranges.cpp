#include "repair/ranges/activation_ranges.h"

#include <algorithm>
#include <array>

namespace quantscope {
namespace {

constexpr std::array<const char*, kRangeWays> kObservers{"mse", "percentile:0.01:99.99",
                                                         "percentile:0.1:99.9"};

bool observes(const LayerQuantization& layer) {
  return layer.quantized && !layer.dataMover &&
         (isStaticInteger(layer.activation) || isStaticInteger(layer.output));
}

}  // namespace

RepairProposal proposeRanges(const RepairState& state, const LinearLayers& /*layers*/,
                             RepairTools& tools, std::size_t way) {
  if (tools.fit.feedCount() == 0) return notLegal("there are no samples to fit to");
  RepairProposal proposal;
  proposal.what = kObservers.at(way);
  proposal.overlay.observer = parseObserver(kObservers.at(way));
  proposal.nodes = static_cast<std::size_t>(std::ranges::count_if(state.model->layers, observes));
  if (withOverlay(state.config, state.engine->graph(), proposal.overlay) == state.config) {
    return notLegal("no activation is observed by its extremes");
  }
  return proposal;
}

}  // namespace quantscope
