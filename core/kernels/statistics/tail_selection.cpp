// Works on integers that order as the floats do (min_max_keys.h), mirrored for the lower tail, so
// that one partition serves both.
//
// Bounds come from a sorted sample of the elements, further in than the tail by some standard
// deviations of what such a sample gets wrong. Where the data has many equal elements a bound is
// often one of them: those are counted, not collected, so that the zeros behind a ReLU cost
// nothing. Short tails are kept lane by lane instead, without a guess.
#include "kernels/statistics/tail_selection.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/channel_layout.h"
#include "kernels/statistics/min_max_keys.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/statistics/tail_selection.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/codes/compressed-inl.h"
#include "kernels/statistics/rank_selection-inl.h"

#ifndef QUANTSCOPE_KERNELS_TAIL_BOUNDS
#define QUANTSCOPE_KERNELS_TAIL_BOUNDS
namespace quantscope {
namespace {

/// The elements that one pass finds outside of two bounds.
struct Outside {
  std::int32_t upperBound = 0;
  std::int32_t lowerBound = 0;
  std::size_t collected = 0;  // keys > upperBound or < lowerBound
  std::size_t atUpper = 0;
  std::size_t atLower = 0;
};

/// Number of the collected keys on each side; if the tails are long, some are on both.
struct Sides {
  std::size_t above = 0;
  std::size_t below = 0;
};

constexpr std::int32_t kMagnitudeBits = 0x7FFFFFFF;
constexpr std::int32_t kInfinityBits = 0x7F800000;

// The key of −x, which turns the smallest into the largest.
constexpr std::int32_t mirrored(std::int32_t key) {
  return ~key;
}

// Below any key: for NaN, infinities and missing elements.
constexpr std::int32_t kNoKey = std::numeric_limits<std::int32_t>::min();

// Up to this length a tail is kept lane by lane.
constexpr std::size_t kShortTail = 12;

/// The largest keys and the largest mirrored ones, the largest first; kNoKey where there are too
/// few.
struct ShortTails {
  std::array<std::int32_t, kShortTail> upper;
  std::array<std::int32_t, kShortTail> lower;
};

// Room that a vector may be stored into behind the last element.
constexpr std::size_t kSlack = 64;

}  // namespace
}  // namespace quantscope
#endif

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using IntTag = hn::ScalableTag<std::int32_t>;
using IntVector = hn::Vec<IntTag>;

// Numbers to keys; −0 becomes 0.
IntVector keysOf(IntVector bits, IntVector magnitudes) {
  const IntTag d;
  const IntVector isZero = hn::VecFromMask(d, hn::Eq(magnitudes, hn::Zero(d)));
  const IntVector flipped = hn::And(hn::ShiftRight<31>(bits), hn::Set(d, kMagnitudeBits));
  return hn::AndNot(isZero, hn::Xor(bits, flipped));
}

// Stores whole vectors; the next store overwrites the unused lanes: most vectors have something to
// collect, and branch prediction could not know which.
void storeSome(IntVector keys, hn::Mask<IntTag> which, std::int32_t* out, std::size_t& stored) {
  const IntTag d;
  hn::StoreU(compressed(keys, which), d, out + stored);
  stored += hn::CountTrue(d, which);
}

void collect(const float* in, std::size_t count, std::int32_t* keys, Outside& outside) {
  const IntTag d;
  const hn::ScalableTag<float> df;
  const std::size_t lanes = hn::Lanes(d);
  const IntVector upper = hn::Set(d, outside.upperBound);
  const IntVector lower = hn::Set(d, outside.lowerBound);
  IntVector atUpper = hn::Zero(d);
  IntVector atLower = hn::Zero(d);
  std::size_t collected = outside.collected;
  const auto take = [&](hn::Vec<decltype(df)> numbers) HWY_ATTR {
    const IntVector bits = hn::BitCast(d, numbers);
    const IntVector magnitudes = hn::And(bits, hn::Set(d, kMagnitudeBits));
    const IntVector key = keysOf(bits, magnitudes);
    atUpper = hn::Sub(atUpper, hn::VecFromMask(d, hn::Eq(key, upper)));
    atLower = hn::Sub(atLower, hn::VecFromMask(d, hn::Eq(key, lower)));
    const auto isFinite = hn::Lt(magnitudes, hn::Set(d, kInfinityBits));
    const auto isOutside = hn::Or(hn::Gt(key, upper), hn::Lt(key, lower));
    storeSome(key, hn::And(isFinite, isOutside), keys, collected);
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) take(hn::LoadU(df, in + i));
  if (i < count) {
    HWY_ALIGN std::array<float, hn::MaxLanes(df)> rest;
    hn::Store(hn::NaN(df), df, rest.data());  // neither collected nor counted
    std::copy(in + i, in + count, rest.data());
    take(hn::Load(df, rest.data()));
  }
  outside.collected = collected;
  outside.atUpper += static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(d, atUpper)));
  outside.atLower += static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(d, atLower)));
}

