#include <type_traits>

#include "engine/operators/binary_loops.h"
#include "engine/operators/elementwise.h"
#include "engine/operators/integer_division.h"

namespace quantscope {
namespace {

// Unsigned twins wrap around where signed arithmetic would be undefined, with the same bits; at
// least as wide as int, since uint16 · uint16 would be promoted to a signed int.
template <class T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

template <class T>
constexpr Wrapping<T> wrap(T value) {
  return static_cast<Wrapping<T>>(value);
}

struct Addition {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(wrap(a) + wrap(b));
    else
      return a + b;
  }
};

struct Subtraction {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(wrap(a) - wrap(b));
    else
      return a - b;
  }
};

struct Multiplication {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(wrap(a) * wrap(b));
    else
      return a * b;
  }
};

struct Division {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return truncatedQuotient(a, b);
    else
      return a / b;
  }
};

}  // namespace

void registerArithmetic(OperatorRegistry& registry) {
  registry.add("Add", {1, 6, 7, 13, 14}, binary<NumberTypes, Addition>);
  registry.add("Sub", {1, 6, 7, 13, 14}, binary<NumberTypes, Subtraction>);
  registry.add("Mul", {1, 6, 7, 13, 14}, binary<NumberTypes, Multiplication>);
  registry.add("Div", {1, 6, 7, 13, 14}, binary<NumberTypes, Division>);
}

}  // namespace quantscope
