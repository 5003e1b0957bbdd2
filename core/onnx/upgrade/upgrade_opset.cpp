#include "onnx/upgrade/upgrade_opset.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "onnx/operator_versions.h"
#include "onnx/upgrade/node_upgrade.h"
#include "onnx/upgrade/replace_experimental.h"

namespace quantscope {
namespace {

/// The next version after `version` under an opset up to `opset`; `version` where there is none.
int nextVersion(const Node& node, int opset) {
  for (int later = node.version + 1; later <= opset; ++later) {
    const int version = operatorVersion("", node.op, later);
    if (version > node.version) return version;
  }
  return node.version;
}

// Known to the table in every opset, and to no opset of the standard.
bool isExperimental(const Node& node) {
  constexpr std::array kOperators = std::to_array<std::string_view>(
      {"ATen", "Affine", "ConstantFill", "Crop", "DynamicSlice", "FC", "GRUUnit", "GivenTensorFill",
       "ImageScaler", "ParametricSoftplus", "Scale", "ScaledTanh"});
  return std::ranges::find(kOperators, node.op) != kOperators.end();
}

void upgradeNode(Graph& graph, NodeId id, int opset, UniqueNames& values, UniqueNames& nodes) {
  NodeUpgrade upgrade(graph, id, values, nodes);
  if (upgrade.node().version == 0) {
    upgrade.refuse(opset, "the operator is not known");
  }
  while (true) {
    if (isExperimental(upgrade.node()) && opset >= kNoExperiments &&
        !replaceExperimental(upgrade)) {
      upgrade.refuse(opset, "it was an experiment that no opset has taken over");
    }
    const int version = nextVersion(upgrade.node(), opset);
    if (version == upgrade.node().version) return;
    if (!upgradeStep(upgrade, version)) upgrade.refuse(version);
    graph.mutableNode(id).version = version;
  }
}

}  // namespace

void upgradeOpset(Graph& graph, int opset) {
  const auto own = std::ranges::find(graph.opsets, "", &std::pair<std::string, int>::first);
  if (own == graph.opsets.end() || own->second >= opset) return;
  own->second = opset;
  UniqueNames values;
  UniqueNames nodes;
  for (const Value& value : graph.values()) values.take(value.name);
  for (const Node& node : graph.nodes()) nodes.take(node.name);
  // Nodes that are added on the way are lifted as well.
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    if (graph.nodes()[i].domain.empty()) upgradeNode(graph, NodeId(i), opset, values, nodes);
  }
  graph.finish();
}

}  // namespace quantscope
