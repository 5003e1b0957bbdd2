#include "detectors/ranges/channel_ranges.h"

#include <algorithm>
#include <cmath>

#include "detectors/detector_layers.h"
#include "detectors/ranges/activation_grids.h"

namespace quantscope {
namespace {

// With fewer values per channel, equal values may be a coincidence.
constexpr std::size_t kEnoughValues = 64;
// With fewer samples the channel may be alive for other data, so its death is only likely.
constexpr std::size_t kManySamples = 32;
constexpr double kDoubtOfDeath = 0.6;
// Factor on the range of the live channels: from 2 on a dead channel costs them one bit.
constexpr double kDistorts = 2;

double reach(const Range& range) {
  return range.empty ? 0 : std::max(std::abs(range.low), std::abs(range.high));
}

// True where the dead channels make the value's range at least twice as wide as the others need.
bool widenTheRange(const DetectorInput& input, ValueId value, const DeadChannels& dead) {
  const Observation* observation = observationOf(input, value);
  if (observation == nullptr || observation->channels.size() != dead.all) return false;
  Range live;
  live.include(0);
  for (std::size_t c = 0; c < dead.all; ++c) {
    const bool counts = !std::ranges::binary_search(dead.channels, static_cast<std::int64_t>(c));
    if (counts) live.include(observation->channels[c]);
  }
  return widthOf(observation->range) >= kDistorts * widthOf(live);
}

}  // namespace

std::vector<bool> negligible(const std::vector<Range>& channels) {
  double largest = 0;
  for (const Range& range : channels) largest = std::max(largest, reach(range));
  std::vector<bool> result;
  for (const Range& range : channels) result.push_back(reach(range) <= kNegligibleShare * largest);
  return result;
}

std::vector<bool> constantChannels(const DetectorInput& input, ValueId value) {
  const Observation* observation = observationOf(input, value);
  if (observation == nullptr || observation->channels.empty()) return {};
  std::vector<bool> result;
  const bool enough = observation->count >= kEnoughValues * observation->channels.size();
  for (const Range& range : observation->channels) {
    result.push_back(enough && !range.empty && widthOf(range) == 0);
  }
  return result;
}

Finding deadChannelsFinding(const DetectorInput& input, const char* detector, NodeId layer,
                            ValueId value, const DeadChannels& dead) {
  Finding finding = findingAt(input, detector, layer);
  finding.value = value;
  finding.channels = dead.channels;
  finding.statistic = static_cast<double>(dead.channels.size()) / static_cast<double>(dead.all);
  finding.severity = widenTheRange(input, value, dead) ? Severity::Warning : Severity::Info;
  const bool certain =
      dead.withoutWeights == dead.channels.size() || input.observations.samples() >= kManySamples;
  finding.confidence = certain ? 1 : kDoubtOfDeath;
  finding.evidence = Evidence::ChannelRanges;
  return finding;
}

}  // namespace quantscope
