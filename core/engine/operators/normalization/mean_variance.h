#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quantscope {

/// Mean and (population) variance of some elements.
struct MeanVariance {
  double mean = 0;
  double variance = 0;
};

/// Merges the moments of `count` further elements into those of `seen` elements (Chan, Golub and
/// LeVeque 1979); the variances hold sums of squared deviations until divided.
inline void mergeMeanVariance(MeanVariance& total, double seen, const MeanVariance& more,
                              double count) {
  const double difference = more.mean - total.mean;
  const double all = seen + count;
  total.mean += difference * count / all;
  total.variance += more.variance + difference * difference * seen * count / all;
}

// Elements per block: few enough for float sums, and for a block to stay in the first cache level
// between its two passes.
constexpr std::size_t kSumBlock = 1024;
// Independent sums, so that the compiler can add them as vectors.
constexpr std::size_t kSumLanes = 16;

/// Σ term(x) in float or double lanes.
template <class T, class Term>
double sumInLanes(std::span<const T> x, const Term& term) {
  T lanes[kSumLanes] = {};
  std::size_t i = 0;
  for (; i + kSumLanes <= x.size(); i += kSumLanes) {
    for (std::size_t lane = 0; lane < kSumLanes; ++lane) lanes[lane] += term(x[i + lane]);
  }
  double sum = 0;
  for (const T lane : lanes) sum += static_cast<double>(lane);
  for (; i < x.size(); ++i) sum += static_cast<double>(term(x[i]));
  return sum;
}

/// Moments of neighbouring elements, each read from memory once.
template <class T>
MeanVariance meanVarianceOf(std::span<const T> x) {
  MeanVariance total;
  for (std::size_t first = 0; first < x.size(); first += kSumBlock) {
    const auto block = x.subspan(first, std::min(kSumBlock, x.size() - first));
    const auto count = static_cast<double>(block.size());
    const double mean = sumInLanes(block, [](T value) { return value; }) / count;
    const T center = static_cast<T>(mean);
    const double squares =
        sumInLanes(block, [center](T value) { return (value - center) * (value - center); });
    // Σ (x − mean)² from Σ (x − center)², center being the mean rounded to T.
    const double shift = mean - static_cast<double>(center);
    mergeMeanVariance(total, static_cast<double>(first), {mean, squares - count * shift * shift},
                      count);
  }
  if (!x.empty()) total.variance = std::max(0.0, total.variance / static_cast<double>(x.size()));
  return total;
}

/// Moments of each column of a matrix of rows × moments.size() elements.
template <class T>
void columnMoments(const T* x, std::int64_t rows, std::span<MeanVariance> moments) {
  constexpr std::int64_t kRows = 32;
  const std::size_t columns = moments.size();
  std::vector<T> sums(columns);
  std::vector<T> squares(columns);
  std::fill(moments.begin(), moments.end(), MeanVariance{});
  for (std::int64_t first = 0; first < rows; first += kRows) {
    const std::int64_t count = std::min(kRows, rows - first);
    const T* block = x + static_cast<std::size_t>(first) * columns;
    std::fill(sums.begin(), sums.end(), T{0});
    std::fill(squares.begin(), squares.end(), T{0});
    for (const T* row = block; row != block + static_cast<std::size_t>(count) * columns;
         row += columns) {
      for (std::size_t c = 0; c < columns; ++c) sums[c] += row[c];
    }
    for (T& sum : sums) sum /= static_cast<T>(count);
    for (const T* row = block; row != block + static_cast<std::size_t>(count) * columns;
         row += columns) {
      for (std::size_t c = 0; c < columns; ++c) {
        squares[c] += (row[c] - sums[c]) * (row[c] - sums[c]);
      }
    }
    for (std::size_t c = 0; c < columns; ++c) {
      mergeMeanVariance(moments[c], static_cast<double>(first),
                        {static_cast<double>(sums[c]), static_cast<double>(squares[c])},
                        static_cast<double>(count));
    }
  }
  for (MeanVariance& column : moments) column.variance /= static_cast<double>(rows);
}

}  // namespace quantscope
