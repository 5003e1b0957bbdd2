#include "calibration/range_searches/kl_range.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "calibration/histograms/kept_bins.h"
#include "calibration/histograms/magnitude_bins.h"

namespace quantscope {
namespace {

// Bins per level that a result has to span, and how far beyond it the next search looks.
constexpr std::size_t kBinsPerLevel = 2;
constexpr double kZoom = 4;
constexpr int kMaxZooms = 64;

std::size_t levelsFor(const Observation& observation, const QuantParams& target) {
  const auto codes = static_cast<std::size_t>(levelCount(target.type));
  const bool oneSided = observation.range.low >= 0 && !target.symmetric;
  return std::max<std::size_t>(oneSided ? codes - 1 : codes / 2, 1);
}

}  // namespace

Range klRange(const Observation& observation, const QuantParams& target) {
  const Range& range = observation.range;
  if (range.low == range.high || !hasScale(target.type)) return range;
  const std::size_t levels = levelsFor(observation, target);
  const std::vector<BinMass> masses = binMasses(observation);
  const auto absmax = static_cast<double>(observation.absmax());
  MagnitudeBins bins = magnitudeBins(observation, masses);
  std::size_t kept = bestKeptBins(bins.counts, bins.beyond, levels);
  for (int zoom = 0; zoom < kMaxZooms && kept < kBinsPerLevel * levels; ++zoom) {
    const double end = std::min(kZoom * static_cast<double>(kept) * bins.width, absmax);
    if (end >= bins.width * static_cast<double>(kMagnitudeBins)) break;
    bins = magnitudesUpTo(masses, end);
    kept = bestKeptBins(bins.counts, bins.beyond, levels);
  }
  const auto threshold = static_cast<float>(static_cast<double>(kept) * bins.width);
  return {std::max(range.low, -threshold), std::min(range.high, threshold), false};
}

}  // namespace quantscope
