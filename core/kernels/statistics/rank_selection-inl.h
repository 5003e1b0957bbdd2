// Compiled once for each of Highway's targets; included by kernels after hwy/highway.h.
//
// Selection by counting: whole vectors are compared with a guess, which halves the range of
// possible answers. No branch depends on a single element, unlike in a partition.
#if defined(QUANTSCOPE_KERNELS_RANK_SELECTION) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTSCOPE_KERNELS_RANK_SELECTION
#undef QUANTSCOPE_KERNELS_RANK_SELECTION
#else
#define QUANTSCOPE_KERNELS_RANK_SELECTION
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using KeyTag = hn::ScalableTag<std::int32_t>;
using KeyVector = hn::Vec<KeyTag>;

/// Finds keys by their rank. The last few are copied into a vector that is filled up with keys
/// lower than any.
class RankedKeys {
 public:
  explicit RankedKeys(std::span<const std::int32_t> keys) : m_keys(keys) {
    m_whole = keys.size() / hn::Lanes(KeyTag()) * hn::Lanes(KeyTag());
    m_rest.fill(kNone);
    std::copy(keys.begin() + static_cast<std::ptrdiff_t>(m_whole), keys.end(), m_rest.begin());
  }

  /// The key that `rank` others precede in descending order; rank < number of keys.
  std::int32_t ofRank(std::size_t rank) const {
    // The answer lies in [low, high], and `atLeastLow` keys are not below `low`.
    std::int32_t low = smallestFrom(kNone + 1);
    std::int32_t high = largest();
    std::size_t atLeastLow = m_keys.size();
    while (low < high && atLeastLow > rank + 1) {
      const std::int32_t middle = std::midpoint(high, low);  // rounds towards `high`
      const std::size_t count = countFrom(middle);
      if (count > rank) {
        low = middle;
        atLeastLow = count;
      } else {
        high = middle - 1;
      }
    }
    return low == high ? low : smallestFrom(low);
  }

 private:
  static constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::min();
  // Bounds the 32-bit counters.
  static constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;

  template <class Visit>
  void forEachVector(const Visit& visit) const {
    const KeyTag d;
    for (std::size_t i = 0; i < m_whole; i += hn::Lanes(d)) visit(hn::LoadU(d, m_keys.data() + i));
    visit(hn::Load(d, m_rest.data()));
  }

  std::size_t countFrom(std::int32_t bound) const {
    std::size_t count = countIn({m_rest.data(), hn::Lanes(KeyTag())}, bound);
    for (std::size_t first = 0; first < m_whole; first += kMaxAtOnce) {
      count += countIn(m_keys.subspan(first, std::min(kMaxAtOnce, m_whole - first)), bound);
    }
    return count;
  }

  // Counts the keys of whole vectors.
  static std::size_t countIn(std::span<const std::int32_t> keys, std::int32_t bound) {
    const KeyTag d;
    const KeyVector below = hn::Set(d, bound - 1);
    KeyVector counts = hn::Zero(d);
    for (std::size_t i = 0; i < keys.size(); i += hn::Lanes(d)) {
      const auto counted = hn::Gt(hn::LoadU(d, keys.data() + i), below);
      counts = hn::Sub(counts, hn::VecFromMask(d, counted));
    }
    return static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(d, counts)));
  }

  std::int32_t smallestFrom(std::int32_t bound) const {
    const KeyTag d;
    const KeyVector below = hn::Set(d, bound - 1);
    const KeyVector none = hn::Set(d, std::numeric_limits<std::int32_t>::max());
    KeyVector smallest = none;
    forEachVector([&](KeyVector keys) HWY_ATTR {
      smallest = hn::Min(smallest, hn::IfThenElse(hn::Gt(keys, below), keys, none));
    });
    return hn::GetLane(hn::MinOfLanes(d, smallest));
  }

  std::int32_t largest() const {
    const KeyTag d;
    KeyVector largest = hn::Set(d, kNone);
    forEachVector([&](KeyVector keys) HWY_ATTR { largest = hn::Max(largest, keys); });
    return hn::GetLane(hn::MaxOfLanes(d, largest));
  }

  std::span<const std::int32_t> m_keys;
  std::size_t m_whole;
  alignas(64) std::array<std::int32_t, hn::MaxLanes(KeyTag())> m_rest;
};

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
