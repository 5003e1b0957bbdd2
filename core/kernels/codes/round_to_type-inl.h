// Compiled once for each of Highway's targets; included by kernels after hwy/highway.h.
//
// How a vector of numbers is rounded to each kind of type. All kinds are called alike, so that
// every granularity is one loop: real = Rounding()(x, scale, low, high), see GridLimits; where not
// kHasCodeLimits, `low` is the threshold or nothing.
#if defined(QUANTSCOPE_KERNELS_ROUND_TO_TYPE) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTSCOPE_KERNELS_ROUND_TO_TYPE
#undef QUANTSCOPE_KERNELS_ROUND_TO_TYPE
#else
#define QUANTSCOPE_KERNELS_ROUND_TO_TYPE
#endif

#include <array>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/codes/divide_by_scale-inl.h"
#include "kernels/codes/grid_table.h"
#include "kernels/codes/scalar_float8.h"
#include "quant/quant_type.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;
using IntTag = hn::RebindToSigned<FloatTag>;
using IntVector = hn::Vec<IntTag>;

constexpr std::int32_t kMagnitudeBits = 0x7FFFFFFF;
constexpr std::int32_t kExponentBits = 0x7F800000;
constexpr std::int32_t kSignBit = -0x7FFFFFFF - 1;

// Where no scale is tiny, the quotient of a denormal is so small that it rounds to 0 whether or not
// the floating-point unit takes it for 0, and a plain division does.
template <Scales scales>
FloatVector quotient(FloatVector x, FloatVector scale) {
  if constexpr (scales == Scales::NotTiny) {
    return hn::Div(x, scale);
  } else {
    return divideByScale(x, scale);
  }
}

template <Scales scales>
struct IntegerRounding {
  static constexpr bool kHasCodeLimits = true;

  FloatVector operator()(FloatVector x, FloatVector scale, FloatVector low,
                         FloatVector high) const {
    const FloatTag d;
    const FloatVector steps = hn::Round(quotient<scales>(x, scale));
    const FloatVector clamped = hn::Min(hn::Max(steps, low), high);
    // Codes are integers and know no −0; −0 + 0 = 0.
    const FloatVector real = hn::Mul(hn::Add(clamped, hn::Zero(d)), scale);
    return hn::IfThenElse(hn::IsNaN(x), x, real);
  }
};

// A magnitude up to 2^(127 − 23 + mantissaBits) to the nearest number with so many bits after the
// leading one, or to the nearest multiple of the smallest subnormal 2^(minExponent − mantissaBits).
// Adding and subtracting the power of two whose unit in the last place is the wanted step leaves
// the rounding to the unit, which rounds to nearest even.
template <int mantissaBits, int minExponent>
FloatVector roundMagnitude(FloatVector magnitude) {
  const FloatTag d;
  const IntTag di;
  const IntVector exponent = hn::And(hn::BitCast(di, magnitude), hn::Set(di, kExponentBits));
  const IntVector atLeast = hn::Max(exponent, hn::Set(di, (minExponent + 127) << 23));
  const IntVector shifted = hn::Add(atLeast, hn::Set(di, (23 - mantissaBits) << 23));
  const FloatVector power = hn::BitCast(d, shifted);
  return hn::Sub(hn::Add(magnitude, power), power);
}

template <QuantType type, Scales kind = Scales::Any>
struct Float8Rounding {
  static constexpr bool kHasCodeLimits = false;
  static constexpr bool kIsE4M3 = type == QuantType::Float8E4M3;
  static constexpr int kMantissaBits = kIsE4M3 ? 3 : 2;
  static constexpr int kMinExponent = kIsE4M3 ? -6 : -14;
  static constexpr float kLargest = kIsE4M3 ? 448 : 57344;

  FloatVector operator()(FloatVector x, FloatVector scale, FloatVector /*low*/,
                         FloatVector /*high*/) const {
    const FloatTag d;
    if constexpr (kind == Scales::Any) {
      if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Lt(scale, hn::Set(d, kTinyScale))))) {
        return roundOneByOne(x, scale);
      }
    }
    const FloatVector magnitude = hn::Min(hn::Abs(hn::Div(x, scale)), hn::Set(d, kLargest));
    const FloatVector rounded = roundMagnitude<kMantissaBits, kMinExponent>(magnitude);
    return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(hn::Mul(rounded, scale), x));
  }

  static HWY_NOINLINE FloatVector roundOneByOne(FloatVector x, FloatVector scale) {
    const FloatTag d;
    HWY_ALIGN std::array<float, hn::MaxLanes(d)> numbers;
    HWY_ALIGN std::array<float, hn::MaxLanes(d)> scales;
    hn::Store(x, d, numbers.data());
    hn::Store(scale, d, scales.data());
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      numbers[i] = roundToFloat8(numbers[i], scales[i], kMantissaBits, kMinExponent, kLargest);
    }
    return hn::Load(d, numbers.data());
  }
};

