#include "detectors/changes/group_changes.h"

#include <algorithm>

#include "precision/backend/layer_tensors.h"
#include "precision/config/replace_types.h"

namespace quantscope {
namespace {

/// The leading node of the layer that computes a value; none where no quantized layer does.
NodeId leaderOf(const DetectorInput& input, ValueId value) {
  const LayerQuantization* layer = input.index.layerComputing(value);
  const bool counts = layer != nullptr && layer->quantized && !layer->dataMover;
  return counts ? layer->layer.lead() : NodeId();
}

ConfigChange& entryFor(const DetectorInput& input, NodeId node,
                       std::vector<ConfigChange>& changes) {
  const std::string& name = input.graph()[node].name;
  const auto found = std::ranges::find(changes, name, &ConfigChange::node);
  if (found != changes.end()) return *found;
  return changes.emplace_back(ConfigChange{name, {}, {}, {}});
}

/// True where calibration has kept what the range of a value needs. Ranges of channels may need a
/// histogram of each channel, which is kept only where the configuration asks for such ranges.
bool rangeKnown(const DetectorInput& input, ValueId value, const TensorPrecision& precision) {
  if (precision.dynamic || precision.range) return true;
  if (precision.granularity.kind != Granularity::Kind::PerChannel) return true;
  if (!precision.observer.readsHistograms()) return true;
  const Observation* observation = input.observations.find(value);
  return observation != nullptr && !observation->channelHistograms.empty();
}

}  // namespace

std::vector<ConfigChange> changeGroup(const DetectorInput& input, ValueId value, NodeId consumer,
                                      const std::function<void(TensorPrecision&)>& modify) {
  const ObserverGroups& groups = input.model.groups;
  const QuantizationPoint* edge = input.index.point(value, consumer);
  std::vector<ConfigChange> changes;
  if (edge == nullptr) return changes;
  for (const std::size_t member : groups.members[edge->group]) {
    const QuantizationPoint& point = groups.points[member];
    const NodeId node = point.isOutput() ? leaderOf(input, point.value) : point.consumer;
    if (!node.valid()) continue;
    TensorPrecision precision = point.precision;
    modify(precision);
    if (!rangeKnown(input, point.value, precision)) return {};
    ConfigChange& change = entryFor(input, node, changes);
    (point.isOutput() ? change.output : change.activation) = precision;
  }
  return changes;
}

bool runsOnBackend(const DetectorInput& input, NodeId node, const NodePrecision& asked) {
  const auto nearest = nearestPrecision(input.backend, input.engine, input.graph()[node], asked);
  return nearest && nearest->reasons.empty();
}

bool allRun(const DetectorInput& input, const std::vector<ConfigChange>& changes) {
  return std::ranges::all_of(changes, [&](const ConfigChange& change) {
    const NodeId node = input.graph().findNode(change.node);
    if (!node.valid()) return false;
    NodePrecision asked = input.precision[node];
    if (change.activation) asked.activation = *change.activation;
    if (change.output) asked.output = *change.output;
    return runsOnBackend(input, node, asked);
  });
}

std::optional<Suggestion> widenGroup(const DetectorInput& input, ValueId value, NodeId consumer,
                                     const std::string& what) {
  QuantType wide = QuantType::Float32;
  std::vector<ConfigChange> changes =
      changeGroup(input, value, consumer, [&](TensorPrecision& precision) {
        if (!isInteger(precision.type) || bitWidth(precision.type) >= 16) return;
        wide = isSigned(precision.type) ? QuantType::Int16 : QuantType::UInt16;
        precision.type = wide;
        precision.lowest.reset();
        precision.highest.reset();
      });
  if (!isQuantized(wide) || changes.empty()) return std::nullopt;
  if (allRun(input, changes)) {
    return Suggestion{"Give " + what + " 16 bits.", std::move(changes), {}};
  }
  const NodeId node = consumer.valid() ? consumer : leaderOf(input, value);
  return node.valid() ? std::optional(keepFloat(input, node)) : std::nullopt;
}

Suggestion freeRange(const DetectorInput& input, ValueId value, NodeId consumer,
                     const std::string& what) {
  return {"Let the range of " + what + " reach from the smallest to the largest value.",
          changeGroup(input, value, consumer,
                      [](TensorPrecision& precision) {
                        precision.range.reset();
                        precision.observer = {};
                      }),
          {}};
}

Suggestion scalePerChannel(const DetectorInput& input, NodeId node) {
  const std::string& name = input.graph()[node].name;
  ConfigChange change;
  change.node = name;
  change.weight = input.precision[node].weight;
  change.weight->granularity = {Granularity::Kind::PerChannel, {}, 0};
  return {"Quantize the weights of '" + name + "' per channel.", {std::move(change)}, {}};
}

std::optional<Suggestion> widenWeights(const DetectorInput& input, NodeId node) {
  NodePrecision asked = input.precision[node];
  const int bits = bitWidth(asked.weight.type);
  for (const QuantType type : {QuantType::Int8, QuantType::Int16, QuantType::Float16}) {
    if (bitWidth(type) <= bits) continue;
    if (hasScale(type)) {
      asked.weight.type = type;
      asked.weight.lowest.reset();
      asked.weight.highest.reset();
    } else {
      setType(asked.weight, type);
    }
    if (!runsOnBackend(input, node, asked)) continue;
    const std::string& name = input.graph()[node].name;
    ConfigChange change;
    change.node = name;
    change.weight = asked.weight;
    return Suggestion{"Give the weights of '" + name + "' " + std::to_string(bitWidth(type)) +
                          " bits instead of " + std::to_string(bits) + ".",
                      {std::move(change)},
                      {}};
  }
  return std::nullopt;
}

Suggestion keepFloat(const DetectorInput& input, NodeId node) {
  return {"Leave '" + input.graph()[node].name + "' in float.", floatChanges(input, node), {}};
}

std::vector<ConfigChange> floatChanges(const DetectorInput& input, NodeId node) {
  const LayerQuantization* layer = input.index.layerLedBy(node);
  std::vector<ConfigChange> changes;
  const auto add = [&](NodeId each) {
    ConfigChange change;
    change.node = input.graph()[each].name;
    change.float32 = true;
    changes.push_back(std::move(change));
  };
  add(node);
  if (layer == nullptr) return changes;
  for (const NodeId member : layer->layer.members) {
    if (member != node) add(member);
  }
  return changes;
}

}  // namespace quantscope
