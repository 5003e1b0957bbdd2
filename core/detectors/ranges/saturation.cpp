#include "detectors/ranges/saturation.h"

#include <algorithm>

#include "base/number_text.h"
#include "calibration/histograms/bin_masses.h"
#include "detectors/changes/group_changes.h"
#include "detectors/detector_layers.h"
#include "detectors/ranges/activation_grids.h"

namespace quantscope {
namespace {

// Observers that clip on purpose keep well below it: percentiles of 0.1 and 99.9 clip 0.2 %.
constexpr double kMaxClipped = 0.01;
constexpr double kCriticalShare = 0.1;

// Bins are cut in proportion: the histogram resolves 1/32 of a power of two.
double shareBeyond(const Observation& observation, const Range& kept) {
  double beyond = 0;
  for (const BinMass& bin : binMasses(observation)) {
    const double width = bin.high - bin.low;
    const double inside =
        std::min(bin.high, double{kept.high}) - std::max(bin.low, double{kept.low});
    const double part = width > 0 ? std::clamp(inside / width, 0.0, 1.0) : inside >= 0 ? 1 : 0;
    beyond += bin.count * (1 - part);
  }
  return observation.count == 0 ? 0 : beyond / static_cast<double>(observation.count);
}

// A backend's fixed grid for probabilities ends one step below 1; clipping there loses nothing.
bool endsAsItMust(const DetectorInput& input, NodeId last, const ActivationGrid& grid) {
  const std::string& op = input.graph()[last].op;
  return grid.point->isOutput() &&
         std::ranges::any_of(input.backend.fixed, [&](const FixedOutput& fixed) {
           return std::ranges::find(fixed.operators, op) != fixed.operators.end() &&
                  fixed.grid == grid.grid();
         });
}

double clippedShare(const DetectorInput& input, std::size_t index, const ActivationGrid& grid) {
  if (grid.point->isOutput() && input.result.layers[index].clippedShare) {
    return *input.result.layers[index].clippedShare;
  }
  return shareBeyond(*grid.observation, grid.params->unclipped(grid.grid()));
}

std::optional<Suggestion> suggestionFor(const DetectorInput& input, const ActivationGrid& grid) {
  const TensorPrecision& precision = grid.point->precision;
  const std::string what = placeOf(input, grid);
  if (precision.range || precision.observer != ObserverSpec()) {
    return freeRange(input, grid.point->value, grid.point->consumer, what);
  }
  return Suggestion{
      "Calibrate with data like those analysed: " + what + " was narrower in the calibration data.",
      {},
      {}};
}

Finding saturationFinding(const DetectorInput& input, NodeId node, const ActivationGrid& grid,
                          double share) {
  Finding finding = findingAt(input, "saturation", node);
  finding.value = grid.point->value;
  finding.statistic = share;
  finding.threshold = kMaxClipped;
  finding.severity = share > kCriticalShare ? Severity::Critical : Severity::Warning;
  finding.evidence = Evidence::Histogram;
  finding.text = "Of " + placeOf(input, grid) + ", " + briefPercent(share) +
                 " of the values lie beyond the grid's range of " + spanText(grid.representable()) +
                 ".";
  finding.why =
      "Values beyond the last code become the last code, however far they lie, so that what "
      "tells them apart is lost.";
  finding.suggestion = suggestionFor(input, grid);
  return finding;
}

}  // namespace

std::vector<Finding> findSaturation(const DetectorInput& input) {
  return worstOfEachLayer(
      input, [&](std::size_t index, const ActivationGrid& grid) -> std::optional<Finding> {
        const FusedLayer& layer = input.model.layers[index].layer;
        if (endsAsItMust(input, layer.last(), grid)) return std::nullopt;
        const double share = clippedShare(input, index, grid);
        if (share <= kMaxClipped) return std::nullopt;
        return saturationFinding(input, layer.lead(), grid, share);
      });
}

}  // namespace quantscope
