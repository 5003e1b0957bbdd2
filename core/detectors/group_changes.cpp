#include "detectors/group_changes.h"

#include <algorithm>

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

/// True where the backend runs the operator with activations of that type.
bool runsWith(const Backend& backend, const std::string& op, QuantType type) {
  return std::ranges::any_of(backend.ways, [&](const OperatorWay& way) {
    return way.activation && std::ranges::find(way.operators, op) != way.operators.end() &&
           std::ranges::find(way.activation->types, type) != way.activation->types.end();
  });
}

bool allRunWith(const DetectorInput& input, const std::vector<ConfigChange>& changes,
                QuantType type) {
  return std::ranges::all_of(changes, [&](const ConfigChange& change) {
    const NodeId node = input.graph().findNode(change.node);
    return node.valid() && runsWith(input.backend, input.graph()[node].op, type);
  });
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
    ConfigChange& change = entryFor(input, node, changes);
    (point.isOutput() ? change.output : change.activation) = precision;
  }
  return changes;
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
  std::string text = "Give " + what + " 16 bits";
  text += allRunWith(input, changes, wide)
              ? "."
              : ", on a backend that can: " + input.backend.name + " cannot.";
  return Suggestion{std::move(text), std::move(changes), {}};
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

Suggestion keepFloat(const DetectorInput& input, NodeId node) {
  const std::string& name = input.graph()[node].name;
  ConfigChange change;
  change.node = name;
  change.float32 = true;
  return {"Leave '" + name + "' in float.", {std::move(change)}, {}};
}

}  // namespace quantscope