// Moves the collected keys that lie above to the front; those below go, mirrored, to `below`.
Sides splitSides(std::int32_t* keys, std::int32_t* below, const Outside& outside) {
  const IntTag d;
  const IntVector upper = hn::Set(d, outside.upperBound);
  const IntVector lower = hn::Set(d, outside.lowerBound);
  Sides sides;
  std::size_t i = 0;
  // Stores never go beyond the elements that were read.
  for (; i + hn::Lanes(d) <= outside.collected; i += hn::Lanes(d)) {
    const IntVector vector = hn::LoadU(d, keys + i);
    storeSome(vector, hn::Gt(vector, upper), keys, sides.above);
    storeSome(hn::Not(vector), hn::Lt(vector, lower), below, sides.below);
  }
  for (; i < outside.collected; ++i) {
    const std::int32_t key = keys[i];
    keys[sides.above] = key;
    below[sides.below] = mirrored(key);
    sides.above += key > outside.upperBound ? 1 : 0;
    sides.below += key < outside.lowerBound ? 1 : 0;
  }
  return sides;
}

/// The `size` largest keys of each lane, sorted: the largest first.
template <std::size_t size>
class LargestByLane {
 public:
  LargestByLane() { m_keys.fill(hn::Set(IntTag(), kNoKey)); }

  void include(IntVector key) {
    for (IntVector& kept : m_keys) {
      const IntVector larger = hn::Max(kept, key);
      key = hn::Min(kept, key);
      kept = larger;
    }
  }

  /// The largest of all lanes.
  void store(std::int32_t* out) {
    mergeLanes(IntTag());
    for (std::size_t i = 0; i < size; ++i) out[i] = hn::GetLane(m_keys[i]);
  }

 private:
  // A template, so that only code for the existing vector widths is compiled.
  template <class Tag>
  void mergeLanes(Tag d) {
    if constexpr (hn::MaxLanes(d) >= 16) mergeWith([&](auto v) { return hn::Reverse(d, v); });
    if constexpr (hn::MaxLanes(d) >= 8) mergeWith([&](auto v) { return hn::Reverse8(d, v); });
    if constexpr (hn::MaxLanes(d) >= 4) mergeWith([&](auto v) { return hn::Reverse4(d, v); });
    if constexpr (hn::MaxLanes(d) >= 2) mergeWith([&](auto v) { return hn::Reverse2(d, v); });
  }

  // The largest of two sorted sequences a and b of this length: each max(a[i], b[size − 1 − i]).
  template <class Partner>
  HWY_INLINE void mergeWith(const Partner& partner) {
    const auto before = m_keys;
    for (std::size_t i = 0; i < size; ++i) {
      m_keys[i] = hn::Max(before[i], partner(before[size - 1 - i]));
    }
    for (std::size_t end = size; end > 1; --end) {
      for (std::size_t i = 1; i < end; ++i) {
        const IntVector smaller = hn::Min(m_keys[i - 1], m_keys[i]);
        m_keys[i - 1] = hn::Max(m_keys[i - 1], m_keys[i]);
        m_keys[i] = smaller;
      }
    }
  }

  std::array<IntVector, size> m_keys;
};

template <std::size_t size>
ShortTails shortTails(const float* in, std::size_t count) {
  const IntTag d;
  const hn::ScalableTag<float> df;
  LargestByLane<size> upper;
  LargestByLane<size> lower;
  const auto take = [&](hn::Vec<decltype(df)> numbers) HWY_ATTR {
    const IntVector bits = hn::BitCast(d, numbers);
    const IntVector magnitudes = hn::And(bits, hn::Set(d, kMagnitudeBits));
    const IntVector key = keysOf(bits, magnitudes);
    const auto isFinite = hn::Lt(magnitudes, hn::Set(d, kInfinityBits));
    const IntVector none = hn::Set(d, kNoKey);
    upper.include(hn::IfThenElse(isFinite, key, none));
    lower.include(hn::IfThenElse(isFinite, hn::Not(key), none));
  };
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) take(hn::LoadU(df, in + i));
  if (i < count) {
    HWY_ALIGN std::array<float, hn::MaxLanes(df)> rest;
    hn::Store(hn::NaN(df), df, rest.data());
    std::copy(in + i, in + count, rest.data());
    take(hn::Load(df, rest.data()));
  }
  ShortTails tails;
  tails.upper.fill(kNoKey);
  tails.lower.fill(kNoKey);
  upper.store(tails.upper.data());
  lower.store(tails.lower.data());
  return tails;
}

