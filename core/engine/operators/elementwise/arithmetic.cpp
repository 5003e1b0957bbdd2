#include <type_traits>

#include "engine/operators/elementwise/binary_loops.h"
#include "engine/operators/elementwise/elementwise.h"
#include "engine/operators/elementwise/integer_division.h"

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
  static constexpr auto kFromFirst = BinaryElement::Add;
  static constexpr auto kFromSecond = BinaryElement::Add;
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(wrap(a) + wrap(b));
    else
      return a + b;
  }
};

struct Subtraction {
  static constexpr auto kFromFirst = BinaryElement::Subtract;
  static constexpr auto kFromSecond = BinaryElement::SubtractFrom;
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(wrap(a) - wrap(b));
    else
      return a - b;
  }
};

struct Multiplication {
  static constexpr auto kFromFirst = BinaryElement::Multiply;
  static constexpr auto kFromSecond = BinaryElement::Multiply;
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(wrap(a) * wrap(b));
    else
      return a * b;
  }
};

struct Division {
  static constexpr auto kFromFirst = BinaryElement::Divide;
  static constexpr auto kFromSecond = BinaryElement::DivideInto;
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
