#pragma once

#include <cstddef>
#include <span>

#include "kernels/statistics/min_max.h"

namespace quantscope {

/// The sums that give mean, standard deviation and kurtosis: over the finite elements, of powers of
/// the distance from their mean.
struct CentralMoments {
  std::size_t count = 0;
  double mean = 0;
  double m2 = 0;  ///< Σ(x − mean)²
  double m3 = 0;  ///< Σ(x − mean)³
  double m4 = 0;  ///< Σ(x − mean)⁴

  /// Takes the elements of `other` in (Pébay, "Formulas for robust, one-pass parallel computation
  /// of covariances and arbitrary-order statistical moments", 2008).
  void add(const CentralMoments& other);

  double variance() const;  ///< of the population; 0 without an element
  /// count · m4 / m2²: 3 for a normal distribution, 1.8 for a uniform one. 0 where all are equal.
  double kurtosis() const;
  friend bool operator==(const CentralMoments&, const CentralMoments&) = default;
};

/// The moments of `in`, of which `range` is what minMax() gives. NaN and ±Inf are skipped, a
/// denormal counts as 0, in every mode of the floating-point unit.
///
/// Powers of x − c are summed in double, c halfway between smallest and largest. With w = max − min
/// no sum of squares exceeds n·w²/4, while m2 ≥ w²/2: moving from c to the mean costs at most
/// n/2 times the error of the sums, however far from 0 the numbers lie; likewise for m4 ≥ w⁴/8.
/// Element i goes to lane i mod 8, and lanes are folded by halves (lane j takes lane j + 4 in, then
/// j + 2 and j + 1): the same bits on every CPU.
CentralMoments centralMoments(std::span<const float> in, const MinMax& range);

}  // namespace quantscope
