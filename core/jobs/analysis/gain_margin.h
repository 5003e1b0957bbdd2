#pragma once

#include <limits>
#include <optional>

#include "analysis/errors/output_errors.h"
#include "analysis/sensitivity/gain_estimate.h"

namespace quantscope {

/// How far measured gains may lie from what gradients estimate, and what that leaves to be
/// measured.
///
/// A change rounds everything behind it anew. That moves the error by chance, whatever the change
/// does: luck, which no gradient sees. Each sample has luck of its own, so the scatter of a
/// measured gain over the samples tells how large it is in the sum over all.
class GainMargin {
 public:
  /// Takes in what was measured of a change, whose estimate may be missing; `before`: of the output
  /// as it is.
  void add(const std::optional<GainEstimate>& estimate, const OutputResult& before,
           const OutputResult& after);

  /// True where a measured gain would be smaller than `leastGainDb`, as surely as kStandardErrors
  /// say, and the change moves little enough for gradients to tell. False before anything was
  /// measured.
  bool settles(const std::optional<GainEstimate>& estimate, double leastGainDb) const;

  /// The same of a gain that was measured on some of the samples; `before`: on these. Samples whose
  /// gains happen to be alike are not trusted more than those of the changes so far.
  bool settles(const OutputResult& before, const OutputResult& after, double leastGainDb) const;

  static constexpr double kStandardErrors = 2;
  static constexpr double kMostMoved = 0.25;

 private:
  double m_luckDb = 0;  // the largest of those that were measured
  double m_leastLuckDb = std::numeric_limits<double>::infinity();
  double m_squares = 0;     // Σ ((measured − estimated) / what it may be off)²
  std::size_t m_known = 0;  // terms of that sum
};

/// Standard error in dB of the gain from one measurement to the other, from the scatter of the
/// samples' gains, each with its share of the error's power where the reference has the same power
/// in all of them: √(n/(n−1)·Σ w²·(gain − mean)²). None where fewer than two samples have both.
std::optional<double> luckOf(const OutputResult& before, const OutputResult& after);

}  // namespace quantscope
