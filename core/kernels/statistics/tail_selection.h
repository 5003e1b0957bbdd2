#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quantscope {

/// Finds the ends of a sorted array without sorting it; keeps its scratch memory between calls.
class TailSelection {
 public:
  /// upper = the upper.size() largest finite elements of `in`, lower = the lower.size() smallest,
  /// duplicates included. upper[0] is the smallest of `upper` and lower[0] the largest of `lower`;
  /// the rest is in no order. If there are too few, missing elements are −Inf in `upper` and +Inf
  /// in `lower`, so that it comes first. −0 is taken for 0; NaN and ±Inf are skipped; denormals
  /// count as what they are, in every mode of the floating-point unit.
  ///
  /// Both tails have the same length; throws InvalidParameters where not.
  ///
  /// Exact. Linear in in.size(), and fast where the tails are short: a few elements of `in` guess
  /// bounds that the tails lie beyond, one pass collects what does, and only that is partitioned.
  void select(std::span<const float> in, std::span<float> upper, std::span<float> lower);

 private:
  std::vector<std::int32_t> m_keys;  // outside of both bounds, then above the upper one
  std::vector<std::int32_t> m_below;
};

}  // namespace quantscope
