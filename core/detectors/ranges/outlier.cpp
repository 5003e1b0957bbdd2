#include "detectors/ranges/outlier.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/number_text.h"
#include "detectors/changes/group_changes.h"
#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

// A channel that reaches this share of the whole tensor's range sets its step.
constexpr double kSetsTheRange = 0.9;
// Heavier tails than those of a Laplace distribution.
constexpr double kHeavyTails = 6;
constexpr double kLessSure = 0.6;
// If more than this share of the channels reaches half of the maximum, the range is not set by a
// few outliers.
constexpr double kMaxReaching = 0.5;

/// PyTorch's figure from the average that its observer keeps, in its float.
double asModelReport(float average) {
  const float positive = std::abs(average);
  return positive < 1 ? 1 / positive : positive;
}

void addChannel(const DetectorInput& input, const ChannelReport& channel, std::size_t batches,
                OutlierStatistics& result) {
  const DetectorThresholds& thresholds = input.thresholds();
  const TailStatistics& tail = input.mode == DetectorMode::Quantscope &&
                                       channel.lower.meanRatio() > channel.upper.meanRatio()
                                   ? channel.lower
                                   : channel.upper;
  const bool pytorch = input.mode == DetectorMode::PyTorch;
  const double ratio = pytorch ? asModelReport(tail.observerAverage) : tail.meanRatio();
  const std::size_t used = pytorch ? tail.observerBatches : tail.batches;
  result.ratio.push_back(ratio);
  result.outlier.push_back(ratio > thresholds.outlierRatio);
  result.sufficientBatches.push_back(static_cast<double>(used) / static_cast<double>(batches) >=
                                     thresholds.batchesUsed);
  result.batchesUsed.push_back(used);
  result.constantBatches.push_back(channel.constantBatches);
}

/// The records of a layer's input; null where there is none.
struct LayerInput {
  ValueId value;
  const Observation* observation = nullptr;
  const ModelReport* report = nullptr;
};

LayerInput inputOf(const DetectorInput& input, const FusedLayer& layer) {
  LayerInput result;
  result.value = dataInput(input.engine, input.graph()[layer.lead()]);
  if (result.value.valid()) result.observation = input.observations.find(result.value);
  if (result.observation != nullptr) result.report = reportFor(input, *result.observation);
  if (result.report != nullptr && result.observation->batches == 0) result.report = nullptr;
  return result;
}

OutlierStatistics statisticsOf(const DetectorInput& input, const LayerInput& data) {
  OutlierStatistics result;
  for (const ChannelReport& channel : data.report->channels) {
    addChannel(input, channel, data.observation->batches, result);
  }
  return result;
}

std::vector<std::int64_t> outliersAmong(const OutlierStatistics& statistics) {
  std::vector<std::int64_t> channels;
  for (std::size_t c = 0; c < statistics.outlier.size(); ++c) {
    if (statistics.outlier[c]) channels.push_back(static_cast<std::int64_t>(c));
  }
  return channels;
}

bool setsTheRange(const Range& channel, const Range& all) {
  return channel.high >= kSetsTheRange * widthOf(all) ||
         -channel.low >= kSetsTheRange * widthOf(all) ||
         widthOf(channel) >= kSetsTheRange * widthOf(all);
}

bool fewSetTheRange(const ModelReport& report, const Observation& observation) {
  const auto reaching = std::ranges::count_if(report.channels, [&](const ChannelReport& channel) {
    const Range& range = channel.range;
    return !range.empty &&
           2 * std::max(std::abs(range.low), std::abs(range.high)) >= observation.absmax();
  });
  return static_cast<double>(reaching) <=
         kMaxReaching * static_cast<double>(report.channels.size());
}

// The verdict holds for stationary data of which enough batches counted; heavy tails support it.
double confidenceIn(const DetectorInput& input, const LayerInput& data,
                    const OutlierStatistics& statistics,
                    const std::vector<std::int64_t>& channels) {
  const double s = data.observation->batchToEpoch.value_or(1);
  double confidence = s > input.thresholds().dynamicTolerance ? 1 : kLessSure;
  const auto any = [&](auto&& holds) {
    return std::ranges::any_of(channels,
                               [&](std::int64_t c) { return holds(static_cast<std::size_t>(c)); });
  };
  if (!any([&](std::size_t c) { return statistics.sufficientBatches[c]; })) confidence *= kLessSure;
  if (!any([&](std::size_t c) {
        return data.report->channels[c].moments.kurtosis() > kHeavyTails;
      })) {
    confidence *= kLessSure;
  }
  return confidence;
}

