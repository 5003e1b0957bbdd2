#include <cmath>
#include <type_traits>

#include "engine/operators/elementwise/elementwise.h"
#include "engine/operators/elementwise/unary_loops.h"

namespace quantscope {
namespace {

struct Negation {
  template <class T>
  T operator()(T x) const {
    // The smallest integer wraps around to itself.
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(0 - std::make_unsigned_t<T>(x));
    else
      return -x;
  }
  UnaryElement element() const { return {UnaryElement::Operation::Negate}; }
};

struct Magnitude {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::abs(x);
    else
      return x < 0 ? Negation{}(x) : x;
  }
  UnaryElement element() const { return {UnaryElement::Operation::Absolute}; }
};

struct Signum {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return x;
    }
    return static_cast<T>((x > 0) - (x < 0));
  }
};

struct Inverse {
  template <class T>
  T operator()(T x) const {
    return 1 / x;
  }
};

struct SquareRoot {
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
  UnaryElement element() const { return {UnaryElement::Operation::SquareRoot}; }
};

struct RoundedDown {
  template <class T>
  T operator()(T x) const {
    return std::floor(x);
  }
};

struct RoundedUp {
  template <class T>
  T operator()(T x) const {
    return std::ceil(x);
  }
};

// Ties to even: the rounding mode of every thread is the default one.
struct RoundedToNearest {
  template <class T>
  T operator()(T x) const {
    return std::nearbyint(x);
  }
};

struct NotANumber {
  template <class T>
  bool operator()(T x) const {
    return std::isnan(x);
  }
};

struct Infinite {
  explicit Infinite(const Node& node)
      : negative(node.integer("detect_negative", 1) != 0),
        positive(node.integer("detect_positive", 1) != 0) {}
  template <class T>
  bool operator()(T x) const {
    return std::isinf(x) && (x < 0 ? negative : positive);
  }
  bool negative;
  bool positive;
};

}  // namespace

void registerRounding(OperatorRegistry& registry) {
  registry.add("Neg", {1, 6, 13}, unary<SignedTypes, Negation>);
  registry.add("Abs", {1, 6, 13}, unary<NumberTypes, Magnitude>);
  registry.add("Sign", {9, 13}, unary<NumberTypes, Signum>);
  registry.add("Reciprocal", {1, 6, 13}, unary<FloatTypes, Inverse>);
  registry.add("Sqrt", {1, 6, 13}, unary<FloatTypes, SquareRoot>);
  registry.add("Floor", {1, 6, 13}, unary<FloatTypes, RoundedDown>);
  registry.add("Ceil", {1, 6, 13}, unary<FloatTypes, RoundedUp>);
  registry.add("Round", {11, 22}, unary<FloatTypes, RoundedToNearest>);
  registry.add("IsNaN", {9, 13, 20}, unary<FloatTypes, NotANumber>);
  registry.add("IsInf", {10, 20}, unary<FloatTypes, Infinite>);
}

}  // namespace quantscope
