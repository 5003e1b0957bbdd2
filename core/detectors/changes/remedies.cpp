#include "detectors/changes/remedies.h"

#include <algorithm>

#include "detectors/changes/group_changes.h"
#include "detectors/ranges/activation_grids.h"

namespace quantscope {
namespace {

bool isPerTensor(const DetectorInput& input, NodeId node) {
  return input.precision[node].weight.granularity.kind == Granularity::Kind::PerTensor;
}

Suggestion finerWeights(const DetectorInput& input, NodeId node) {
  if (isPerTensor(input, node)) {
    Suggestion suggestion = scalePerChannel(input, node);
    NodePrecision asked = input.precision[node];
    asked.weight = *suggestion.changes.front().weight;
    if (runsOnBackend(input, node, asked)) return suggestion;
  }
  if (auto suggestion = widenWeights(input, node)) return *std::move(suggestion);
  return keepFloat(input, node);
}

bool followsTheData(const TensorPrecision& precision) {
  return !precision.range && precision.observer == ObserverSpec();
}

Suggestion finerGrid(const DetectorInput& input, NodeId node, const ActivationGrid* grid,
                     bool clips) {
  if (grid == nullptr) return keepFloat(input, node);
  const QuantizationPoint& point = *grid->point;
  const std::string what = placeOf(input, *grid);
  const bool free = clips ? !followsTheData(point.precision) : point.precision.range.has_value();
  if (free) return freeRange(input, point.value, point.consumer, what);
  const auto wider = clips ? std::nullopt : widenGroup(input, point.value, point.consumer, what);
  return wider ? *wider : keepFloat(input, node);
}

Suggestion fittedBias(const DetectorInput& input, NodeId node) {
  if (input.model.weightRules.bias != BiasRule::Int32) return keepFloat(input, node);
  ConfigChange change;
  change.bias = BiasRule::Int32Fit;
  return {"Let the scales of weights grow until each bias fits (\"bias\": \"int32-fit\").",
          {std::move(change)},
          {}};
}

}  // namespace

Suggestion remedyFor(const DetectorInput& input, std::size_t index, LayerPart part) {
  const LayerQuantization& layer = input.model.layers[index];
  const NodeId node = layer.layer.lead();
  const std::vector<ActivationGrid> grids = activationGrids(input, index);
  const auto gridAt = [&](bool output) {
    const auto found = std::ranges::find_if(
        grids, [&](const ActivationGrid& grid) { return grid.point->isOutput() == output; });
    return found == grids.end() ? nullptr : &*found;
  };
  switch (part) {
    case LayerPart::Weight:
      return finerWeights(input, node);
    case LayerPart::Bias:
      return fittedBias(input, node);
    case LayerPart::Input:
    case LayerPart::Output:
      return finerGrid(input, node, gridAt(part == LayerPart::Output), false);
    case LayerPart::Clipping:
      break;
  }
  const bool clipsOutput = input.result.layers[index].clippedShare.value_or(0) > 0;
  return finerGrid(input, node, gridAt(clipsOutput), true);
}

}  // namespace quantscope
