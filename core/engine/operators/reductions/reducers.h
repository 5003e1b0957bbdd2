#pragma once

// The operations of the reductions. A reducer has, for elements of type T: an accumulator, its
// start, how an element enters it, how two of them merge, and how the result comes out of it. Sums
// of floats are kept in double, sums of integers wrap around. InColumns is the reducer for a block
// of rows of columns that are added up row by row.

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
template <class T, class Sum = SumOf<T>>
struct Summing {
  using Accumulator = Sum;
  static Accumulator start() { return 0; }
  static Accumulator merge(Accumulator a, Accumulator b) { return a + b; }
  static T finish(Accumulator sum, std::int64_t /*count*/) { return static_cast<T>(sum); }
};

/// ONNX Runtime adds the rows of a float32 tensor up in float32. Networks that take a variance as
/// E[x²] − E[x]² amplify that rounding, so a sum in double would show values that the network
/// never has where it is deployed.
template <class T>
using ColumnSumOf = std::conditional_t<std::is_same_v<T, float>, float, SumOf<T>>;

template <class T, class Sum = SumOf<T>>
struct SumReducer : Summing<T, Sum> {
  using InColumns = SumReducer<T, ColumnSumOf<T>>;
  static Sum add(Sum sum, T x) { return sum + static_cast<Sum>(x); }
};

template <class T, class Sum = SumOf<T>>
struct MeanReducer : SumReducer<T, Sum> {
  using InColumns = MeanReducer<T, ColumnSumOf<T>>;
  static T finish(Sum sum, std::int64_t count) {
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
  using InColumns = SumSquareReducer;
  static SumOf<T> add(SumOf<T> sum, T x) {
    const auto value = static_cast<SumOf<T>>(x);
    return sum + value * value;
  }
};

template <class T>
struct L1Reducer : Summing<T> {
  using InColumns = L1Reducer;
  static SumOf<T> add(SumOf<T> sum, T x) {
    if constexpr (std::is_floating_point_v<T>) return sum + std::abs(static_cast<double>(x));
    const auto value = static_cast<SumOf<T>>(x);
    return x < 0 ? sum - value : sum + value;
  }
};

template <class T>
struct L2Reducer : SumSquareReducer<T> {
  using InColumns = L2Reducer;
  static T finish(SumOf<T> sum, std::int64_t /*count*/) {
    return converted<T>(std::sqrt(static_cast<double>(sum)));
  }
};

template <class T>
struct LogSumReducer : SumReducer<T> {
  using InColumns = LogSumReducer;
  static T finish(SumOf<T> sum, std::int64_t /*count*/) {
    return converted<T>(std::log(static_cast<double>(sum)));
  }
};

template <class T>
struct ProdReducer {
  using InColumns = ProdReducer;
  using Accumulator = SumOf<T>;
  static Accumulator start() { return 1; }
  static Accumulator add(Accumulator product, T x) { return product * static_cast<Accumulator>(x); }
  static Accumulator merge(Accumulator a, Accumulator b) { return a * b; }
  static T finish(Accumulator product, std::int64_t /*count*/) { return static_cast<T>(product); }
};

/// The largest; NaN where any element is. Nothing at all has −∞ or the smallest number.
template <class T>
struct MaxReducer {
  using InColumns = MaxReducer;
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
  using InColumns = MinReducer;
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
