#pragma once

// What the reductions sum up. A reducer has, for elements of type T: an accumulator, its start, how
// an element enters it, how two of them merge, and how the result comes out of it. Sums of floats
// are kept in double, sums of integers wrap around.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/error.h"
#include "engine/operators/convert.h"

namespace quantscope {

template <class T>
using SumOf = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;

/// Σ value(x), finished by the derived reducer.
template <class T>
struct Summing {
  using Accumulator = SumOf<T>;
  static Accumulator start() { return 0; }
  static Accumulator merge(Accumulator a, Accumulator b) { return a + b; }
  static T finish(Accumulator sum, std::int64_t /*count*/) { return static_cast<T>(sum); }
};

template <class T>
struct SumReducer : Summing<T> {
  static SumOf<T> add(SumOf<T> sum, T x) { return sum + static_cast<SumOf<T>>(x); }
};

template <class T>
struct MeanReducer : SumReducer<T> {
  static T finish(SumOf<T> sum, std::int64_t count) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(sum / static_cast<double>(count));
    } else {
      if (count == 0) throw Error(ErrorCode::InvalidData, "there is no mean of no integers");
      if constexpr (std::is_unsigned_v<T>) {
        return static_cast<T>(sum / static_cast<std::uint64_t>(count));
      } else {
        return static_cast<T>(static_cast<std::int64_t>(sum) / count);
      }
    }
  }
};

template <class T>
struct SumSquareReducer : Summing<T> {
  static SumOf<T> add(SumOf<T> sum, T x) {
    const auto value = static_cast<SumOf<T>>(x);
    return sum + value * value;
  }
};

template <class T>
struct L1Reducer : Summing<T> {
  static SumOf<T> add(SumOf<T> sum, T x) {
    if constexpr (std::is_floating_point_v<T>) return sum + std::abs(static_cast<double>(x));
    const auto value = static_cast<SumOf<T>>(x);
    return x < 0 ? sum - value : sum + value;
  }
};

template <class T>
struct L2Reducer : SumSquareReducer<T> {
  static T finish(SumOf<T> sum, std::int64_t /*count*/) {
    return converted<T>(std::sqrt(static_cast<double>(sum)));
  }
};

template <class T>
struct LogSumReducer : SumReducer<T> {
  static T finish(SumOf<T> sum, std::int64_t /*count*/) {
    return converted<T>(std::log(static_cast<double>(sum)));
  }
};

template <class T>
struct ProdReducer {
  using Accumulator = SumOf<T>;
  static Accumulator start() { return 1; }
  static Accumulator add(Accumulator product, T x) { return product * static_cast<Accumulator>(x); }
  static Accumulator merge(Accumulator a, Accumulator b) { return a * b; }
  static T finish(Accumulator product, std::int64_t /*count*/) { return static_cast<T>(product); }
};

/// The largest; NaN where any element is. Nothing at all has −∞ or the smallest number.
template <class T>
struct MaxReducer {
  using Accumulator = T;
  static T start() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  static T add(T best, T x) { return best > x || best != best ? best : x; }
  static T merge(T a, T b) { return add(a, b); }
  static T finish(T best, std::int64_t /*count*/) { return best; }
};

/// The smallest; NaN where any element is. Nothing at all has +∞ or the largest number.
template <class T>
struct MinReducer {
  using Accumulator = T;
  static T start() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  static T add(T best, T x) { return best < x || best != best ? best : x; }
  static T merge(T a, T b) { return add(a, b); }
  static T finish(T best, std::int64_t /*count*/) { return best; }
};

}  // namespace quantscope
