#include "detectors/ranges/one_sided.h"

#include <algorithm>

#include "detectors/changes/group_changes.h"
#include "detectors/detector_layers.h"
#include "detectors/ranges/activation_grids.h"

namespace quantscope {
namespace {

// An asymmetric grid then has a step of at most 0.55 of the symmetric one: 0.86 bits finer.
constexpr double kOneSided = 0.1;

double lesserSide(const Range& range) {
  const double up = std::max(0.0F, range.high);
  const double down = std::max(0.0F, -range.low);
  return std::max(up, down) == 0 ? 1 : std::min(up, down) / std::max(up, down);
}

bool hasTwoSides(const ActivationGrid& grid) {
  const Range all = grid.representable();
  return grid.params->symmetric && canBeAsymmetric(grid.params->type) && all.low < 0 &&
         all.high > 0;
}

/// The range of all values on the grid: one of them may need the codes that another leaves unused.
Range rangeOfGroup(const DetectorInput& input, const ActivationGrid& grid) {
  Range range;
  for (const std::size_t member : input.model.groups.members[grid.point->group]) {
    const Observation* observation = observationOf(input, input.model.groups.points[member].value);
    if (observation != nullptr) range.include(observation->range);
  }
  return range;
}

Finding findingFor(const DetectorInput& input, NodeId node, const ActivationGrid& grid) {
  Finding finding = findingAt(input, "one_sided", node);
  finding.value = grid.point->value;
  finding.statistic = lesserSide(grid.observation->range);
  finding.threshold = kOneSided;
  finding.severity = bitWidth(grid.params->type) > 8 ? Severity::Info : Severity::Warning;
  finding.evidence = Evidence::Histogram;
  const std::string what = placeOf(input, grid);
  const char* side =
      grid.observation->range.high > -grid.observation->range.low ? "above" : "below";
  finding.text = "The values of " + what + " lie " +
                 (finding.statistic == 0 ? "all " : "nearly all ") + side + " 0 (" +
                 spanText(grid.observation->range) + "), but its grid is symmetric.";
  finding.why =
      "A symmetric grid has as many codes on either side of 0; those of the empty side are never "
      "used, which costs one bit.";
  std::vector<ConfigChange> changes = changeGroup(
      input, grid.point->value, grid.point->consumer,
      [](TensorPrecision& precision) { precision.symmetric = !canBeAsymmetric(precision.type); });
  if (!changes.empty()) {
    finding.suggestion =
        Suggestion{"Let the grid of " + what + " be asymmetric.", std::move(changes), {}};
  }
  return finding;
}

}  // namespace

std::vector<Finding> findOneSided(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < input.model.layers.size(); ++i) {
    for (const ActivationGrid& grid : activationGrids(input, i)) {
      if (!hasTwoSides(grid) || lesserSide(rangeOfGroup(input, grid)) > kOneSided) continue;
      if (lesserSide(grid.observation->range) > kOneSided) continue;
      findings.push_back(findingFor(input, input.model.layers[i].layer.lead(), grid));
      break;
    }
  }
  return findings;
}

}  // namespace quantscope
