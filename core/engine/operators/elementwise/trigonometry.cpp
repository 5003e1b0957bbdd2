#include <cmath>

#include "engine/operators/elementwise/elementwise.h"
#include "engine/operators/elementwise/unary_loops.h"

namespace quantscope {
namespace {

// One operation per function of <cmath>: overloaded names cannot be template arguments.
struct Sine {
  template <class T>
  T operator()(T x) const {
    return std::sin(x);
  }
};
struct Cosine {
  template <class T>
  T operator()(T x) const {
    return std::cos(x);
  }
};
struct Tangent {
  template <class T>
  T operator()(T x) const {
    return std::tan(x);
  }
};
struct ArcSine {
  template <class T>
  T operator()(T x) const {
    return std::asin(x);
  }
};
struct ArcCosine {
  template <class T>
  T operator()(T x) const {
    return std::acos(x);
  }
};
struct ArcTangent {
  template <class T>
  T operator()(T x) const {
    return std::atan(x);
  }
};
struct HyperbolicSine {
  template <class T>
  T operator()(T x) const {
    return std::sinh(x);
  }
};
struct HyperbolicCosine {
  template <class T>
  T operator()(T x) const {
    return std::cosh(x);
  }
};
struct InverseHyperbolicSine {
  template <class T>
  T operator()(T x) const {
    return std::asinh(x);
  }
};
struct InverseHyperbolicCosine {
  template <class T>
  T operator()(T x) const {
    return std::acosh(x);
  }
};
struct InverseHyperbolicTangent {
  template <class T>
  T operator()(T x) const {
    return std::atanh(x);
  }
};

}  // namespace

void registerTrigonometry(OperatorRegistry& registry) {
  registry.add("Sin", {7, 22}, unary<FloatTypes, Sine>);
  registry.add("Cos", {7, 22}, unary<FloatTypes, Cosine>);
  registry.add("Tan", {7, 22}, unary<FloatTypes, Tangent>);
  registry.add("Asin", {7, 22}, unary<FloatTypes, ArcSine>);
  registry.add("Acos", {7, 22}, unary<FloatTypes, ArcCosine>);
  registry.add("Atan", {7, 22}, unary<FloatTypes, ArcTangent>);
  registry.add("Sinh", {9, 22}, unary<FloatTypes, HyperbolicSine>);
  registry.add("Cosh", {9, 22}, unary<FloatTypes, HyperbolicCosine>);
  registry.add("Asinh", {9, 22}, unary<FloatTypes, InverseHyperbolicSine>);
  registry.add("Acosh", {9, 22}, unary<FloatTypes, InverseHyperbolicCosine>);
  registry.add("Atanh", {9, 22}, unary<FloatTypes, InverseHyperbolicTangent>);
}

}  // namespace quantscope