// A larger figure means nothing to a reader: the reference is too close to 0.
constexpr double kMaxTold = 1e6;

std::string sentence(const Finding& finding, double quantile) {
  char text[96];
  std::snprintf(text, sizeof text, " reach %s times as far as %.4g %% of the values do.",
                briefNumber(finding.statistic).c_str(), 100 * quantile);
  const std::string channels = finding.channels.size() == 1
                                   ? "Channel " + std::to_string(finding.channels.front())
                                   : std::to_string(finding.channels.size()) + " channels";
  return channels + " of what goes into '" + finding.nodeName +
         (finding.channels.size() == 1 ? "' holds" : "' hold") + " a few values that" +
         (finding.statistic < kMaxTold ? text : " stand out from all others.");
}

std::optional<Suggestion> outlierSuggestion(const DetectorInput& input, const Finding& finding) {
  const TensorPrecision& activation = input.precision[finding.node].activation;
  if (input.precision[finding.node].float32 || !hasScale(activation.type)) return std::nullopt;
  if (activation.dynamic || activation.range) return std::nullopt;
  ObserverSpec mse;
  mse.kind = ObserverSpec::Kind::Mse;
  if (activation.observer == mse) return std::nullopt;
  std::vector<ConfigChange> changes =
      changeGroup(input, finding.value, finding.node,
                  [&](TensorPrecision& precision) { precision.observer = mse; });
  if (changes.empty()) return std::nullopt;
  return Suggestion{"Let the range of what goes into '" + finding.nodeName +
                        "' be chosen by least squared error, which clips the few far values.",
                    std::move(changes),
                    {}};
}

std::optional<Finding> judgeOutliers(const DetectorInput& input, const FusedLayer& layer) {
  const LayerInput data = inputOf(input, layer);
  if (data.report == nullptr || !concerns(input, layer.lead())) return std::nullopt;
  const OutlierStatistics statistics = statisticsOf(input, data);
  const std::vector<std::int64_t> channels = outliersAmong(statistics);
  if (channels.empty()) return std::nullopt;
  Finding finding = findingAt(input, "outlier", layer.lead());
  finding.value = data.value;
  finding.channels = channels;
  for (const std::int64_t c : channels) {
    finding.statistic = std::max(finding.statistic, statistics.ratio[static_cast<std::size_t>(c)]);
  }
  finding.threshold = input.thresholds().outlierRatio;
  const bool wide = std::ranges::any_of(channels, [&](std::int64_t c) {
    return setsTheRange(data.report->channels[static_cast<std::size_t>(c)].range,
                        data.observation->range);
  });
  finding.severity = wide ? Severity::Warning : Severity::Info;
  finding.confidence = confidenceIn(input, data, statistics, channels);
  finding.text = sentence(finding, data.report->referenceQuantile);
  finding.why =
      "The range has to reach the farthest value, so that the many near 0 share a few codes.";
  finding.evidence = Evidence::OutlierRatios;
  finding.suggestion = outlierSuggestion(input, finding);
  const bool harmful = wide && fewSetTheRange(*data.report, *data.observation);
  if (harmful || input.mode == DetectorMode::PyTorch) return finding;
  if (!finding.suggestion) return std::nullopt;
  finding.onlyIfItHelps = true;
  return finding;
}

}  // namespace

void measureOutliers(const DetectorInput& input, DetectorStatistics& statistics) {
  for (const FusedLayer& layer : input.layers.all) {
    const LayerInput data = inputOf(input, layer);
    if (data.report == nullptr) continue;
    const OutlierStatistics result = statisticsOf(input, data);
    for (const NodeId member : layer.members) {
      if (input.mode == DetectorMode::Quantscope && member != layer.lead()) continue;
      statistics.outlier.emplace_back(input.graph()[member].name, result);
    }
  }
}

std::vector<Finding> findOutliers(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const FusedLayer& layer : input.layers.all) {
    if (std::optional<Finding> finding = judgeOutliers(input, layer)) {
      findings.push_back(*std::move(finding));
    }
  }
  return findings;
}

}  // namespace quantscope
