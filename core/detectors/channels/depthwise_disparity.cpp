#include "detectors/channels/depthwise_disparity.h"

#include "base/number_text.h"
#include "detectors/changes/group_changes.h"
#include "detectors/detector_layers.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

constexpr double kDisparity = 16;
// Six bits: of int8 the narrow channels keep two.
constexpr double kCriticalDisparity = 64;
constexpr std::size_t kFewestFilters = 4;

bool isGrouped(const Node& node) {
  return operatorTraits(node).groupedAxis != GroupedAxis::None && node.integer("group", 1) > 1;
}

Finding findingFor(const DetectorInput& input, const FusedLayer& layer, double disparity) {
  Finding finding = findingAt(input, "depthwise_disparity", layer.lead());
  finding.statistic = disparity;
  finding.threshold = kDisparity;
  finding.severity = disparity >= kCriticalDisparity ? Severity::Critical : Severity::Warning;
  finding.evidence = Evidence::ChannelRanges;
  finding.value = outputOf(input.graph(), layer);
  finding.text = "The weights of '" + finding.nodeName +
                 "' share one scale, although a quarter of its channels is at least " +
                 briefNumber(disparity) + " times narrower than the widest ones.";
  finding.why =
      "In a grouped convolution no other channel makes up for one whose weights are left with a "
      "few codes: that channel's output is simply wrong.";
  finding.aboutWeights = true;
  finding.suggestion = scalePerChannel(input, layer.lead());
  return finding;
}

}  // namespace

std::vector<Finding> findDepthwiseDisparity(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const LayerQuantization& layer : input.model.layers) {
    if (!layer.weight || !hasScale(layer.weight->type) || layer.weight->grids.size() != 1) continue;
    if (!isGrouped(input.graph()[layer.layer.lead()])) continue;
    const std::vector<double> widths =
        liveWidths(weightRanges(input.engine, layer.layer, WeightChannels::Output));
    if (widths.size() < kFewestFilters) continue;
    const double disparity = widths[widths.size() - 2] / widths[widths.size() / 4];
    if (disparity > kDisparity) findings.push_back(findingFor(input, layer.layer, disparity));
  }
  return findings;
}

}  // namespace quantscope
