#include "kernels/network/softmax.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/network/softmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/float_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

constexpr std::size_t kLanes = hn::MaxLanes(Tag());
constexpr std::size_t kVectors = kSoftmaxSums / kLanes;
static_assert(kVectors * kLanes == kSoftmaxSums);

// Calls visit(vector, index of the vector within a block of kSoftmaxSums, start, length) for the
// whole row; the last one is filled up with `filler`.
template <class Visit>
HWY_INLINE void forEachVector(const float* x, std::size_t count, float filler, const Visit& visit) {
  const Tag d;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    visit(hn::LoadU(d, x + i), i / kLanes % kVectors, i, kLanes);
  }
  if (i == count) return;
  HWY_ALIGN float tail[kLanes];
  for (std::size_t k = 0; k < kLanes; ++k) tail[k] = i + k < count ? x[i + k] : filler;
  visit(hn::Load(d, tail), i / kLanes % kVectors, i, count - i);
}

HWY_INLINE void storeSome(Vec values, std::size_t count, float* y) {
  const Tag d;
  if (count == kLanes) {
    hn::StoreU(values, d, y);
    return;
  }
  HWY_ALIGN float some[kLanes];
  hn::Store(values, d, some);
  for (std::size_t k = 0; k < count; ++k) y[k] = some[k];
}

HWY_INLINE float largestOf(const float* x, std::size_t count) {
  constexpr float kNothing = -std::numeric_limits<float>::infinity();
  Vec largest = constant(kNothing);
  forEachVector(x, count, kNothing, [&](Vec values, std::size_t, std::size_t, std::size_t) {
    largest = hn::IfThenElse(hn::Gt(values, largest), values, largest);
  });
  HWY_ALIGN float lanes[kLanes];
  hn::Store(largest, Tag(), lanes);
  float result = lanes[0];
  for (const float lane : lanes) result = lane > result ? lane : result;
  return result;
}

HWY_INLINE float inTurn(const Vec (&sums)[kVectors]) {
  HWY_ALIGN float lanes[kSoftmaxSums];
  for (std::size_t v = 0; v < kVectors; ++v) hn::Store(sums[v], Tag(), lanes + v * kLanes);
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

void softmaxRow(const float* x, std::size_t count, float* y) {
  const Vec largest = constant(largestOf(x, count));
  Vec sums[kVectors];
  for (Vec& sum : sums) sum = hn::Zero(Tag());
  forEachVector(x, count, -std::numeric_limits<float>::infinity(),
                [&](Vec values, std::size_t vector, std::size_t start, std::size_t length) {
                  const Vec exponent = hn::Sub(values, largest);
                  const Vec power = keepNan(exponent, expOfNumber(exponent));
                  sums[vector] = hn::Add(sums[vector], power);
                  storeSome(power, length, y + start);
                });
  const Vec factor = constant(1.0F / inTurn(sums));
  map(y, y, count, [factor](Vec power) { return withoutDenormals(hn::Mul(power, factor)); });
}

// Rows so short that each element has a sum of its own, which makes it a plain sum: as many rows as
// a vector has lanes at once.
void shortRows(const float* x, std::size_t rows, std::size_t columns, float* y) {
  const Tag d;
  HWY_ALIGN float block[kSoftmaxSums * kLanes] = {};
  for (std::size_t first = 0; first < rows; first += kLanes) {
    const std::size_t count = rows - first < kLanes ? rows - first : kLanes;
    const auto forEachElement = [&](const auto& visit) {
      for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t c = 0; c < columns; ++c) {
          visit((first + row) * columns + c, block[c * kLanes + row]);
        }
      }
    };
    forEachElement([x](std::size_t i, float& element) { element = x[i]; });
    Vec largest = constant(-std::numeric_limits<float>::infinity());
    for (std::size_t c = 0; c < columns; ++c) {
      const Vec values = hn::Load(d, block + c * kLanes);
      largest = hn::IfThenElse(hn::Gt(values, largest), values, largest);
    }
    Vec sum = hn::Zero(d);
    for (std::size_t c = 0; c < columns; ++c) {
      const Vec exponent = hn::Sub(hn::Load(d, block + c * kLanes), largest);
      const Vec power = keepNan(exponent, expOfNumber(exponent));
      hn::Store(power, d, block + c * kLanes);
      sum = hn::Add(sum, power);
    }
    const Vec factor = hn::Div(constant(1), sum);
    for (std::size_t c = 0; c < columns; ++c) {
      const Vec power = hn::Load(d, block + c * kLanes);
      hn::Store(withoutDenormals(hn::Mul(power, factor)), d, block + c * kLanes);
    }
    forEachElement([y](std::size_t i, float element) { y[i] = element; });
  }
}

void softmax(const float* x, std::size_t rows, std::size_t columns, float* y) {
  if (columns <= kSoftmaxSums) return shortRows(x, rows, columns, y);
  for (std::size_t row = 0; row < rows; ++row) {
    softmaxRow(x + row * columns, columns, y + row * columns);
  }
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(softmax);

}  // namespace

void softmaxRows(const float* x, std::size_t rows, std::size_t columns, float* y) {
  HWY_DYNAMIC_DISPATCH(softmax)(x, rows, columns, y);
}

}  // namespace quantscope
#endif
