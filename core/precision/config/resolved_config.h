#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "precision/config/precision_config.h"

namespace quantscope {

/// The entry of a configuration that gave a node its precision.
struct PrecisionRule {
  enum class Kind : std::uint8_t { Default, OpType, Pattern, Node };

  Kind kind = Kind::Default;
  std::size_t index = 0;  ///< among the entries of its kind

  friend bool operator==(const PrecisionRule&, const PrecisionRule&) = default;
};

/// The place of a rule in its configuration: "default", "op_types.LSTM", "patterns[0] (.*/fc)",
/// "nodes.conv1".
std::string describe(const PrecisionConfig& config, const PrecisionRule& rule);

/// A configuration resolved for a graph: the precision of each node, and the rule that it comes
/// from.
class ResolvedConfig {
 public:
  /// Both must outlive it. Throws InvalidConfiguration where an entry of `nodes` or `patterns`
  /// matches no node, where `groups` names a point that the graph does not have, and for names too
  /// long for patterns.
  ResolvedConfig(const Graph& graph, const PrecisionConfig& config);

  const PrecisionConfig& config() const { return m_config; }
  const NodePrecision& operator[](NodeId node) const;
  const PrecisionRule& rule(NodeId node) const { return m_rules[node.at()]; }
  /// True where the node has an entry of its own.
  bool names(NodeId node) const { return rule(node).kind == PrecisionRule::Kind::Node; }
  /// Oddities that are no errors: operator types that do not occur in the graph, entries whose
  /// nodes all have another one.
  const std::vector<std::string>& notices() const { return m_notices; }

 private:
  void applyOpTypes(const Graph& graph);
  void applyPatterns(const Graph& graph);
  void applyNodes(const Graph& graph);
  void noteIdle(const Graph& graph);

  const PrecisionConfig& m_config;
  std::vector<PrecisionRule> m_rules;  // by node
  std::vector<std::string> m_notices;
};

}  // namespace quantscope
