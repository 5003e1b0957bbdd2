#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "precision/config/named_points.h"

namespace quantscope {

/// What the names of encodings stand for.
class EncodedNames {
 public:
  /// A node and the place of its weight.
  using Weight = std::pair<NodeId, std::size_t>;

  /// `weights`: those that are quantized, by the value that they read. Graph and groups must
  /// outlive it.
  EncodedNames(const Graph& graph, const std::vector<FusedLayer>& layers,
               const ObserverGroups& groups, std::multimap<ValueId, Weight> weights);

  /// Groups of the points that a name stands for; where a name is that of an input or a constant,
  /// of the edges that read it.
  std::set<std::size_t> groupsOf(const PointName& name) const;
  std::vector<Weight> weightsOf(const PointName& name) const;

 private:
  const Graph& m_graph;
  NamedPoints m_points;
  const ObserverGroups& m_groups;
  std::multimap<ValueId, Weight> m_weights;
};

/// The weights of layers that are quantized, by the value that they read; `quantized` is what
/// ConfiguredLayers says.
std::multimap<ValueId, EncodedNames::Weight> quantizedWeights(const Engine& engine,
                                                              const std::vector<FusedLayer>& layers,
                                                              const std::vector<bool>& quantized);

}  // namespace quantscope