// At least the `size` largest; size: 1 … kShortTail.
ShortTails shortTailsOf(const float* in, std::size_t count, std::size_t size) {
  if (size == 1) return shortTails<1>(in, count);
  if (size == 2) return shortTails<2>(in, count);
  if (size == 3) return shortTails<3>(in, count);
  if (size == 4) return shortTails<4>(in, count);
  if (size <= 6) return shortTails<6>(in, count);
  if (size <= 9) return shortTails<9>(in, count);
  return shortTails<kShortTail>(in, count);
}

std::int32_t keyOfRank(const std::int32_t* keys, std::size_t count, std::size_t rank) {
  return RankedKeys({keys, count}).ofRank(rank);
}

// Moves the keys above `bound` to the front, and counts them.
std::size_t keepAbove(std::int32_t* keys, std::size_t count, std::int32_t bound) {
  const IntTag d;
  const IntVector bounds = hn::Set(d, bound);
  std::size_t kept = 0;
  std::size_t i = 0;
  // Stores never go beyond the elements that were read.
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const IntVector vector = hn::LoadU(d, keys + i);
    storeSome(vector, hn::Gt(vector, bounds), keys, kept);
  }
  for (; i < count; ++i) {
    keys[kept] = keys[i];
    kept += keys[i] > bound ? 1 : 0;
  }
  return kept;
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(collect);
HWY_EXPORT(splitSides);
HWY_EXPORT(shortTailsOf);
HWY_EXPORT(keyOfRank);
HWY_EXPORT(keepAbove);

using Keys = std::vector<std::int32_t>;

// Elements that the bounds are guessed from: 1 in 16, but no fewer and no more than this.
constexpr std::size_t kFewestProbes = 128;
constexpr std::size_t kMaxProbes = 1024;
// Bounds the 32-bit counters.
constexpr std::size_t kMaxElements = std::size_t{1} << 30;

bool isFiniteKey(std::int32_t key) {
  return key <= MinMaxKeys::kHighest && key >= MinMaxKeys::kLowest;
}

std::int32_t keyOf(float value) {
  const std::int32_t key = MinMaxKeys::of(value);
  return key == MinMaxKeys::of(-0.0F) ? 0 : key;
}

float toFloat(std::int32_t key) {
  return std::bit_cast<float>(key ^ ((key >> 31) & 0x7FFFFFFF));
}

/// The tail of one side, given keys of which the largest count.
class Tail {
 public:
  Tail(std::span<float> out, bool mirror) : m_out(out), m_mirror(mirror) {}

  std::size_t size() const { return m_out.size(); }

  /// The `size()` largest keys; at least one. Reorders them.
  void takeLargest(std::span<std::int32_t> keys) {
    if (size() < keys.size()) {
      const std::int32_t smallest =
          HWY_DYNAMIC_DISPATCH(keyOfRank)(keys.data(), keys.size(), size() - 1);
      const std::size_t larger =
          HWY_DYNAMIC_DISPATCH(keepAbove)(keys.data(), keys.size(), smallest);
      takeAllAnd(keys.first(larger), smallest);
      return;
    }
    if (!keys.empty()) std::iter_swap(std::ranges::min_element(keys), keys.end() - 1);
    write(keys, 0, 0);
  }

  /// All of `keys`, which are larger than `bound`, and for the rest `bound` itself.
  void takeAllAnd(std::span<const std::int32_t> keys, std::int32_t bound) {
    write(keys, size() - keys.size(), bound);
  }

 private:
  // The smallest of all goes to the front: a missing one, the filling, or the last of the keys.
  void write(std::span<const std::int32_t> keys, std::size_t filling, std::int32_t fillingKey) {
    const std::size_t missing = size() - keys.size() - filling;
    const float infinity = std::numeric_limits<float>::infinity();
    std::size_t i = 0;
    for (; i < missing; ++i) m_out[i] = m_mirror ? infinity : -infinity;
    for (; i < missing + filling; ++i) m_out[i] = element(fillingKey);
    for (std::size_t k = keys.size(); k > 0; --k) m_out[i++] = element(keys[k - 1]);
  }

  float element(std::int32_t key) const { return toFloat(m_mirror ? mirrored(key) : key); }

