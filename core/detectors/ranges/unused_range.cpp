#include "detectors/ranges/unused_range.h"

#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "detectors/changes/group_changes.h"
#include "detectors/detector_layers.h"
#include "detectors/ranges/activation_grids.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

// Losing one bit is common; a finding starts at two.
constexpr double kMaxUnused = 0.75;
// A quarter of 8 bits: this many codes are enough, whatever their share.
constexpr double kEnoughLeft = 64;
// Four bits.
constexpr double kSevereShare = 0.9375;

double unusedShare(const ActivationGrid& grid) {
  const Range all = grid.representable();
  const Range& seen = grid.observation->range;
  if (widthOf(all) <= 0) return 0;
  if (grid.params->symmetric && all.low < 0 && all.high > 0) {
    const double reach = std::max(std::abs(all.low), std::abs(all.high));
    return std::max(0.0, 1 - grid.observation->absmax() / reach);
  }
  const double used = std::min<double>(seen.high, all.high) - std::max<double>(seen.low, all.low);
  return 1 - std::clamp(used / widthOf(all), 0.0, 1.0);
}

const std::vector<std::size_t>& groupOf(const DetectorInput& input, const ActivationGrid& grid) {
  return input.model.groups.members[grid.point->group];
}

// Straight, or by way of nodes that only move data.
bool entersConcat(const DetectorInput& input, const ActivationGrid& grid) {
  return std::ranges::any_of(groupOf(input, grid), [&](std::size_t member) {
    const QuantizationPoint& point = input.model.groups.points[member];
    return !point.isOutput() &&
           operatorTraits(input.graph()[point.consumer]).combination == Combination::Concatenation;
  });
}

bool sharedWithOthers(const DetectorInput& input, const ActivationGrid& grid) {
  return std::ranges::any_of(groupOf(input, grid), [&](std::size_t member) {
    return input.model.groups.points[member].value != grid.point->value;
  });
}

std::optional<Suggestion> suggestionFor(const DetectorInput& input, NodeId node,
                                        const ActivationGrid& grid) {
  const QuantizationPoint& point = *grid.point;
  const std::string what = placeOf(input, grid);
  if (point.precision.range) return freeRange(input, point.value, point.consumer, what);
  if (point.isOutput() && sharedWithOthers(input, grid) &&
      input.backend.shares(input.graph()[node].op)) {
    return keepFloat(input, node);
  }
  return widenGroup(input, point.value, point.consumer, what);
}

std::string reasonOf(const DetectorInput& input, const ActivationGrid& grid) {
  if (grid.point->fixed) return "The backend has one grid for this operator, whatever the values.";
  if (grid.point->precision.range) return "The range was set by hand, wider than the data.";
  if (sharedWithOthers(input, grid)) return "The grid is shared with wider values.";
  const Range& seen = grid.observation->range;
  if (seen.low > 0 || seen.high < 0)
    return "The values keep far from 0, which every grid includes.";
  return "The grid was not made for these values.";
}

Finding unusedFinding(const DetectorInput& input, NodeId node, const ActivationGrid& grid,
                      double share) {
  Finding finding = findingAt(input, "unused_range", node);
  finding.value = grid.point->value;
  finding.statistic = share;
  finding.threshold = kMaxUnused;
  finding.severity = share > kSevereShare ? Severity::Warning : Severity::Info;
  finding.evidence = Evidence::Histogram;
  finding.text = "Of the grid for " + placeOf(input, grid) + " (" + spanText(grid.representable()) +
                 "), " + briefPercent(share) + " is never used: the values reach from " +
                 spanText(grid.observation->range) + ".";
  finding.why = reasonOf(input, grid) +
                " Codes that no value takes are missing where the values are: with half of the "
                "grid goes one bit.";
  finding.suggestion = suggestionFor(input, node, grid);
  return finding;
}

}  // namespace

bool isHardlyUsed(const DetectorInput& input, const ActivationGrid& grid) {
  const double share = unusedShare(grid);
  const bool enough = share <= kMaxUnused || (1 - share) * grid.levels() >= kEnoughLeft;
  if (enough || widthOf(grid.observation->range) == 0) return false;
  return grid.point->precision.range || !entersConcat(input, grid);
}

std::vector<Finding> findUnusedRange(const DetectorInput& input) {
  return worstOfEachLayer(
      input, [&](std::size_t index, const ActivationGrid& grid) -> std::optional<Finding> {
        if (!isHardlyUsed(input, grid)) return std::nullopt;
        const NodeId lead = input.model.layers[index].layer.lead();
        return unusedFinding(input, lead, grid, unusedShare(grid));
      });
}

}  // namespace quantscope
