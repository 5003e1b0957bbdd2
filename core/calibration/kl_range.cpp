#include "calibration/kl_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "calibration/bin_masses.h"

namespace quantscope {
namespace {

constexpr std::size_t kBins = 2048;

// Bins per level that a result has to span, and how far beyond it the next search looks.
constexpr std::size_t kBinsPerLevel = 2;
constexpr double kZoom = 4;
constexpr int kMostZooms = 64;

// The bulk of the numbers must lie in 16 of at least 512 bins, or the linear ones are too wide.
constexpr double kBulkShare = 0.99;
constexpr double kBulks = 32;

// What an empty level counts for, where outliers were folded onto it: without it Q would be 0
// there, and no single outlier could ever be clipped. MXNet's and ONNX Runtime's value.
constexpr double kLeastCount = 1e-4;

// Of one level: the bins [first, last).
double levelDivergence(std::span<const double> reference, std::span<const double> kept,
                       double referenceTotal, double keptTotal) {
  std::size_t filled = 0;
  for (const double count : reference) filled += count > 0 ? 1 : 0;
  if (filled == 0) return 0;
  const double merged = std::max(std::accumulate(kept.begin(), kept.end(), 0.0), kLeastCount);
  const double q = merged / static_cast<double>(filled) / keptTotal;
  double sum = 0;
  for (const double count : reference) {
    if (count <= 0) continue;
    const double p = count / referenceTotal;
    sum += p * std::log(p / q);
  }
  return sum;
}

double divergence(std::span<const double> counts, double outliers, std::size_t levels,
                  std::vector<double>& reference) {
  reference.assign(counts.begin(), counts.end());
  reference.back() += outliers;
  const double keptTotal = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (keptTotal <= 0) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    const std::size_t first = level * counts.size() / levels;
    const std::size_t last = (level + 1) * counts.size() / levels;
    sum += levelDivergence(std::span(reference).subspan(first, last - first),
                           counts.subspan(first, last - first), keptTotal + outliers, keptTotal);
  }
  return sum;
}

// Bins of |x|, `width` each, and what lies beyond them.
struct MagnitudeBins {
  std::vector<double> counts;
  double width = 0;
  double beyond = 0;
};

// Zeros are exact on every grid and would only hide the rest, after a ReLU half of all numbers.
double zerosOf(const std::vector<BinMass>& masses) {
  double zeros = 0;
  for (const BinMass& mass : masses) zeros += mass.low == 0 && mass.high == 0 ? mass.count : 0;
  return zeros;
}

MagnitudeBins linearMagnitudes(const Observation& observation, double zeros) {
  const LinearBins bins = observation.linearBins();
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

// Numbers lie evenly inside a log-linear bin.
MagnitudeBins magnitudesUpTo(const std::vector<BinMass>& masses, double end) {
  MagnitudeBins result{std::vector<double>(kBins), end / static_cast<double>(kBins), 0};
  for (const BinMass& mass : masses) {
    if (mass.low == 0 && mass.high == 0) continue;
    const double a = std::abs(mass.low) / result.width;
    const double b = std::abs(mass.high) / result.width;
    const double low = std::min(a, b);
    const double high = std::max(a, b);
    const auto bins = static_cast<double>(kBins);
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

std::size_t levelsFor(const Observation& observation, const QuantParams& target) {
  const auto codes = static_cast<std::size_t>(levelCount(target.type));
  const bool oneSided = observation.range.low >= 0 && !target.symmetric;
  return std::max<std::size_t>(oneSided ? codes - 1 : codes / 2, 1);
}

}  // namespace

std::size_t bestKeptBins(std::span<const double> counts, double beyond, std::size_t levels) {
  std::vector<double> reference;
  std::size_t best = counts.size();
  double least = std::numeric_limits<double>::infinity();
  double outliers = beyond;
  for (std::size_t kept = counts.size(); kept >= levels && kept > 0; --kept) {
    const double found = divergence(counts.first(kept), outliers, levels, reference);
    if (found < least) {
      least = found;
      best = kept;
    }
    outliers += counts[kept - 1];
  }
  return best;
}

Range klRange(const Observation& observation, const QuantParams& target) {
  const Range& range = observation.range;
  if (range.low == range.high || !hasScale(target.type)) return range;
  const std::size_t levels = levelsFor(observation, target);
  const std::vector<BinMass> masses = binMasses(observation);
  const double farEnough = kBulks * magnitudeQuantile(masses, kBulkShare);
  const auto absmax = static_cast<double>(observation.absmax());
  // A narrow range far from 0 has its bins of 0 … |x| by the million.
  const bool few = absmax <= static_cast<double>(kBins) * observation.linearBins().width;
  MagnitudeBins bins = few && absmax <= farEnough
                           ? linearMagnitudes(observation, zerosOf(masses))
                           : magnitudesUpTo(masses, std::min(absmax, farEnough));
  std::size_t kept = bestKeptBins(bins.counts, bins.beyond, levels);
  for (int zoom = 0; zoom < kMostZooms && kept < kBinsPerLevel * levels; ++zoom) {
    const double wanted = kZoom * static_cast<double>(kept) * bins.width;
    const double end = std::min(wanted, absmax);
    if (end >= bins.width * static_cast<double>(kBins)) break;
    bins = magnitudesUpTo(masses, end);
    kept = bestKeptBins(bins.counts, bins.beyond, levels);
  }
  const auto threshold = static_cast<float>(static_cast<double>(kept) * bins.width);
  return {std::max(range.low, -threshold), std::min(range.high, threshold), false};
}

}  // namespace quantscope
