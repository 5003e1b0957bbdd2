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

Configuration withNode(Configuration config, const std::string& node,
                       const NodePrecision& precision) {
  config.precision.edit([&](PrecisionConfig& entries) {
    const auto found =
        std::ranges::find(entries.nodes, node, &std::pair<std::string, NodePrecision>::first);
    if (found != entries.nodes.end()) {
      found->second = precision;
    } else {
      entries.nodes.emplace_back(node, precision);
    }
  });
  return config;
}

}  // namespace quantscope
