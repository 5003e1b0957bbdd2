// The expected error of numbers that lie evenly between a and b is (F(b) − F(a)) / (b − a), where F
// is the integral of the squared distance to the nearest level. F is a sum of cubes: between two
// midpoints of levels it is (x − level)³ / 3 and a constant. Everything is in steps of the grid.
#include "calibration/range_searches/mse_range.h"

#include <algorithm>
#include <cmath>

#include "calibration/range_searches/quantizer_levels.h"
#include "calibration/range_searches/range_search.h"
#include "kernels/codes/fake_quantize.h"
#include "kernels/statistics/error_sums.h"

namespace quantscope {
namespace {

double cubeThird(double x) {
  return x * x * x / 3;
}

// Levels at all integers from `low` to `high`.
struct EvenLevels {
  double low;
  double high;

  double nearest(double x) const { return std::clamp(std::nearbyint(x), low, high); }
  // Each level between two midpoints costs 2 · (1/2)³ / 3.
  double integral(double x) const {
    const double level = nearest(x);
    return level / 12 + cubeThird(x - level);
  }
};

class SortedLevels {
 public:
  explicit SortedLevels(std::vector<double> levels) : m_levels(std::move(levels)) {
    double sum = 0;
    m_before.push_back(0);
    for (std::size_t i = 0; i + 1 < m_levels.size(); ++i) {
      const double half = (m_levels[i + 1] - m_levels[i]) / 2;
      m_midpoints.push_back(m_levels[i] + half);
      sum += 2 * cubeThird(half);
      m_before.push_back(sum);
    }
  }

  double nearest(double x) const { return m_levels[index(x)]; }
  double integral(double x) const {
    const std::size_t i = index(x);
    return m_before[i] + cubeThird(x - m_levels[i]);
  }

 private:
  std::size_t index(double x) const {
    const auto above = std::ranges::lower_bound(m_midpoints, x);
    return static_cast<std::size_t>(above - m_midpoints.begin());
  }

  std::vector<double> m_levels;
  std::vector<double> m_midpoints;
  std::vector<double> m_before;  // the integral from the first level to each
};

template <class Levels>
RangeCost squaredError(const std::vector<BinMass>& masses, const Levels& levels, double scale,
                       double lowest, double highest) {
  RangeCost cost;
  for (const BinMass& mass : masses) {
    const double low = mass.low / scale;
    const double high = mass.high / scale;
    double mean = 0;
    if (high > low) {
      mean = (levels.integral(high) - levels.integral(low)) / (high - low);
    } else {
      const double distance = low - levels.nearest(low);
      mean = distance * distance;
    }
    const double error = std::max(mean, 0.0) * mass.count * scale * scale;
    cost.total += error;
    // A step is left out: a zero point that is rounded another way moves the levels that much.
    if (high < lowest - 1 || low > highest + 1) {
      const double beyond = high < lowest ? lowest - high : low - highest;
      cost.clipping += beyond * beyond * mass.count * scale * scale;
    }
  }
  return cost;
}

// Searching this many numbers directly is as fast as searching a histogram.
constexpr std::size_t kFewNumbers = 512;

bool followsFromRange(QuantType type) {
  return isInteger(type) || (hasScale(type) && !isSignCode(type));
}

std::vector<BinMass> massesOf(std::span<const float> numbers) {
  std::vector<BinMass> masses;
  for (const float x : numbers) {
    if (std::isfinite(x)) masses.push_back({x, x, 1});
  }
  std::ranges::sort(masses, {}, &BinMass::low);
  return masses;
}

// An outlier lies where it lies, not somewhere in its bin.
std::vector<BinMass> massesOf(const Observation& observation) {
  std::vector<BinMass> masses = binMasses(observation);
  if (masses.size() < 2) return masses;
  --masses.front().count;
  --masses.back().count;
  masses.push_back({observation.range.low, observation.range.low, 1});
  masses.push_back({observation.range.high, observation.range.high, 1});
  return masses;
}

Range leastError(const std::vector<BinMass>& masses, const Range& whole,
                 const QuantParams& target) {
  const bool integer = isInteger(target.type);
  const SortedLevels sorted(integer ? std::vector<double>{0} : levelsOf(target, {}));
  const auto costOf = [&](const Range& range) {
    const Grid grid = gridFromRange(range, target);
    const double low = integer ? double(target.qmin) - grid.zeroPoint
                               : -static_cast<double>(largestNumber(target.type));
    const double high = integer ? double(target.qmax) - grid.zeroPoint : -low;
    if (integer) return squaredError(masses, EvenLevels{low, high}, grid.scale, low, high);
    return squaredError(masses, sorted, grid.scale, low, high);
  };
  return searchRange(masses, whole, target.symmetric || !integer, costOf);
}

double squaredErrorOf(std::span<const float> numbers, const Range& range,
                      const QuantParams& target) {
  std::vector<float> rounded(numbers.size());
  fakeQuantize(numbers, rounded, target.codes(), gridFromRange(range, target));
  return errorSums(numbers, rounded).squaredError;
}

}  // namespace

Range mseRange(const Observation& observation, const QuantParams& target) {
  if (!followsFromRange(target.type)) return observation.range;
  return leastError(massesOf(observation), observation.range, target);
}

Range mseRange(std::span<const float> numbers, const Observation& observation,
               const QuantParams& target) {
  if (!followsFromRange(target.type)) return observation.range;
  const Range& whole = observation.range;
  const bool few = numbers.size() <= kFewNumbers;
  const Range found = leastError(few ? massesOf(numbers) : massesOf(observation), whole, target);
  const bool better =
      squaredErrorOf(numbers, found, target) < squaredErrorOf(numbers, whole, target);
  return better ? found : whole;
}

}  // namespace quantscope
