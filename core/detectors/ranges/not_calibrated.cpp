#include "detectors/ranges/not_calibrated.h"

#include <map>
#include <utility>

#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

/// By block: true if calibration has seen one of its values.
std::vector<bool> enteredBlocks(const DetectorInput& input) {
  const Graph& graph = input.graph();
  std::vector<bool> entered(graph.blocks().size());
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    const ValueId value(i);
    if (input.observations.find(value) != nullptr) entered[graph[value].block.at()] = true;
  }
  return entered;
}

/// The outermost block around a node that was never entered; none where its own one was.
BlockId skippedBlock(const Graph& graph, const std::vector<bool>& entered, NodeId node) {
  BlockId skipped;
  for (BlockId block = graph[node].block; !entered[block.at()] && graph[block].owner.valid();
       block = graph[graph[block].owner].block) {
    skipped = block;
  }
  return skipped;
}

/// "If_0/else", as the names of its nodes begin.
std::string nameOf(const Graph& graph, BlockId block) {
  const std::string& owner = graph[graph[block].owner].name;
  const std::string& inside = graph[graph[block].nodes.front()].name;
  return inside.substr(0, inside.find('/', owner.size() + 1));
}

/// The node that keeps the operator whose body the block is from being run; none where it can.
NodeId obstacleOf(const DetectorInput& input, BlockId block) {
  const Graph& graph = input.graph();
  const NodeId owner = graph[block].owner;
  for (const NotExecutable& entry : input.engine.notExecutable()) {
    for (NodeId node = entry.node; node.valid(); node = graph[graph[node].block].owner) {
      if (node == owner) return entry.node;
    }
  }
  return {};
}

Finding skippedPart(const DetectorInput& input, BlockId block, NodeId first, std::size_t layers) {
  Finding finding = findingAt(input, "not_calibrated", first);
  finding.statistic = static_cast<double>(layers);
  finding.severity = Severity::Warning;
  const std::string stays =
      (layers == 1 ? "'" + finding.nodeName + "' stays" : std::to_string(layers) + " layers stay") +
      " in float: ";
  finding.text = stays + "no calibration sample entered '" + nameOf(input.graph(), block) + "'.";
  finding.why =
      "Ranges come from what calibration has seen; there it has seen nothing, and neither the "
      "errors shown nor the configuration say how this part would do in a quantized type.";
  finding.suggestion =
      Suggestion{"Calibrate with samples that take this way too, or set ranges by hand.", {}, {}};
  if (const NodeId obstacle = obstacleOf(input, block); obstacle.valid()) {
    finding.text = stays + "'" + input.graph()[input.graph()[block].owner].name +
                   "' cannot be computed, because of " + input.graph()[obstacle].op + ".";
    finding.suggestion =
        Suggestion{"Export the model with standard ONNX operators, or set ranges by hand.", {}, {}};
  }
  return finding;
}

Finding emptyLayer(const DetectorInput& input, const LayerQuantization& layer) {
  Finding finding = findingAt(input, "not_calibrated", layer.layer.lead());
  finding.value = outputOf(input.graph(), layer.layer);
  finding.statistic = 1;
  finding.severity = Severity::Warning;
  finding.text = "'" + finding.nodeName + "' stays in float: " + layer.notCalibrated + ".";
  finding.why =
      "Ranges come from the finite numbers that calibration has seen; there were none, be it that "
      "the tensors were empty or that they held only infinite or undefined numbers.";
  finding.suggestion =
      Suggestion{"Calibrate with samples that give it numbers, or set its range by hand.", {}, {}};
  return finding;
}

}  // namespace

std::vector<Finding> findNotCalibrated(const DetectorInput& input) {
  const std::vector<bool> entered = enteredBlocks(input);
  std::vector<Finding> findings;
  std::map<BlockId, std::vector<NodeId>> skipped;
  for (const LayerQuantization& layer : input.model.layers) {
    if (layer.notCalibrated.empty()) continue;
    const BlockId block = skippedBlock(input.graph(), entered, layer.layer.lead());
    if (block.valid()) {
      skipped[block].push_back(layer.layer.lead());
    } else {
      findings.push_back(emptyLayer(input, layer));
    }
  }
  for (const auto& [block, layers] : skipped) {
    findings.push_back(skippedPart(input, block, layers.front(), layers.size()));
  }
  return findings;
}

}  // namespace quantscope
