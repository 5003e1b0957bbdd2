#include <limits>
#include <string>

#include "base/error.h"
#include "engine/operators/elementwise/binary_loops.h"
#include "engine/operators/elementwise/elementwise.h"
#include "engine/operators/elementwise/unary_loops.h"

namespace quantscope {
namespace {

using BoolType = TypeList<bool>;

struct Conjunction {
  bool operator()(bool a, bool b) const { return a && b; }
};
struct Disjunction {
  bool operator()(bool a, bool b) const { return a || b; }
};
struct Exclusion {
  bool operator()(bool a, bool b) const { return a != b; }
};
struct Inversion {
  bool operator()(bool x) const { return !x; }
};

struct BitConjunction {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitDisjunction {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitExclusion {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct BitInversion {
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(~x);
  }
};

// Shifting by the width or more leaves nothing.
struct ShiftLeft {
  template <class T>
  T operator()(T x, T bits) const {
    if (bits >= static_cast<T>(std::numeric_limits<T>::digits)) return 0;
    return static_cast<T>(static_cast<std::uint64_t>(x) << bits);
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T x, T bits) const {
    return bits >= static_cast<T>(std::numeric_limits<T>::digits) ? T{0}
                                                                  : static_cast<T>(x >> bits);
  }
};

std::unique_ptr<Kernel> bitShift(const Node& node, const Graph& graph) {
  const std::string direction = node.text("direction", "");
  if (direction == "LEFT") return binary<UnsignedIntegerTypes, ShiftLeft>(node, graph);
  if (direction == "RIGHT") return binary<UnsignedIntegerTypes, ShiftRight>(node, graph);
  throw Error(ErrorCode::InvalidModel,
              "the direction of a BitShift is LEFT or RIGHT, not '" + direction + "'");
}

}  // namespace

void registerLogic(OperatorRegistry& registry) {
  registry.add("And", {1, 7}, binary<BoolType, Conjunction>);
  registry.add("Or", {1, 7}, binary<BoolType, Disjunction>);
  registry.add("Xor", {1, 7}, binary<BoolType, Exclusion>);
  registry.add("Not", {1}, unary<BoolType, Inversion>);
  registry.add("BitwiseAnd", {18}, binary<IntegerTypes, BitConjunction>);
  registry.add("BitwiseOr", {18}, binary<IntegerTypes, BitDisjunction>);
  registry.add("BitwiseXor", {18}, binary<IntegerTypes, BitExclusion>);
  registry.add("BitwiseNot", {18}, unary<IntegerTypes, BitInversion>);
  registry.add("BitShift", {11}, bitShift);
}

}  // namespace quantscope
