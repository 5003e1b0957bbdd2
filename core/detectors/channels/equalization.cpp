#include "detectors/channels/equalization.h"

#include <algorithm>
#include <cmath>

#include "detectors/detector_layers.h"
#include "precision/layers/input_channels.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

constexpr double kLayerShare = 0.4;
// Scaling by less than this moves no more than a third of a bit.
constexpr double kBalanced = 1.25;

/// The ranges that s_c is computed from; empty where they were not observed.
struct ChannelRanges {
  std::vector<Range> input;
  std::vector<Range> weight;

  bool complete() const {
    return !input.empty() && !weight.empty() && input.size() % weight.size() == 0;
  }
  bool inputConstant() const { return widthOf(unionOf(input)) == 0; }
  bool weightConstant() const { return widthOf(unionOf(weight)) == 0; }
};

std::vector<Range> channelRanges(const DetectorInput& input, const Observation& observation) {
  if (input.mode == DetectorMode::Quantscope) return observation.channels;
  std::vector<Range> ranges;
  if (const ModelReport* report = reportFor(input, observation)) {
    for (const ChannelReport& channel : report->channels) ranges.push_back(channel.range);
  }
  return ranges;
}

ChannelRanges rangesOf(const DetectorInput& input, const FusedLayer& layer) {
  const Node& node = input.graph()[layer.lead()];
  const ValueId data = dataInput(input.engine, node);
  const Observation* observation = data.valid() ? input.observations.find(data) : nullptr;
  if (observation == nullptr) return {};
  if (input.mode == DetectorMode::Quantscope &&
      !meetsInputChannels(input.graph(), node, *weightInput(input.engine, node), data,
                          observation->channelAxis)) {
    return {};
  }
  return {channelRanges(input, *observation),
          weightRanges(input.engine, layer, WeightChannels::Input)};
}

std::vector<double> sharesOfAll(const std::vector<Range>& ranges) {
  const double all = widthOf(unionOf(ranges));
  std::vector<double> shares;
  for (const Range& range : ranges) shares.push_back(widthOf(range) / all);
  return shares;
}

double countedShare(const EqualizationStatistics& layer) {
  return static_cast<double>(std::ranges::count(layer.recommended, true)) /
         static_cast<double>(layer.recommended.size());
}

bool isBalanced(const std::vector<double>& s) {
  return std::ranges::none_of(s, [](double c) { return c > kBalanced || c * kBalanced < 1; });
}

EqualizationStatistics statisticsOf(const DetectorInput& input, const ChannelRanges& ranges) {
  EqualizationStatistics result;
  if (ranges.inputConstant() || ranges.weightConstant()) return result;
  const double threshold = input.thresholds().equalizationRatio;
  const std::vector<double> inputShares = sharesOfAll(ranges.input);
  const std::vector<double> weightShares = sharesOfAll(ranges.weight);
  for (std::size_t c = 0; c < inputShares.size(); ++c) {
    const double weightShare = weightShares[c % weightShares.size()];
    const double s = std::sqrt(weightShare) / std::sqrt(inputShares[c]);
    result.s.push_back(s);
    result.recommended.push_back(s >= threshold && s <= 1 / threshold);
  }
  result.layerRecommended = countedShare(result) >= kLayerShare &&
                            (input.mode == DetectorMode::PyTorch || !isBalanced(result.s));
  return result;
}

Finding adviceFor(const DetectorInput& input, const FusedLayer& layer,
                  const EqualizationStatistics& statistics) {
  Finding finding = findingAt(input, "equalization", layer.lead());
  for (std::size_t c = 0; c < statistics.s.size(); ++c) {
    if (statistics.recommended[c]) finding.channels.push_back(static_cast<std::int64_t>(c));
  }
  finding.statistic = countedShare(statistics);
  finding.threshold = kLayerShare;
  finding.evidence = Evidence::EqualizationRatios;
  finding.text = "The input channels of '" + finding.nodeName +
                 "' and the weights that they meet could share their ranges more evenly.";
  finding.why =
      "One scale serves all channels of the input, so narrow channels get few codes; scaling a "
      "channel up and its weights down by the same factor changes nothing in float.";
  ConfigChange change;
  change.node = finding.nodeName;
  change.inputFactors = statistics.s;
  finding.suggestion = Suggestion{"Equalize the input channels of '" + finding.nodeName +
                                      "' with its weights before quantizing.",
                                  {std::move(change)},
                                  {}};
  finding.onlyIfItHelps = input.mode == DetectorMode::Quantscope;
  return finding;
}

Finding constantFinding(const DetectorInput& input, const FusedLayer& layer, bool isInput) {
  Finding finding = findingAt(input, "equalization", layer.lead());
  finding.evidence = isInput ? Evidence::ChannelRanges : Evidence::None;
  finding.severity = Severity::Warning;
  finding.text = (isInput ? "The input of '" : "Every weight of '") + finding.nodeName +
                 "' had the same value throughout.";
  finding.why = "A range of 0 says nothing about how to quantize it, and the layer does no work.";
  finding.suggestion =
      Suggestion{isInput ? "Calibrate with data that make this layer work, or remove it."
                         : "Check how the model was trained and exported, or remove the layer.",
                 {},
                 {}};
  return finding;
}

}  // namespace

void measureEqualization(const DetectorInput& input, DetectorStatistics& statistics) {
  for (const FusedLayer& layer : input.layers.weighted) {
    const ChannelRanges ranges = rangesOf(input, layer);
    if (!ranges.complete()) continue;
    statistics.equalization.emplace_back(input.graph()[layer.lead()].name,
                                         statisticsOf(input, ranges));
  }
}

std::vector<Finding> findUnequalized(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const FusedLayer& layer : input.layers.weighted) {
    const ChannelRanges ranges = rangesOf(input, layer);
    if (!ranges.complete() || !concerns(input, layer.lead())) continue;
    const EqualizationStatistics statistics = statisticsOf(input, ranges);
    if (statistics.layerRecommended) {
      findings.push_back(adviceFor(input, layer, statistics));
    } else if (statistics.s.empty() && input.mode == DetectorMode::Quantscope) {
      findings.push_back(constantFinding(input, layer, ranges.inputConstant()));
    } else {
      continue;
    }
    findings.back().value = dataInput(input.engine, input.graph()[layer.lead()]);
  }
  return findings;
}

}  // namespace quantscope
