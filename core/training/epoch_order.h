#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quantscope {

/// The order in which samples are trained with: each once in an epoch, in an order of its own that
/// follows from the seed alone.
class EpochOrder {
 public:
  explicit EpochOrder(std::uint64_t seed) : m_seed(seed) {}

  /// The sample, of `count`, at a position that is counted on through the epochs of a phase.
  std::size_t at(std::size_t phase, std::size_t count, std::size_t position);

 private:
  std::uint64_t m_seed;
  std::vector<std::size_t> m_order;  // of the epoch that was asked for last
  std::uint64_t m_key = 0;           // likewise
};

}  // namespace quantscope
