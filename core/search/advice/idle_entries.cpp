#include "search/advice/idle_entries.h"

#include <utility>

#include "precision/config/resolved_config.h"
#include "precision/edits/edit_precision.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {

Configuration withoutIdleEntries(const Engine& engine, const Configuration& start,
                                 const Trial& trial) {
  const Graph& graph = engine.graph();
  const Configuration& config = trial.config;
  const NodePrecision& defaults = config.precision->defaults;
  const ResolvedConfig before(graph, *start.precision);
  const ResolvedConfig resolved(graph, *config.precision);
  ConfigEdit weights;
  for (const LayerQuantization& layer : trial.model->layers) {
    const NodeId lead = layer.layer.lead();
    const Node& node = graph[lead];
    NodePrecision precision = resolved[lead];
    const bool idle = resolved.names(lead) && !before.names(lead) && !precision.float32 &&
                      !weightInput(engine, node) && precision.weight != defaults.weight;
    if (!idle) continue;
    precision.weight = defaults.weight;
    weights.steps.push_back(
        {.place = ConfigStep::Entry::Node, .name = node.name, .value = std::move(precision)});
  }
  std::vector<ConfigEdit> edits{std::move(weights)};
  for (const std::string& node : trial.model->notEqualized) {
    if (!isEqualized(start, node)) edits.push_back(clearEqualization(node));
  }
  return together(std::move(edits), {}).apply(config);
}

}  // namespace quantscope
