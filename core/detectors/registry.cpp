#include <algorithm>
#include <iterator>

#include "detectors/channels/channel_dominance.h"
#include "detectors/channels/dead_channels.h"
#include "detectors/channels/dead_inputs.h"
#include "detectors/channels/depthwise_disparity.h"
#include "detectors/channels/equalization.h"
#include "detectors/channels/grouped_scales.h"
#include "detectors/channels/per_channel.h"
#include "detectors/detector.h"
#include "detectors/dominant_part.h"
#include "detectors/findings/finding_order.h"
#include "detectors/findings/group_causes.h"
#include "detectors/findings/merge_findings.h"
#include "detectors/numbers/accumulator_overflow.h"
#include "detectors/numbers/backend_support.h"
#include "detectors/numbers/bias_overflow.h"
#include "detectors/numbers/conversion_island.h"
#include "detectors/numbers/non_finite.h"
#include "detectors/ranges/calibration_overfit.h"
#include "detectors/ranges/constant_batches.h"
#include "detectors/ranges/dynamic_static.h"
#include "detectors/ranges/not_calibrated.h"
#include "detectors/ranges/one_sided.h"
#include "detectors/ranges/outlier.h"
#include "detectors/ranges/range_mismatch.h"
#include "detectors/ranges/saturation.h"
#include "detectors/ranges/shared_grid.h"
#include "detectors/ranges/steep_function.h"
#include "detectors/ranges/unused_range.h"

