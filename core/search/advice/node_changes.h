#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// A sentence as a line of a list. Edits of layers say "set /conv to float", suggestions of
/// findings "Leave '/conv' in float.".
std::string changeWords(std::string sentence);

/// What one configuration does otherwise than another one with a layer, with a point that was split
/// off, or with all biases.
struct NodeChange {
  std::string node;           ///< or the point: "the edge from a to b"
  std::string verb;           ///< "set", "equalize", "split off"
  std::string to;             ///< "FP16", "activations int16"; empty where the verb says all
  const char* of = "layers";  ///< or "points"

  /// "Set /conv to FP16".
  std::string sentence() const;
};

/// The changes of all layers that `after` has other entries for, of which the precision in effect
/// differs, in the order of the entries. Both fit the graph, else InvalidConfiguration.
std::vector<NodeChange> nodeChanges(const Graph& graph, const Configuration& before,
                                    const Configuration& after);

/// A change in words, and how many changes of single layers it stands for.
struct AdvisedChange {
  std::string text;
  std::size_t count = 1;

  friend bool operator==(const AdvisedChange&, const AdvisedChange&) = default;
};

/// The same, with one sentence for all layers of which it is true: "Set 12 layers to FP16: /a, /b,
/// /c and 9 more". In the order of the first of each.
std::vector<AdvisedChange> inGroups(std::span<const NodeChange> changes);

}  // namespace quantscope
