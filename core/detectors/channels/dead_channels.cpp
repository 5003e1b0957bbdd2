#include "detectors/channels/dead_channels.h"

#include "detectors/detector_layers.h"
#include "detectors/ranges/channel_ranges.h"

namespace quantscope {
namespace {

DeadChannels deadChannels(const DetectorInput& input, const FusedLayer& layer) {
  const Node& node = input.graph()[layer.lead()];
  const std::vector<bool> unweighted =
      negligible(weightRanges(input.engine, layer, WeightChannels::Output));
  const std::vector<bool> constant = constantChannels(input, outputOf(input.graph(), layer));
  std::vector<bool> already;
  if (node.integer("group", 1) > 1)
    already = constantChannels(input, dataInput(input.engine, node));
  DeadChannels result;
  // Grouped transposed convolutions have weights for one group's outputs only.
  result.all = constant.empty() ? unweighted.size() : constant.size();
  for (std::size_t c = 0; c < result.all; ++c) {
    const bool idle = unweighted.size() == result.all && unweighted[c];
    if (already.size() == result.all && already[c]) continue;
    if (!idle && (constant.empty() || !constant[c])) continue;
    result.channels.push_back(static_cast<std::int64_t>(c));
    result.withoutWeights += idle;
  }
  return result;
}

std::string channelsOf(std::size_t count, std::size_t all, const std::string& node) {
  return std::to_string(count) + " of " + std::to_string(all) + " channels of '" + node + "' ";
}

std::string sentence(const std::string& node, const DeadChannels& dead) {
  const std::size_t count = dead.channels.size();
  const bool one = count == 1;
  const std::string start = channelsOf(count, dead.all, node);
  if (dead.withoutWeights == count) {
    return start + (one ? "has" : "have") + " weights of 0 or nearly 0.";
  }
  const std::string text =
      start + (one ? "has" : "have") + " the same value at every place of every sample";
  if (dead.withoutWeights == 0) return text + ".";
  return start + (one ? "does" : "do") + " no work: " + std::to_string(dead.withoutWeights) +
         (dead.withoutWeights == 1 ? " has" : " have") +
         " weights of 0 or nearly 0, the rest never changed in any sample.";
}

std::optional<Finding> judgeChannels(const DetectorInput& input, const FusedLayer& layer) {
  const DeadChannels dead = deadChannels(input, layer);
  // If no channel changes, the data are at fault, or another finding is about the whole layer.
  if (dead.channels.empty() || dead.channels.size() == dead.all) return std::nullopt;
  Finding finding = deadChannelsFinding(input, "dead_channels", layer.lead(),
                                        outputOf(input.graph(), layer), dead);
  finding.text = sentence(finding.nodeName, dead);
  finding.why =
      "Such a channel costs time and memory but tells the next layer nothing, and its range is no "
      "measure for a scale";
  finding.why += input.model.weightRules.bias == BiasRule::Int32
                     ? "; next to no weights even a small bias overflows."
                     : ".";
  finding.suggestion = Suggestion{
      "Remove these channels, or calibrate with data that wake them if the model needs them.",
      {},
      {}};
  return finding;
}

}  // namespace

std::vector<Finding> findDeadChannels(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const FusedLayer& layer : input.layers.weighted) {
    if (!concerns(input, layer.lead())) continue;
    if (std::optional<Finding> finding = judgeChannels(input, layer)) {
      findings.push_back(*std::move(finding));
    }
  }
  return findings;
}

}  // namespace quantscope
