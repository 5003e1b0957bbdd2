#include "precision/config/named_points.h"

namespace quantscope {

NamedPoints::NamedPoints(const Graph& graph, const std::vector<FusedLayer>& layers,
                         const std::vector<QuantizationPoint>& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    m_points[pointName(graph, points[i])].push_back(i);
  }
  for (const FusedLayer& layer : layers) {
    const auto output = m_points.find({graph[layer.last()].name, {}});
    if (output == m_points.end()) continue;
    for (const NodeId member : layer.members) {
      if (member != layer.last()) m_points[{graph[member].name, {}}] = output->second;
    }
  }
}

const std::vector<std::size_t>& NamedPoints::find(const PointName& name) const {
  static const std::vector<std::size_t> nothing;
  const auto found = m_points.find(name);
  return found == m_points.end() ? nothing : found->second;
}

}  // namespace quantscope