  std::span<float> m_out;
  bool m_mirror;
};

void selectShort(std::span<const float> in, Tail upper, Tail lower) {
  ShortTails tails = HWY_DYNAMIC_DISPATCH(shortTailsOf)(in.data(), in.size(), upper.size());
  const auto take = [](Tail& tail, std::array<std::int32_t, kShortTail>& keys) {
    const auto end = std::find(keys.begin(), keys.end(), kNoKey);
    const auto found = static_cast<std::size_t>(end - keys.begin());
    tail.takeLargest(std::span(keys).first(std::min(found, tail.size())));
  };
  take(upper, tails.upper);
  take(lower, tails.lower);
}

// Where the tail most likely begins: the probe that ranks as high among the probes as the tail's
// end among all, and 3 standard deviations of that rank further in.
std::int32_t guessBound(const Keys& probes, std::size_t tail, std::size_t elements) {
  const double rank = static_cast<double>(tail) * static_cast<double>(probes.size()) /
                      static_cast<double>(elements);
  const auto index = static_cast<std::size_t>(rank + 3 * std::sqrt(rank) + 2);
  if (index >= probes.size()) return *std::min_element(probes.begin(), probes.end());
  return HWY_DYNAMIC_DISPATCH(keyOfRank)(probes.data(), probes.size(), index);
}

Outside guessBounds(std::span<const float> in, std::size_t upper, std::size_t lower, Keys& probes) {
  const std::size_t count = std::clamp(in.size() / 16, kFewestProbes, kMaxProbes);
  const std::size_t step = std::max<std::size_t>(1, in.size() / count);
  probes.resize(count + 1);
  std::size_t finite = 0;
  for (std::size_t i = 0, at = 0; i < count && at < in.size(); ++i, at += step) {
    probes[finite] = keyOf(in[at]);
    finite += isFiniteKey(probes[finite]) ? 1 : 0;
  }
  if (finite == 0) probes[finite++] = 0;
  probes.resize(finite);
  Outside bounds;
  bounds.upperBound = guessBound(probes, upper, in.size());
  std::transform(probes.begin(), probes.end(), probes.begin(), mirrored);
  bounds.lowerBound = mirrored(guessBound(probes, lower, in.size()));
  return bounds;
}

// False where the guess was not far enough.
bool takeCollected(Tail tail, std::span<std::int32_t> collected, std::size_t atBound,
                   std::int32_t bound) {
  if (collected.size() >= tail.size()) {
    tail.takeLargest(collected);
    return true;
  }
  if (collected.size() + atBound < tail.size()) return false;
  tail.takeAllAnd(collected, bound);
  return true;
}

void takeFromAll(std::span<const float> in, Tail tail, bool mirror, Keys& keys) {
  keys.clear();
  for (const float x : in) {
    const std::int32_t key = keyOf(x);
    if (isFiniteKey(key)) keys.push_back(mirror ? mirrored(key) : key);
  }
  tail.takeLargest(keys);
}

}  // namespace

void TailSelection::select(std::span<const float> in, std::span<float> upper,
                           std::span<float> lower) {
  requireSameLength(upper.size(), lower.size());
  if (upper.empty()) return;
  Tail upperTail(upper, false);
  Tail lowerTail(lower, true);
  if (in.empty()) {
    upperTail.takeLargest({});
    lowerTail.takeLargest({});
    return;
  }
  if (upper.size() <= kShortTail) {
    selectShort(in, upperTail, lowerTail);
    return;
  }
  Outside outside = guessBounds(in, upper.size(), lower.size(), m_below);
  if (m_keys.size() < in.size() + kSlack) m_keys.resize(in.size() + kSlack);
  for (std::size_t first = 0; first < in.size(); first += kMaxElements) {
    HWY_DYNAMIC_DISPATCH(collect)
    (in.data() + first, std::min(kMaxElements, in.size() - first), m_keys.data(), outside);
  }
  m_below.resize(outside.collected);
  const Sides sides = HWY_DYNAMIC_DISPATCH(splitSides)(m_keys.data(), m_below.data(), outside);
  const std::span above = std::span(m_keys).first(sides.above);
  const std::span below = std::span(m_below).first(sides.below);
  if (!takeCollected(upperTail, above, outside.atUpper, outside.upperBound)) {
    takeFromAll(in, upperTail, false, m_keys);
  }
  if (!takeCollected(lowerTail, below, outside.atLower, mirrored(outside.lowerBound))) {
    takeFromAll(in, lowerTail, true, m_below);
  }
}

}  // namespace quantscope
#endif
