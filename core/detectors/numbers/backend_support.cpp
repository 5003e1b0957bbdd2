#include "detectors/numbers/backend_support.h"

#include <algorithm>

#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

/// The change from the wanted precision to the nearest one that the backend has.
ConfigChange changeTo(const NodePrecision& asked, const NotSupported& entry) {
  const NodePrecision& nearest = entry.nearestPrecision;
  ConfigChange change{entry.node, {}, {}, {}};
  change.float32 = nearest.float32;
  if (nearest.float32) return change;
  if (nearest.weight != asked.weight) change.weight = nearest.weight;
  if (nearest.activation != asked.activation) change.activation = nearest.activation;
  if (nearest.output != asked.output) change.output = nearest.output;
  return change;
}

Finding notSupported(const DetectorInput& input, NodeId node, const NotSupported& entry) {
  const ConfigChange change = changeTo(input.precision[node], entry);
  const LayerQuantization* layer = input.index.layerLedBy(node);
  const bool simulated = layer != nullptr && layer->quantized;
  Finding finding = findingAt(input, "backend_support", node);
  finding.statistic = change.float32 ? 3
                                     : change.weight.has_value() + change.activation.has_value() +
                                           change.output.has_value();
  finding.severity = simulated ? Severity::Warning : Severity::Info;
  finding.text = "The backend cannot run '" + finding.nodeName + "' with " + entry.asked + ".";
  finding.why = entry.reason + (simulated ? "; the errors shown are those of what was asked for, "
                                            "not of what will run."
                                          : ".");
  finding.suggestion = Suggestion{
      "Give '" + finding.nodeName + "' the nearest that the backend can do: " + entry.nearest + ".",
      {change},
      {}};
  return finding;
}

bool isFollower(const PatternRule& pattern, const std::string& op) {
  return std::ranges::any_of(pattern.followers, [&](const std::vector<std::string>& stage) {
    return std::ranges::find(stage, op) != stage.end();
  });
}

/// The node that could have been run together with the layer but for its own entry.
NodeId keptApart(const DetectorInput& input, const LayerQuantization& layer) {
  const Graph& graph = input.graph();
  const PatternRule* pattern = input.backend.patternOf(graph[layer.layer.lead()].op);
  const ValueId output = outputOf(graph, layer.layer);
  if (!layer.quantized || !layer.output || pattern == nullptr || !output.valid()) return {};
  if (graph[output].consumers.size() != 1) return {};
  if (std::ranges::find(graph.outputs(), output) != graph.outputs().end()) return {};
  const NodeId reader = graph[output].consumers.front();
  const bool apart = input.precision.names(reader) && isFollower(*pattern, graph[reader].op) &&
                     input.index.layerLedBy(reader) != nullptr;
  return apart ? reader : NodeId();
}

Finding notFused(const DetectorInput& input, NodeId lead, NodeId reader) {
  Finding finding = findingAt(input, "backend_support", lead);
  finding.id += "/fusion";
  finding.value = input.graph()[reader].inputs.front();
  finding.statistic = 1;
  finding.severity = Severity::Info;
  const std::string& name = input.graph()[reader].name;
  finding.text = "'" + finding.nodeName + "' and '" + name +
                 "' are quantized one by one, although the backend can run them as one.";
  finding.why = "'" + name +
                "' has an entry of its own in the configuration, so that the value between the two "
                "is rounded and written to memory.";
  finding.suggestion = Suggestion{"Remove the entry of '" + name + "' from the configuration.",
                                  {{.node = name, .removesEntry = true}},
                                  {}};
  return finding;
}

}  // namespace

std::vector<Finding> findUnsupported(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const NotSupported& entry : input.model.notSupported) {
    const NodeId node = input.graph().findNode(entry.node);
    if (node.valid()) findings.push_back(notSupported(input, node, entry));
  }
  for (const LayerQuantization& layer : input.model.layers) {
    const NodeId reader = keptApart(input, layer);
    if (reader.valid()) findings.push_back(notFused(input, layer.layer.lead(), reader));
  }
  return findings;
}

}  // namespace quantscope
