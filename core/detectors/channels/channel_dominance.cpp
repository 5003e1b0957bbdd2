#include "detectors/channels/channel_dominance.h"

#include <algorithm>

#include "base/number_text.h"
#include "detectors/changes/group_changes.h"
#include "detectors/detector_layers.h"
#include "detectors/ranges/activation_grids.h"

namespace quantscope {
namespace {

constexpr double kDominance = 8;
// Five bits: of int8 half of the channels keep three.
constexpr double kSevereRatio = 32;
// With a scale of its own for the widest channel, all others gain one bit.
constexpr double kAhead = 2;
// Five bits are enough for the median channel, however wide the widest one.
constexpr double kEnoughCodes = 32;
constexpr std::size_t kFewestChannels = 4;

struct Dominance {
  std::int64_t channel = 0;
  double ratio = 0;  ///< to the median channel
};

/// `params` have one grid.
std::optional<Dominance> dominanceIn(const std::vector<Range>& channels,
                                     const QuantParams& params) {
  const std::vector<double> widths = liveWidths(channels);
  if (widths.size() < kFewestChannels) return std::nullopt;
  const double ratio = widths.back() / widths[widths.size() / 2];
  const bool alone = widths.back() >= kAhead * widths[widths.size() - 2];
  if (!alone || ratio <= kDominance) return std::nullopt;
  if (levelCount(params.type) / ratio >= kEnoughCodes) return std::nullopt;
  const auto widest = std::ranges::max_element(channels, {}, [](Range range) {
    range.include(0);
    return widthOf(range);
  });
  return Dominance{widest - channels.begin(), ratio};
}

Finding findingFor(const DetectorInput& input, NodeId node, const Dominance& dominance,
                   const std::string& what) {
  Finding finding = findingAt(input, "channel_dominance", node);
  finding.channels = {dominance.channel};
  finding.statistic = dominance.ratio;
  finding.threshold = kDominance;
  finding.severity = dominance.ratio > kSevereRatio ? Severity::Warning : Severity::Info;
  finding.evidence = Evidence::ChannelRanges;
  finding.text = "Channel " + std::to_string(dominance.channel) + " of " + what + " is " +
                 briefNumber(dominance.ratio) +
                 " times as wide as the median channel and sets the range of all.";
  finding.why =
      "One scale serves all channels, so the widest one decides how coarsely the others are "
      "rounded.";
  return finding;
}

Finding ofWeights(const DetectorInput& input, const FusedLayer& layer, const Dominance& dominance) {
  const std::string& name = input.graph()[layer.lead()].name;
  Finding finding = findingFor(input, layer.lead(), dominance, "the weights of '" + name + "'");
  finding.id += "/weights";
  finding.value = outputOf(input.graph(), layer);
  finding.aboutWeights = true;
  finding.suggestion = scalePerChannel(input, layer.lead());
  return finding;
}

// A layer that sums over its input channels cannot use a scale per channel of its input.
Finding ofValues(const DetectorInput& input, NodeId node, const ActivationGrid& grid,
                 const Dominance& dominance) {
  const std::string what = placeOf(input, grid);
  Finding finding = findingFor(input, node, dominance, what);
  finding.value = grid.point->value;
  finding.suggestion = widenGroup(input, grid.point->value, grid.point->consumer, what);
  return finding;
}

}  // namespace

std::vector<Finding> findChannelDominance(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < input.model.layers.size(); ++i) {
    const LayerQuantization& layer = input.model.layers[i];
    if (layer.weight && hasScale(layer.weight->type) && layer.weight->grids.size() == 1) {
      const auto dominance = dominanceIn(
          weightRanges(input.engine, layer.layer, WeightChannels::Output), *layer.weight);
      if (dominance) findings.push_back(ofWeights(input, layer.layer, *dominance));
    }
    for (const ActivationGrid& grid : activationGrids(input, i)) {
      const auto dominance = dominanceIn(grid.observation->channels, *grid.params);
      if (!dominance) continue;
      findings.push_back(ofValues(input, layer.layer.lead(), grid, *dominance));
      break;
    }
  }
  return findings;
}

}  // namespace quantscope
