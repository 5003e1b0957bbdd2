#include "precision/precision_config.h"

#include <algorithm>

#include "base/error.h"

namespace quantscope {

NodePrecision defaultPrecision() {
  NodePrecision precision;
  precision.weight.type = QuantType::Int8;
  precision.weight.granularity.kind = Granularity::Kind::PerChannel;
  precision.activation.type = QuantType::UInt8;
  precision.activation.symmetric = false;
  precision.output = precision.activation;
  return precision;
}

const NodePrecision& PrecisionConfig::of(std::string_view node) const {
  const auto found = std::ranges::find_if(
      nodes, [&](const auto& entry) { return std::string_view(entry.first) == node; });
  return found == nodes.end() ? defaults : found->second;
}

bool PrecisionConfig::names(std::string_view node) const {
  return std::ranges::any_of(
      nodes, [&](const auto& entry) { return std::string_view(entry.first) == node; });
}

void requireKnownNodes(const PrecisionConfig& config, const Graph& graph) {
  for (const auto& [name, precision] : config.nodes) {
    if (graph.findNode(name).valid()) continue;
    throw Error(ErrorCode::InvalidConfiguration,
                "'nodes." + name + "' matches no node of the model", {},
                "use a name that `inspect` lists");
  }
}

}  // namespace quantscope