namespace quantscope {
namespace {

// A detector is registered by one line here; its own header declares the function.
const std::vector<Detector>& registered() {
  static const std::vector<Detector> kDetectors{
      {"per_channel", "Per-channel weights",
       "Weights that share one scale although the backend could give each output channel its own.",
       "widest over narrowest channel, times", findPerTensorWeights, true, measurePerChannel},
      {"dynamic_static", "Dynamic or static",
       "Ranges that differ so much from batch to batch that one for all wastes codes.",
       "range of a batch over the range of all, share", findNonStationary, true,
       measureDynamicStatic},
      {"equalization", "Equalization",
       "Input channels that could share their ranges more evenly with the weights they meet.",
       "input channels that profit, share", findUnequalized, true, measureEqualization},
      {"outlier", "Outliers", "A few values far beyond all others, which the range is spent on.",
       "largest value over the reference quantile, times", findOutliers, true, measureOutliers},
      {"constant_batches", "Constant batches",
       "Channels that held one number throughout a batch of the calibration data.",
       "batches in which a channel is constant, share", findConstantBatches, true},
      {"non_finite", "Infinite or undefined numbers",
       "Layers where NaN or infinities first come up, or that a half type makes overflow.",
       "elements without a finite value, share; for fp16 the largest magnitude", findNonFinite,
       false, nullptr, DetectorHarm::BeyondFigures},
      {"not_calibrated", "Not calibrated",
       "Layers that stay in float because no calibration sample gave them a number.", "layers",
       findNotCalibrated, false, nullptr, DetectorHarm::BeyondFigures},
      {"calibration_overfit", "Calibration overfit",
       "Ranges that fit the calibration samples but not those that are analysed.",
       "rise of the squared error, dB", findCalibrationOverfit},
      {"accumulator_overflow", "Accumulator overflow",
       "Sums of products that are larger than the backend's accumulator holds.",
       "sum of products of codes", findAccumulatorOverflow, false, nullptr,
       DetectorHarm::BeyondFigures},
      {"conversion_island", "Conversion islands",
       "Layers in float between quantized ones, or the reverse, that cost conversions on both "
       "sides.",
       "values that are converted around it", findConversionIslands, false, nullptr,
       DetectorHarm::Time},
      {"backend_support", "Beyond the backend",
       "Precision that the backend cannot run, and layers that it cannot fuse.",
       "parts of the precision that cannot be had", findUnsupported, false, nullptr,
       DetectorHarm::BeyondFigures},
      {"range_mismatch", "Range mismatch",
       "Operands of a joint or sum so much narrower than the rest that few codes are left for "
       "them.",
       "codes that are left for the narrow operand", findRangeMismatch},
      {"saturation", "Saturation", "Many values beyond the end of their grid.",
       "values beyond the grid, share", findSaturation},
      {"unused_range", "Unused range", "Values that use only a small part of their grid.",
       "part of the grid that no value uses, share", findUnusedRange},
      {"dead_channels", "Dead channels",
       "Channels without weights, or with the same value throughout.",
       "channels that say nothing, share", findDeadChannels},
      {"depthwise_disparity", "Depthwise disparity",
       "Grouped weights under one scale whose channels' ranges are orders apart.",
       "widest channels over the narrowest quarter, times", findDepthwiseDisparity},
      {"bias_overflow", "Bias overflow", "Biases beyond what int32 can count on their grid.",
       "largest bias over what int32 holds, times", findBiasOverflow},
      {"one_sided", "One-sided data", "Values on one side of 0 under a symmetric grid.",
       "narrower side over the whole range, share", findOneSided},
      {"channel_dominance", "Channel dominance",
       "A single channel that sets the range of all others.",
       "widest channel over the median one, times", findChannelDominance},
      {"shared_grid", "Grid of others",
       "Values on a grid that the backend fixes or shares, much wider than they are.",
       "what the layer would win with a grid of its own, dB", findSharedGrids},
      {"steep_function", "Steep functions",
       "Linear grids in front of logarithms, roots and divisors, where small values count.",
       "values within 4 steps of 0, share", findSteepFunctions},
      {"grouped_scales", "Scales of groups",
       "Grouped transposed convolutions whose output channels share scales across groups.",
       "widest over narrowest channel under one scale, times", findGroupedScales},
      {"dead_inputs", "Dead inputs", "Input channels that change nothing of what a layer computes.",
       "input channels that say nothing, share", findDeadInputs},
      {"dominant_part", "Largest part of the error",
       "What makes most of the error of a bad layer, by its error budget.",
       "that part of the layer's error, share", findDominantParts},
  };
  return kDetectors;
}

void setApartUnproven(DetectorReport& report) {
  const auto rest = std::ranges::stable_partition(
      report.findings, [](const Finding& finding) { return !finding.onlyIfItHelps; });
  report.unproven.assign(std::make_move_iterator(rest.begin()),
                         std::make_move_iterator(rest.end()));
  report.findings.erase(rest.begin(), rest.end());
}

bool runsIn(const Detector& detector, DetectorMode mode) {
  return mode == DetectorMode::Quantscope || detector.ofPyTorch;
}

}  // namespace

std::span<const Detector> allDetectors() {
  return registered();
}

DetectorHarm harmOf(const Finding& finding) {
  const Detector* const detector = findDetector(finding.detector);
  return detector == nullptr ? DetectorHarm::Errors : detector->harm;
}

const Detector* findDetector(std::string_view name) {
  const auto found = std::ranges::find(registered(), name, &Detector::name);
  return found == registered().end() ? nullptr : &*found;
}

DetectorReport runDetectors(const DetectorInput& input) {
  DetectorReport report;
  report.mode = input.mode;
  for (const Detector& detector : allDetectors()) {
    if (!runsIn(detector, input.mode)) continue;
    if (detector.measure != nullptr) detector.measure(input, report.statistics);
    std::vector<Finding> found = detector.find(input);
    report.findings.insert(report.findings.end(), std::make_move_iterator(found.begin()),
                           std::make_move_iterator(found.end()));
  }
  if (input.mode == DetectorMode::Quantscope) {
    mergeFindings(input, report.findings);
    groupCauses(input, report.findings);
    setApartUnproven(report);
  }
  sortFindings(input.model, report.findings);
  sortFindings(input.model, report.unproven);
  return report;
}

const char* name(Severity severity) {
  switch (severity) {
    case Severity::Info:
      return "info";
    case Severity::Warning:
      return "warning";
    case Severity::Critical:
      return "critical";
  }
  return "";
}

}  // namespace quantscope
