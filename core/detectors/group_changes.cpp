#include "detectors/group_changes.h"

#include <algorithm>

#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

/// The leading node of the layer that computes a value; none where no quantized layer does.
NodeId leaderOf(const DetectorInput& input, ValueId value) {
  const auto found = std::ranges::find_if(input.model.layers, [&](const LayerQuantization& layer) {
    return layer.quantized && !layer.dataMover && outputOf(input.graph(), layer.layer) == value;
  });
  return found == input.model.layers.end() ? NodeId() : found->layer.lead();
}

ConfigChange& entryFor(const DetectorInput& input, NodeId node,
                       std::vector<ConfigChange>& changes) {
  const std::string& name = input.graph()[node].name;
  const auto found = std::ranges::find(changes, name, &ConfigChange::node);
  if (found != changes.end()) return *found;
  return changes.emplace_back(ConfigChange{name, {}, {}, {}});
}

}  // namespace

std::vector<ConfigChange> changeGroup(const DetectorInput& input, ValueId value, NodeId consumer,
                                      const std::function<void(TensorPrecision&)>& modify) {
  const ObserverGroups& groups = input.model.groups;
  const auto edge = std::ranges::find_if(groups.points, [&](const QuantizationPoint& point) {
    return point.value == value && point.consumer == consumer;
  });
  std::vector<ConfigChange> changes;
  if (edge == groups.points.end()) return changes;
  for (const std::size_t member : groups.members[edge->group]) {
    const QuantizationPoint& point = groups.points[member];
    const NodeId node = point.isOutput() ? leaderOf(input, point.value) : point.consumer;
    if (!node.valid()) continue;
    TensorPrecision precision = point.precision;
    modify(precision);
    ConfigChange& change = entryFor(input, node, changes);
    (point.isOutput() ? change.output : change.activation) = precision;
  }
  return changes;
}

}  // namespace quantscope
