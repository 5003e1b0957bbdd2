#include "detectors/channels/dead_inputs.h"

#include <algorithm>
#include <set>

#include "detectors/detector_layers.h"
#include "detectors/ranges/channel_ranges.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

// True if the value depends on a layer with weights; findDeadChannels() covers those.
bool comesFromWeights(const DetectorInput& input, ValueId value) {
  std::vector<ValueId> open{value};
  std::set<NodeId> seen;
  while (!open.empty()) {
    const NodeId producer = open.back().valid() ? input.graph()[open.back()].producer : NodeId();
    open.pop_back();
    if (!producer.valid() || !seen.insert(producer).second) continue;
    const Node& node = input.graph()[producer];
    if (weightInput(input.engine, node)) return true;
    open.insert(open.end(), node.inputs.begin(), node.inputs.end());
  }
  return false;
}

// Grouped convolutions have weights for one group's inputs only: they are not judged by weights.
DeadChannels deadInputsOf(const DetectorInput& input, const FusedLayer& layer, ValueId data) {
  const Node& node = input.graph()[layer.lead()];
  DeadChannels dead;
  std::vector<bool> unread;
  if (node.integer("group", 1) == 1) {
    unread = negligible(weightRanges(input.engine, layer, WeightChannels::Input));
  }
  const bool reported = comesFromWeights(input, data);
  std::vector<bool> constant = constantChannels(input, data);
  dead.all = std::max(unread.size(), constant.size());
  if (!unread.empty() && !constant.empty() && unread.size() != constant.size()) constant.clear();
  for (std::size_t c = 0; c < dead.all; ++c) {
    const bool notRead = c < unread.size() && unread[c];
    const bool still = c < constant.size() && constant[c];
    if (reported ? still || !notRead : !still && !notRead) continue;
    dead.channels.push_back(static_cast<std::int64_t>(c));
    dead.withoutWeights += notRead;
  }
  return dead;
}

std::string sentenceOf(const std::string& node, const DeadChannels& dead) {
  const std::size_t count = dead.channels.size();
  const bool one = count == 1;
  const std::string start = std::to_string(count) + " of " + std::to_string(dead.all) +
                            " input channels of '" + node + "' ";
  if (dead.withoutWeights == count) {
    return start + (one ? "meets" : "meet") + " weights of 0 or nearly 0.";
  }
  const std::string never = "never changed in any sample.";
  if (dead.withoutWeights == 0) return start + never;
  return start + (one ? "tells" : "tell") + " it nothing: " + std::to_string(dead.withoutWeights) +
         (dead.withoutWeights == 1 ? " meets" : " meet") + " weights of 0 or nearly 0, the rest " +
         never;
}

std::optional<Finding> judgeInputs(const DetectorInput& input, const FusedLayer& layer) {
  const ValueId data = dataInput(input.engine, input.graph()[layer.lead()]);
  if (!data.valid()) return std::nullopt;
  const DeadChannels dead = deadInputsOf(input, layer, data);
  // If no channel changes, the data are at fault.
  if (dead.channels.empty() || dead.channels.size() == dead.all) return std::nullopt;
  Finding finding = deadChannelsFinding(input, "dead_inputs", layer.lead(), data, dead);
  finding.text = sentenceOf(finding.nodeName, dead);
  finding.why =
      "Such a channel is read and multiplied for nothing; where its values are large, they still "
      "set the range that the channels which count are rounded to.";
  finding.suggestion = Suggestion{
      "Remove these channels, or calibrate with data that use them if the model needs them.",
      {},
      {}};
  return finding;
}

}  // namespace

std::vector<Finding> findDeadInputs(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const FusedLayer& layer : input.layers.weighted) {
    if (!concerns(input, layer.lead())) continue;
    if (auto finding = judgeInputs(input, layer)) findings.push_back(*std::move(finding));
  }
  return findings;
}

}  // namespace quantscope
