#include "search/profiles/optimize_by_profiles.h"

#include <algorithm>

#include "precision/backend/layer_tensors.h"
#include "precision/config/replace_types.h"
#include "precision/layers/configured_layers.h"
#include "search/profiles/attention.h"

namespace quantscope {
namespace {

NodePrecision precisionOf(Scheme scheme) {
  NodePrecision precision = defaultPrecision();
  switch (scheme) {
    case Scheme::Int8:
      break;
    case Scheme::Int16:
      return withType(precision, QuantType::Int16);
    case Scheme::Dynamic:
      precision.activation.dynamic = true;
      precision.output = TensorPrecision();
      break;
    case Scheme::Float32:
      precision.float32 = true;
      break;
  }
  return precision;
}

}  // namespace

OptimizedConfig optimizeByProfiles(const Engine& engine, const ProfileTable& profiles,
                                   const Criteria& criteria, const Strategy& strategy) {
  const Graph& graph = engine.graph();
  const std::vector<bool> attention = findAttention(graph);
  std::vector<ProfileChoice> choices;
  OptimizedConfig result;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    choices.push_back(
        chooseByProfile(profiles.of(node.op, attention[i]), node.op, criteria, strategy));
    const ProfileChoice& choice = choices.back();
    result.why.push_back({.node = node.name,
                          .measured = false,
                          .scheme = std::string(name(choice.scheme)),
                          .accuracyLoss = choice.accuracyLoss,
                          .speedup = choice.speedup,
                          .confidence = choice.confidence,
                          .text = choice.text});
  }

  PrecisionConfig config;
  config.backend = "generic";
  const std::shared_ptr<const Backend> backend = findBackend(config.backend);
  const ResolvedConfig resolved(graph, config);
  const ConfiguredLayers configured{engine, *backend, resolved};
  for (std::size_t i = 0; i < configured.layers.size(); ++i) {
    const FusedLayer& layer = configured.layers[i];
    const Node& lead = graph[layer.lead()];
    if (!configured.quantizable(i) || !backend->knows(lead.op)) continue;
    const Scheme scheme = choices[layer.lead().at()].scheme;
    for (const NodeId member : layer.members) {
      const Scheme own = choices[member.at()].scheme;
      if (member != layer.lead() && own == scheme) continue;
      config.nodes.emplace_back(
          graph[member].name,
          ofTensors(precisionOf(own), layerTensors(engine, graph[member]), config.defaults));
    }
  }
  result.config = std::move(config);
  return result;
}

}  // namespace quantscope
