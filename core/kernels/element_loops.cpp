#include "kernels/element_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/element_loops.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/float_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

// Comparisons and choices instead of minimum and maximum: those differ between targets for NaN and
// for zeros with different signs.
HWY_INLINE Vec atLeast(Vec x, Vec low) {
  return hn::IfThenElse(hn::Lt(x, low), low, x);
}
HWY_INLINE Vec atMost(Vec x, Vec high) {
  return hn::IfThenElse(hn::Gt(x, high), high, x);
}
HWY_INLINE Vec withinUnit(Vec x) {
  return atMost(atLeast(x, hn::Zero(Tag())), constant(1));
}
HWY_INLINE Vec sloped(Vec x, Vec slope) {
  return hn::IfThenElse(hn::Lt(x, hn::Zero(Tag())), hn::Mul(slope, x), x);
}

// Calls visit(f) with the operation as a function of a vector.
template <class Visit>
void visitUnary(const UnaryElement& element, const Visit& visit) {
  const Vec a = constant(element.a);
  const Vec b = constant(element.b);
  switch (element.operation) {
    case UnaryElement::Operation::Identity:
      return visit([](Vec v) { return v; });
    case UnaryElement::Operation::Relu:
      return visit([](Vec v) { return hn::IfThenZeroElse(hn::Lt(v, hn::Zero(Tag())), v); });
    case UnaryElement::Operation::LeakyRelu:
      return visit([a](Vec v) { return sloped(v, a); });
    case UnaryElement::Operation::Clamp:
      return visit([a, b](Vec v) { return atMost(atLeast(v, a), b); });
    case UnaryElement::Operation::HardSigmoid:
      return visit([a, b](Vec v) { return withinUnit(hn::Add(hn::Mul(a, v), b)); });
    case UnaryElement::Operation::HardSwish:
      return visit([](Vec v) {
        return hn::Mul(v, withinUnit(hn::Add(hn::Mul(v, constant(1.0F / 6)), constant(0.5F))));
      });
    case UnaryElement::Operation::Absolute:
      return visit([](Vec v) { return hn::Abs(v); });
    case UnaryElement::Operation::Negate:
      return visit([](Vec v) { return hn::Neg(v); });
    case UnaryElement::Operation::SquareRoot:
      return visit([](Vec v) { return hn::Sqrt(v); });
    case UnaryElement::Operation::Square:
      return visit([](Vec v) { return hn::Mul(v, v); });
  }
}

void unaryLoop(const UnaryElement& element, const float* x, float* y, std::size_t count) {
  visitUnary(element, [&](const auto& function) { map(x, y, count, function); });
}

template <class Function>
void mapPairs(const float* x, const float* p, float* y, std::size_t count,
              const Function& function) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(function(hn::LoadU(d, x + i), hn::LoadU(d, p + i)), d, y + i);
  }
  if (i == count) return;
  HWY_ALIGN float left[hn::MaxLanes(d)] = {};
  HWY_ALIGN float right[hn::MaxLanes(d)] = {};
  for (std::size_t k = 0; i + k < count; ++k) {
    left[k] = x[i + k];
    right[k] = p[i + k];
  }
  hn::Store(function(hn::Load(d, left), hn::Load(d, right)), d, left);
  for (std::size_t k = 0; i + k < count; ++k) y[i + k] = left[k];
}

void sumLoop(const UnaryElement& after, const float* x, const float* p, float* y,
             std::size_t count) {
  visitUnary(after, [&](const auto& function) {
    mapPairs(x, p, y, count, [&](Vec v, Vec w) { return function(hn::Add(v, w)); });
  });
}

template <class Function>
void mapScaled(const float* x, const float* scale, const float* shift, float* y, std::size_t count,
               const Function& function) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Vec product = hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, scale + i));
    hn::StoreU(function(hn::Add(product, hn::LoadU(d, shift + i))), d, y + i);
  }
  if (i == count) return;
  HWY_ALIGN float rest[3][hn::MaxLanes(d)] = {};
  for (std::size_t k = 0; i + k < count; ++k) {
    rest[0][k] = x[i + k];
    rest[1][k] = scale[i + k];
    rest[2][k] = shift[i + k];
  }
  const Vec product = hn::Mul(hn::Load(d, rest[0]), hn::Load(d, rest[1]));
  hn::Store(function(hn::Add(product, hn::Load(d, rest[2]))), d, rest[0]);
  for (std::size_t k = 0; i + k < count; ++k) y[i + k] = rest[0][k];
}

void scaleShiftLoop(const UnaryElement& after, const float* x, const float* scale,
                    const float* shift, float* y, std::size_t count) {
  visitUnary(after, [&](const auto& function) { mapScaled(x, scale, shift, y, count, function); });
}

template <class Function>
void mapOperand(const float* x, const float* p, bool single, float* y, std::size_t count,
                const Function& function) {
  if (!single) return mapPairs(x, p, y, count, function);
  const Vec value = constant(*p);
  map(x, y, count, [&](Vec v) { return function(v, value); });
}

void binaryLoop(BinaryElement element, const float* x, const float* p, bool single, float* y,
                std::size_t count) {
  switch (element) {
    case BinaryElement::Add:
      return mapOperand(x, p, single, y, count, [](Vec v, Vec w) { return hn::Add(v, w); });
    case BinaryElement::Subtract:
      return mapOperand(x, p, single, y, count, [](Vec v, Vec w) { return hn::Sub(v, w); });
    case BinaryElement::SubtractFrom:
      return mapOperand(x, p, single, y, count, [](Vec v, Vec w) { return hn::Sub(w, v); });
    case BinaryElement::Multiply:
      return mapOperand(x, p, single, y, count, [](Vec v, Vec w) { return hn::Mul(v, w); });
    case BinaryElement::Divide:
      return mapOperand(x, p, single, y, count, [](Vec v, Vec w) { return hn::Div(v, w); });
    case BinaryElement::DivideInto:
      return mapOperand(x, p, single, y, count, [](Vec v, Vec w) { return hn::Div(w, v); });
    case BinaryElement::Slope:
      return mapOperand(x, p, single, y, count, [](Vec v, Vec w) { return sloped(v, w); });
  }
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(unaryLoop);
HWY_EXPORT(binaryLoop);
HWY_EXPORT(sumLoop);
HWY_EXPORT(scaleShiftLoop);

}  // namespace

void applyUnary(const UnaryElement& element, std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(unaryLoop)(element, x.data(), y.data(), x.size());
}

void applyBinary(BinaryElement element, std::span<const float> x, std::span<const float> p,
                 std::span<float> y) {
  const bool single = p.size() == 1 && x.size() > 1;
  HWY_DYNAMIC_DISPATCH(binaryLoop)(element, x.data(), p.data(), single, y.data(), x.size());
}

void applySum(std::span<const float> x, std::span<const float> p, const UnaryElement& after,
              std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(sumLoop)(after, x.data(), p.data(), y.data(), x.size());
}

void applyScaleShift(std::span<const float> x, std::span<const float> scale,
                     std::span<const float> shift, const UnaryElement& after, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(scaleShiftLoop)
  (after, x.data(), scale.data(), shift.data(), y.data(), x.size());
}

}  // namespace quantscope
#endif
