#pragma once

#include <map>
#include <vector>

#include "precision/layers/fused_patterns.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {

/// The points of a graph by their names.
class NamedPoints {
 public:
  NamedPoints(const Graph& graph, const std::vector<FusedLayer>& layers,
              const std::vector<QuantizationPoint>& points);

  /// Indices of the points that a name stands for, in rising order: several where a node has
  /// several outputs or reads a producer more than once, none where nothing is quantized. As an
  /// output, each node of a fused pattern stands for the pattern.
  const std::vector<std::size_t>& find(const PointName& name) const;

 private:
  std::map<PointName, std::vector<std::size_t>> m_points;
};

}  // namespace quantscope
