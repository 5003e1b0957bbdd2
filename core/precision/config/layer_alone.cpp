#include "precision/config/layer_alone.h"

#include <algorithm>

namespace quantscope {

Configuration inFloat(const Configuration& config) {
  PrecisionConfig precision;
  precision.backend = config.precision->backend;
  precision.convention = config.precision->convention;
  precision.bias = config.precision->bias;
  precision.defaults.float32 = true;
  return {std::move(precision)};
}

void setNode(PrecisionConfig& config, const std::string& node, const NodePrecision& precision) {
  const auto found =
      std::ranges::find(config.nodes, node, &std::pair<std::string, NodePrecision>::first);
  if (found != config.nodes.end()) {
    found->second = precision;
  } else {
    config.nodes.emplace_back(node, precision);
  }
}

Configuration withNode(Configuration config, const std::string& node,
                       const NodePrecision& precision) {
  config.precision.edit([&](PrecisionConfig& entries) { setNode(entries, node, precision); });
  return config;
}

Configuration layerAlone(const Configuration& config, const std::string& node,
                         const NodePrecision& precision) {
  Configuration alone = withNode(inFloat(config), node, precision);
  alone.encodings = config.encodings;
  for (const auto& factors : config.repairs->equalize) {
    if (factors.first != node) continue;
    alone.repairs.edit([&](Repairs& repairs) { repairs.equalize.push_back(factors); });
  }
  return alone;
}

}  // namespace quantscope
