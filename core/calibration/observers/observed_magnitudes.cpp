#include "calibration/observers/observed_magnitudes.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "kernels/codes/magnitude_grid.h"

namespace quantscope {
namespace {

// Numbers that lie evenly between two magnitudes.
struct Magnitudes {
  double low;
  double high;
  double count;

  double sum() const { return (low + high) / 2 * count; }
  Magnitudes above(double threshold) const {
    if (threshold < low) return *this;
    if (threshold >= high) return {high, high, 0};
    return {threshold, high, count * (high - threshold) / (high - low)};
  }
};

std::vector<Magnitudes> magnitudesOf(const LogLinearHistogram& histogram, const Range& range) {
  std::vector<Magnitudes> result;
  for (const LogLinearBin& bin : histogram.bins()) {
    const double a = std::abs(std::clamp(bin.low, range.low, range.high));
    const double b = std::abs(std::clamp(bin.high, range.low, range.high));
    result.push_back({std::min(a, b), std::max(a, b), static_cast<double>(bin.count)});
  }
  return result;
}

double meanOf(const std::vector<Magnitudes>& all) {
  double count = 0;
  double sum = 0;
  for (const Magnitudes& part : all) {
    count += part.count;
    sum += part.sum();
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

Grid magnitudeGrid(QuantType type, const LogLinearHistogram& histogram, const Range& range) {
  if (!isSignCode(type)) {
    throw Error(ErrorCode::InvalidParameters,
                std::string(name(type)) + " has no scale that follows from mean magnitudes");
  }
  std::vector<Magnitudes> all = magnitudesOf(histogram, range);
  const double mean = meanOf(all);
  if (type == QuantType::Binary) return {static_cast<float>(mean), 0, 0};
  const float threshold = ternaryThreshold(mean);
  for (Magnitudes& part : all) part = part.above(threshold);
  return {static_cast<float>(meanOf(all)), 0, threshold};
}

}  // namespace quantscope