struct Float16Rounding {
  static constexpr bool kHasCodeLimits = false;

  FloatVector operator()(FloatVector x, FloatVector /*scale*/, FloatVector /*low*/,
                         FloatVector /*high*/) const {
    const FloatTag d;
    // 65520 is the first that rounds up to 2^16, which is beyond the type.
    const FloatVector magnitude = hn::Min(hn::Abs(x), hn::Set(d, 65536.0F));
    const FloatVector rounded = roundMagnitude<10, -14>(magnitude);
    const FloatVector finite =
        hn::IfThenElse(hn::Gt(rounded, hn::Set(d, 65504.0F)), hn::Inf(d), rounded);
    return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(finite, x));
  }
};

// BF16 shares the exponents of float: its numbers, denormals too, are the upper halves. A carry out
// of the significand goes to the next exponent, and from the last one to infinity.
struct BFloat16Rounding {
  static constexpr bool kHasCodeLimits = false;

  FloatVector operator()(FloatVector x, FloatVector /*scale*/, FloatVector /*low*/,
                         FloatVector /*high*/) const {
    const FloatTag d;
    const IntTag di;
    const IntVector bits = hn::BitCast(di, x);
    const IntVector odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 1));
    const IntVector rounded = hn::Add(bits, hn::Add(odd, hn::Set(di, 0x7FFF)));
    const IntVector upper = hn::And(rounded, hn::Set(di, -0x10000));
    return hn::IfThenElse(hn::IsNaN(x), x, hn::BitCast(d, upper));
  }
};

// Magnitudes compare as their bits, whether or not the unit takes denormals for 0.
struct TernaryRounding {
  static constexpr bool kHasCodeLimits = false;

  FloatVector operator()(FloatVector x, FloatVector scale, FloatVector low,
                         FloatVector /*high*/) const {
    const FloatTag d;
    const IntTag di;
    const IntVector bits = hn::BitCast(di, x);
    const IntVector magnitude = hn::And(bits, hn::Set(di, kMagnitudeBits));
    const IntVector sign = hn::And(bits, hn::Set(di, kSignBit));
    const IntVector signedScale = hn::Or(sign, hn::BitCast(di, scale));
    const auto isLarge = hn::Gt(magnitude, hn::BitCast(di, low));
    const FloatVector real = hn::BitCast(d, hn::IfThenElseZero(isLarge, signedScale));
    return hn::IfThenElse(hn::IsNaN(x), x, real);
  }
};

struct BinaryRounding {
  static constexpr bool kHasCodeLimits = false;

  FloatVector operator()(FloatVector x, FloatVector scale, FloatVector /*low*/,
                         FloatVector /*high*/) const {
    const FloatTag d;
    const IntTag di;
    const IntVector bits = hn::BitCast(di, x);
    // −0 is the lowest of all integers.
    const IntVector sign = hn::And(bits, hn::Set(di, kSignBit));
    const auto isMinusZero = hn::Eq(bits, hn::Set(di, kSignBit));
    const IntVector signOfCode = hn::IfThenZeroElse(isMinusZero, sign);
    const FloatVector real = hn::BitCast(d, hn::Or(signOfCode, hn::BitCast(di, scale)));
    return hn::IfThenElse(hn::IsNaN(x), x, real);
  }
};

// Calls function(rounding) with what rounds to `type` by a scale.
template <Scales scales, class Function>
void withScaledRounding(QuantType type, const Function& function) {
  switch (type) {
    case QuantType::Float8E4M3:
      return function(Float8Rounding<QuantType::Float8E4M3, scales>());
    case QuantType::Float8E5M2:
      return function(Float8Rounding<QuantType::Float8E5M2, scales>());
    default:
      return function(IntegerRounding<scales>());
  }
}

// The same for any type.
template <class Function>
void withRounding(QuantType type, Scales scales, const Function& function) {
  switch (type) {
    case QuantType::Float32:
      break;
    case QuantType::Float16:
      return function(Float16Rounding());
    case QuantType::BFloat16:
      return function(BFloat16Rounding());
    case QuantType::Ternary:
      return function(TernaryRounding());
    case QuantType::Binary:
      return function(BinaryRounding());
    default:
      return scales == Scales::NotTiny ? withScaledRounding<Scales::NotTiny>(type, function)
                                       : withScaledRounding<Scales::Any>(type, function);
  }
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
