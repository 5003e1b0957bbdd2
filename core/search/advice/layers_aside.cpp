#include "search/advice/layers_aside.h"

#include <algorithm>
#include <utility>

namespace quantscope {
namespace {

bool isOfAny(const ConfigStep& step, const std::set<std::string>& nodes) {
  const bool ofNode =
      step.place == ConfigStep::Entry::Node || step.place == ConfigStep::Entry::Equalize;
  return ofNode && nodes.contains(step.name);
}

void addLayerOf(NodeId node, const Graph& graph, const QuantizedModel& model,
                std::set<std::string>& nodes) {
  if (!node.valid()) return;
  nodes.insert(graph[node].name);
  for (const LayerQuantization& layer : model.layers) {
    const std::vector<NodeId>& members = layer.layer.members;
    if (std::ranges::find(members, node) == members.end()) continue;
    for (const NodeId member : members) nodes.insert(graph[member].name);
  }
}

}  // namespace

std::set<std::string> nodesAside(const Graph& graph, const QuantizedModel& model,
                                 const DetectorReport& report, const std::set<std::string>& aside) {
  std::set<std::string> nodes;
  for (const std::vector<Finding>* findings : {&report.findings, &report.unproven}) {
    for (const Finding& finding : *findings) {
      if (!aside.contains(finding.id)) continue;
      addLayerOf(finding.node, graph, model, nodes);
      for (const NodeId member : finding.members) addLayerOf(member, graph, model, nodes);
    }
  }
  return nodes;
}

bool changesAny(const ConfigEdit& edit, const std::set<std::string>& nodes) {
  return std::ranges::any_of(edit.steps,
                             [&](const ConfigStep& step) { return isOfAny(step, nodes); });
}

ConfigEdit without(ConfigEdit edit, const std::set<std::string>& nodes) {
  std::erase_if(edit.steps, [&](const ConfigStep& step) { return isOfAny(step, nodes); });
  return edit;
}

SearchSpace without(SearchSpace space, const std::set<std::string>& nodes) {
  for (SearchLayer& layer : space.layers) {
    if (nodes.contains(layer.node)) layer.options.resize(1);
  }
  return space;
}

}  // namespace quantscope
