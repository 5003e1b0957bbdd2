#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// A chain of operators that a backend runs as one: nothing inside it is quantized.
struct PatternRule {
  std::string lead;                                 ///< takes the precision, names the row
  std::vector<std::vector<std::string>> followers;  ///< each stage: operators that may come next;
                                                    ///< a stage without a match is passed over
};

/// What the machine that runs the quantized network can do.
struct Backend {
  std::string name;
  std::vector<std::string> quantizedOps;  ///< operators with quantized inputs and outputs
  std::vector<std::string> sharingOps;    ///< of those: inputs and outputs on one grid
  std::vector<PatternRule> patterns;

  bool quantizes(std::string_view op) const;
  bool shares(std::string_view op) const;
};

/// Throws InvalidConfiguration for a name that is not there, listing those that are.
const Backend& findBackend(std::string_view name);

/// True where the node only moves elements about, so that its output stays on its input's grid.
bool isDataMover(const Graph& graph, const Node& node);

}  // namespace quantscope
