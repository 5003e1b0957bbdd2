#include "detectors/ranges/calibration_overfit.h"

#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "detectors/changes/group_changes.h"
#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

constexpr double kTwiceDb = 3;
constexpr double kTenTimesDb = 10;
// With fewer samples, the result may come from a single odd sample.
constexpr double kEnoughSamples = 8;

/// Mean squared distance of the observed numbers from the range that a grid represents.
double clippedSquare(const Observation& observation, const Range& held) {
  double sum = 0;
  for (const LogLinearBin& bin : observation.logLinear.bins()) {
    const double low = std::max(bin.low, observation.range.low);
    const double high = std::min(bin.high, observation.range.high);
    const double middle = (low + high) / 2;
    const double beyond =
        middle - std::clamp<double>(middle, static_cast<double>(held.low), held.high);
    sum += static_cast<double>(bin.count) * beyond * beyond;
  }
  return observation.count == 0 ? 0 : sum / static_cast<double>(observation.count);
}

/// The excess of the error on the analysed samples, in dB; 0 if it is not known.
double riseDb(const DetectorInput& input, const LayerQuantization& layer,
              const LayerResult& measured) {
  const std::optional<QuantParams>& output = layer.output;
  const bool counts = layer.quantized && !layer.dataMover && output && output->grids.size() == 1 &&
                      isInteger(output->type) && measured.clippedSquare;
  if (!counts) return 0;
  const ValueId value = outputOf(input.graph(), layer.layer);
  const QuantizationPoint* point = input.index.point(value);
  const Observation* observation = input.observations.find(value);
  if (point == nullptr || point->fixed || observation == nullptr) return 0;
  const Grid& grid = output->grids.front();
  const double rounding = static_cast<double>(grid.scale) * grid.scale / 12;
  const double before = rounding + clippedSquare(*observation, output->representable(grid));
  return 10 * std::log10((rounding + *measured.clippedSquare) / before);
}

Suggestion suggestionFor(const DetectorInput& input, const LayerResult& measured,
                         const Finding& finding) {
  const Range both{static_cast<float>(std::min(*measured.analysedMin, *measured.observedMin)),
                   static_cast<float>(std::max(*measured.analysedMax, *measured.observedMax)),
                   false};
  return {
      "Calibrate on more samples, such as those that were analysed; or widen the range of what "
      "'" +
          finding.nodeName + "' computes by hand to what both have shown.",
      changeGroup(input, finding.value, {},
                  [&](TensorPrecision& precision) { precision.range = both; }),
      {}};
}

Finding findingFor(const DetectorInput& input, const LayerQuantization& layer,
                   const LayerResult& measured, double rise) {
  Finding finding = findingAt(input, "calibration_overfit", layer.layer.lead());
  finding.value = outputOf(input.graph(), layer.layer);
  finding.statistic = rise;
  finding.threshold = kTwiceDb;
  finding.severity = rise >= kTenTimesDb ? Severity::Critical : Severity::Warning;
  finding.confidence = std::min(1.0, static_cast<double>(input.result.samples) / kEnoughSamples);
  finding.text = "What '" + finding.nodeName + "' computes loses " + briefNumber(rise) +
                 " dB more on the analysed samples (" +
                 briefPercent(measured.clippedShare.value_or(0)) +
                 " clipped) than on those that it was calibrated on.";
  finding.why =
      "The range was fitted to few samples, or to others than these; what lies beyond it is cut "
      "off, which costs far more than rounding.";
  finding.evidence = Evidence::Histogram;
  if (measured.observedMin && measured.analysedMin) {
    finding.suggestion = suggestionFor(input, measured, finding);
  }
  return finding;
}

}  // namespace

std::vector<Finding> findCalibrationOverfit(const DetectorInput& input) {
  std::vector<Finding> findings;
  const AnalysisResult& result = input.result;
  if (result.calibrationData.empty() || result.calibrationData == result.data) return findings;
  const std::size_t rows = std::min(result.layers.size(), input.model.layers.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const double rise = riseDb(input, input.model.layers[i], result.layers[i]);
    if (rise > kTwiceDb) {
      findings.push_back(findingFor(input, input.model.layers[i], result.layers[i], rise));
    }
  }
  return findings;
}

}  // namespace quantscope
