#include "detectors/channels/per_channel.h"

#include <algorithm>
#include <array>

#include "detectors/changes/group_changes.h"
#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

// With a spread of four, the narrowest channel loses two bits.
constexpr double kWideSpread = 4;

bool canBePerChannel(const Backend& backend, const std::string& op) {
  return std::ranges::any_of(backend.ways, [&](const OperatorWay& way) {
    return way.weight && std::ranges::find(way.operators, op) != way.operators.end() &&
           std::ranges::any_of(way.weight->granularities, [](const GranularityChoice& choice) {
             return choice.kind == Granularity::Kind::PerChannel;
           });
  });
}

// ModelReport's list: all of them can. Any other backend is asked.
bool isKnownToModelReport(const Backend& backend) {
  constexpr std::array<std::string_view, 4> kKnown{"fbgemm", "qnnpack", "x86", "onednn"};
  return std::ranges::find(kKnown, backend.name) != kKnown.end();
}

PerChannelStatistics perChannelStatisticsOf(const DetectorInput& input, const FusedLayer& layer) {
  const NodePrecision& precision = input.precision[layer.lead()];
  const bool fine = precision.weight.granularity.kind != Granularity::Kind::PerTensor;
  const bool supported =
      (input.mode == DetectorMode::PyTorch && isKnownToModelReport(input.backend)) ||
      canBePerChannel(input.backend, input.graph()[layer.lead()].op);
  return {supported, !precision.float32 && fine};
}

Finding findingFor(const DetectorInput& input, const FusedLayer& layer) {
  Finding finding = findingAt(input, "per_channel", layer.lead());
  finding.statistic = spreadOf(weightRanges(input.engine, layer, WeightChannels::Output));
  finding.threshold = 1;
  finding.severity = finding.statistic > kWideSpread ? Severity::Warning : Severity::Info;
  finding.text = "The weights of '" + finding.nodeName +
                 "' share one scale, although the backend can give each output channel its own.";
  finding.why =
      "The channel with the largest weights sets the step for all; channels with small weights are "
      "left with few of the codes.";
  finding.evidence = Evidence::ChannelRanges;
  finding.aboutWeights = true;
  finding.suggestion = scalePerChannel(input, layer.lead());
  return finding;
}

}  // namespace

void measurePerChannel(const DetectorInput& input, DetectorStatistics& statistics) {
  for (const FusedLayer& layer : input.layers.weighted) {
    statistics.perChannel.emplace_back(input.graph()[layer.lead()].name,
                                       perChannelStatisticsOf(input, layer));
  }
}

std::vector<Finding> findPerTensorWeights(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const FusedLayer& layer : input.layers.weighted) {
    const NodePrecision& precision = input.precision[layer.lead()];
    if (precision.float32 || !hasScale(precision.weight.type)) continue;
    const PerChannelStatistics statistics = perChannelStatisticsOf(input, layer);
    if (!concerns(input, layer.lead())) continue;
    if (statistics.supported && !statistics.used) findings.push_back(findingFor(input, layer));
  }
  return findings;
}

}  // namespace quantscope
