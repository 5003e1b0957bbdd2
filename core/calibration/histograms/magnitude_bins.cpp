#include "calibration/histograms/magnitude_bins.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace quantscope {
namespace {

// The bulk of the numbers must lie in 16 of at least 512 bins, or the linear ones are too wide.
constexpr double kBulkShare = 0.99;
constexpr double kBulks = 32;

// Zeros are exact on every grid and would only hide the rest, after a ReLU half of all numbers.
double zerosOf(const std::vector<BinMass>& masses) {
  double zeros = 0;
  for (const BinMass& mass : masses) zeros += mass.low == 0 && mass.high == 0 ? mass.count : 0;
  return zeros;
}

MagnitudeBins linearMagnitudes(const LinearBins& bins, double zeros) {
  MagnitudeBins result{{}, bins.width, 0};
  const auto first = static_cast<std::ptrdiff_t>(std::llround(bins.low / bins.width));
  for (std::size_t i = 0; i < bins.counts.size(); ++i) {
    const std::ptrdiff_t place = first + static_cast<std::ptrdiff_t>(i);
    const auto bin = static_cast<std::size_t>(place >= 0 ? place : -place - 1);
    if (result.counts.size() <= bin) result.counts.resize(bin + 1);
    result.counts[bin] += static_cast<double>(bins.counts[i]);
  }
  result.counts[0] -= zeros;
  return result;
}

// The magnitude that `share` of the numbers that are not 0 do not exceed.
double magnitudeQuantile(const std::vector<BinMass>& masses, double share) {
  std::vector<std::pair<double, double>> magnitudes;
  double total = 0;
  for (const BinMass& mass : masses) {
    if (mass.low == 0 && mass.high == 0) continue;
    magnitudes.emplace_back(std::max(std::abs(mass.low), std::abs(mass.high)), mass.count);
    total += mass.count;
  }
  std::ranges::sort(magnitudes);
  double below = 0;
  for (const auto& [magnitude, count] : magnitudes) {
    below += count;
    if (below >= share * total) return magnitude;
  }
  return magnitudes.back().first;
}

}  // namespace

MagnitudeBins magnitudeBins(const Observation& observation, const std::vector<BinMass>& masses) {
  const double farEnough = kBulks * magnitudeQuantile(masses, kBulkShare);
  const auto absmax = static_cast<double>(observation.absmax());
  const LinearBins bins = observation.linearBins();
  // A narrow range far from 0 has its bins of 0 … |x| by the million.
  const bool few = absmax <= static_cast<double>(kMagnitudeBins) * bins.width;
  return few && absmax <= farEnough ? linearMagnitudes(bins, zerosOf(masses))
                                    : magnitudesUpTo(masses, std::min(absmax, farEnough));
}

// Numbers lie evenly inside a log-linear bin.
MagnitudeBins magnitudesUpTo(const std::vector<BinMass>& masses, double end) {
  MagnitudeBins result{std::vector<double>(kMagnitudeBins),
                       end / static_cast<double>(kMagnitudeBins), 0};
  for (const BinMass& mass : masses) {
    if (mass.low == 0 && mass.high == 0) continue;
    const double a = std::abs(mass.low) / result.width;
    const double b = std::abs(mass.high) / result.width;
    const double low = std::min(a, b);
    const double high = std::max(a, b);
    const auto bins = static_cast<double>(kMagnitudeBins);
    if (low >= bins) {
      result.beyond += mass.count;
      continue;
    }
    if (high <= low) {
      result.counts[static_cast<std::size_t>(low)] += mass.count;
      continue;
    }
    const double density = mass.count / (high - low);
    result.beyond += density * std::max(0.0, high - bins);
    for (double at = low; at < std::min(high, bins);) {
      const double next = std::min(std::floor(at) + 1, std::min(high, bins));
      result.counts[static_cast<std::size_t>(at)] += density * (next - at);
      at = next;
    }
  }
  return result;
}

}  // namespace quantscope
