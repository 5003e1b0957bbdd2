#include "calibration/histograms/linear_histogram.h"

#include <algorithm>
#include <cmath>

#include "kernels/flushed.h"
#include "kernels/statistics/linear_bins.h"

namespace quantscope {
namespace {

// Bins finer than absmax · 2^−22 would tell neighbouring floats apart.
constexpr int kFinestToAbsmax = 22;

// Bounds the kernel's 32-bit counters.
constexpr std::size_t kPiece = std::size_t{1} << 30;

// Exact: the width is a power of two, and double has exponents to spare.
double inWidths(float x, int widthExponent) {
  return std::ldexp(flushed(x), -widthExponent);
}

// The largest number may lie on the upper edge of the last bin.
double binsBetween(float min, float max, int widthExponent) {
  return std::ceil(inWidths(max, widthExponent)) - std::floor(inWidths(min, widthExponent));
}

// The smallest e with x ≤ 2^e, for x > 0.
int ceilLog2(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return mantissa == 0.5 ? exponent - 1 : exponent;
}

}  // namespace

int LinearHistogram::widthExponentFor(float min, float max) {
  const double absmax = std::max(std::abs(flushed(min)), std::abs(flushed(max)));
  if (absmax == 0) return kFinest;
  int exponent = std::max(kFinest, ceilLog2(absmax) - kFinestToAbsmax);
  while (binsBetween(min, max, exponent) > kMaxBins) ++exponent;
  return exponent;
}

void LinearHistogram::widen(int widthExponent) {
  if (widthExponent <= m_widthExponent) return;
  m_counts.halve(widthExponent - m_widthExponent);
  m_widthExponent = widthExponent;
}

void LinearHistogram::add(std::span<const float> in, float min, float max) {
  const std::int32_t first = linearBin(min, m_widthExponent);
  const std::int32_t last = linearBin(max, m_widthExponent);
  for (std::size_t i = 0; i < in.size(); i += kPiece) {
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(last - first) + 1);
    addToLinearBins(in.subspan(i, std::min(kPiece, in.size() - i)), m_widthExponent, first, counts);
    m_counts.add(first, counts);
  }
}

void LinearHistogram::add(LinearHistogram finer) {
  finer.widen(m_widthExponent);
  m_counts.add(finer.m_counts);
}

LinearBins LinearHistogram::bins(float min, float max) const {
  const std::int32_t first = linearBin(min, m_widthExponent);
  const double count = std::max(1.0, binsBetween(min, max, m_widthExponent));
  LinearBins bins;
  bins.width = std::ldexp(1.0, m_widthExponent);
  bins.low = first * bins.width;
  bins.counts.resize(static_cast<std::size_t>(count));
  m_counts.forEach([&](std::int32_t bin, std::uint64_t n) {
    const std::size_t index =
        std::min(static_cast<std::size_t>(bin - first), bins.counts.size() - 1);
    bins.counts[index] += n;
  });
  return bins;
}

}  // namespace quantscope
