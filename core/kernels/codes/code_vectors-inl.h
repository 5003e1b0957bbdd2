// Compiled once for each of Highway's targets; included by kernels after hwy/highway.h.
//
// Codes of each kind of type, one in each lane of 32 bits. All kinds are called alike, as in
// round_to_type-inl.h: encode(x, scale, low, high) and decode(code, scale, low).
#if defined(QUANTSCOPE_KERNELS_CODE_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTSCOPE_KERNELS_CODE_VECTORS
#undef QUANTSCOPE_KERNELS_CODE_VECTORS
#else
#define QUANTSCOPE_KERNELS_CODE_VECTORS
#endif

#include "hwy/highway.h"
#include "kernels/codes/round_to_type-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

IntVector intVector(std::int32_t value) {
  return hn::Set(IntTag(), value);
}

// A code is clamp(rne(x / scale)) + zero point, and the zero point is qmin − low.
class IntegerCodes {
 public:
  IntegerCodes(QuantType type, std::int32_t lowest)
      : m_lowest(lowest),
        m_mask((1 << bitWidth(type)) - 1),
        m_sign(isSigned(type) ? 1 << (bitWidth(type) - 1) : 0) {}

  IntVector encode(FloatVector x, FloatVector scale, FloatVector low, FloatVector high) const {
    const FloatVector steps = hn::Round(divideByScale(x, scale));
    const FloatVector known = hn::IfThenZeroElse(hn::IsNaN(x), steps);
    const FloatVector clamped = hn::Min(hn::Max(known, low), high);
    const IntVector aboveLowest = hn::ConvertTo(IntTag(), hn::Sub(clamped, low));
    return hn::And(hn::Add(aboveLowest, intVector(m_lowest)), intVector(m_mask));
  }

  FloatVector decode(IntVector code, FloatVector scale, FloatVector low) const {
    const IntVector sign = intVector(m_sign);
    const IntVector bits = hn::And(code, intVector(m_mask));
    const IntVector number = hn::Sub(hn::Xor(bits, sign), sign);
    const IntVector aboveLowest = hn::Sub(number, intVector(m_lowest));
    return hn::Mul(hn::Add(hn::ConvertTo(FloatTag(), aboveLowest), low), scale);
  }

 private:
  std::int32_t m_lowest;
  std::int32_t m_mask;
  std::int32_t m_sign;
};

template <QuantType type>
class Float8Codes {
 public:
  using Rounding = Float8Rounding<type>;
  static constexpr int kMantissaBits = Rounding::kMantissaBits;
  static constexpr int kMinExponent = Rounding::kMinExponent;
  static constexpr std::int32_t kNan = 0x7F;

  // Integers count the steps of subnormals; above, exponent and significand move as they are.
  IntVector encode(FloatVector x, FloatVector scale, FloatVector /*low*/,
                   FloatVector /*high*/) const {
    const FloatTag d;
    const FloatVector magnitude =
        hn::Min(hn::Abs(divideByScale(x, scale)), hn::Set(d, Rounding::kLargest));
    const FloatVector rounded = roundMagnitude<kMantissaBits, kMinExponent>(magnitude);
    const FloatVector steps =
        hn::Mul(rounded, hn::Set(d, static_cast<float>(1 << (kMantissaBits - kMinExponent))));
    const IntVector bits = hn::ShiftRight<23 - kMantissaBits>(hn::BitCast(IntTag(), rounded));
    const IntVector moved = hn::Sub(bits, intVector((kMinExponent + 126) << kMantissaBits));
    const auto isNormal = hn::Gt(moved, intVector((1 << kMantissaBits) - 1));
    const IntVector number = hn::IfThenElse(isNormal, moved, hn::ConvertTo(IntTag(), steps));
    const auto isNan = hn::RebindMask(IntTag(), hn::IsNaN(x));
    const IntVector sign = hn::ShiftRight<24>(hn::BitCast(IntTag(), x));
    return hn::Or(hn::IfThenElse(isNan, intVector(kNan), number), hn::And(sign, intVector(0x80)));
  }

  FloatVector decode(IntVector code, FloatVector scale, FloatVector /*low*/) const {
    const FloatTag d;
    const IntVector magnitude = hn::And(code, intVector(0x7F));
    const IntVector sign = hn::ShiftLeft<24>(hn::And(code, intVector(0x80)));
    const IntVector moved = hn::Add(magnitude, intVector((kMinExponent + 126) << kMantissaBits));
    const FloatVector normal = hn::BitCast(d, hn::ShiftLeft<23 - kMantissaBits>(moved));
    const float step = 1.0F / static_cast<float>(1 << (kMantissaBits - kMinExponent));
    const FloatVector subnormal = hn::Mul(hn::ConvertTo(d, magnitude), hn::Set(d, step));
    const auto isNormal = hn::RebindMask(d, hn::Gt(magnitude, intVector((1 << kMantissaBits) - 1)));
    const FloatVector number = hn::IfThenElse(isNormal, normal, subnormal);
    const FloatVector real = hn::Or(times(number, scale), hn::BitCast(d, sign));
    return withoutNumbers(magnitude, sign, real);
  }

 private:
  static FloatVector times(FloatVector number, FloatVector scale) {
    const FloatTag d;
    const FloatVector tiny = hn::Set(d, kTinyScale);
    if (HWY_LIKELY(hn::AllFalse(d, hn::Lt(scale, tiny)))) return hn::Mul(number, scale);
    HWY_ALIGN std::array<float, hn::MaxLanes(d)> numbers;
    HWY_ALIGN std::array<float, hn::MaxLanes(d)> scales;
    hn::Store(number, d, numbers.data());
    hn::Store(scale, d, scales.data());
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      numbers[i] = exactFloat(static_cast<double>(numbers[i]) * static_cast<double>(scales[i]));
    }
    return hn::Load(d, numbers.data());
  }

  // E4M3 has one NaN, E5M2 has infinities too.
  static FloatVector withoutNumbers(IntVector magnitude, IntVector sign, FloatVector real) {
    const FloatTag d;
    constexpr std::int32_t kFirstNan = Rounding::kIsE4M3 ? 0x7F : 0x7D;
    const auto isNan = hn::RebindMask(d, hn::Gt(magnitude, intVector(kFirstNan - 1)));
    const FloatVector nan = hn::BitCast(d, hn::Or(sign, intVector(0x7FC00000)));
    FloatVector result = hn::IfThenElse(isNan, nan, real);
    if constexpr (!Rounding::kIsE4M3) {
      const auto isInfinite = hn::RebindMask(d, hn::Eq(magnitude, intVector(0x7C)));
      const FloatVector infinite = hn::BitCast(d, hn::Or(sign, intVector(kExponentBits)));
      result = hn::IfThenElse(isInfinite, infinite, result);
    }
    return result;
  }
};

struct Float16Codes {
  IntVector encode(FloatVector x, FloatVector /*scale*/, FloatVector /*low*/,
                   FloatVector /*high*/) const {
    const FloatTag d;
    const FloatVector magnitude = hn::Min(hn::Abs(x), hn::Set(d, 65536.0F));
    const FloatVector rounded = roundMagnitude<10, -14>(magnitude);
    const IntVector steps = hn::ConvertTo(IntTag(), hn::Mul(rounded, hn::Set(d, 0x1p24F)));
    // 2^16, beyond the type's range, gets the code of infinity.
    const IntVector bits = hn::ShiftRight<13>(hn::BitCast(IntTag(), rounded));
    const IntVector moved = hn::Sub(bits, intVector(112 << 10));
    const auto isNormal = hn::Gt(moved, intVector(0x3FF));
    const IntVector number = hn::IfThenElse(isNormal, moved, steps);
    const auto isNan = hn::RebindMask(IntTag(), hn::IsNaN(x));
    const IntVector sign = hn::And(hn::ShiftRight<16>(hn::BitCast(IntTag(), x)), intVector(0x8000));
    return hn::Or(hn::IfThenElse(isNan, intVector(0x7E00), number), sign);
  }

  FloatVector decode(IntVector code, FloatVector /*scale*/, FloatVector /*low*/) const {
    const FloatTag d;
    const IntVector magnitude = hn::And(code, intVector(0x7FFF));
    const IntVector sign = hn::ShiftLeft<16>(hn::And(code, intVector(0x8000)));
    const IntVector normal = hn::ShiftLeft<13>(hn::Add(magnitude, intVector(112 << 10)));
    // Infinity and NaN have the last exponent in both formats.
    const IntVector last = hn::Or(hn::ShiftLeft<13>(magnitude), intVector(kExponentBits));
    const auto isLast = hn::Gt(magnitude, intVector(0x7BFF));
    const FloatVector subnormal = hn::Mul(hn::ConvertTo(d, magnitude), hn::Set(d, 0x1p-24F));
    const auto isNormal = hn::Gt(magnitude, intVector(0x3FF));
    const IntVector finite = hn::IfThenElse(isNormal, normal, hn::BitCast(IntTag(), subnormal));
    return hn::BitCast(d, hn::Or(hn::IfThenElse(isLast, last, finite), sign));
  }
};

struct BFloat16Codes {
  IntVector encode(FloatVector x, FloatVector scale, FloatVector low, FloatVector high) const {
    const IntVector rounded = hn::BitCast(IntTag(), BFloat16Rounding()(x, scale, low, high));
    const auto isNan = hn::RebindMask(IntTag(), hn::IsNaN(x));
    const IntVector quiet = hn::Or(rounded, hn::IfThenElseZero(isNan, intVector(0x400000)));
    return hn::And(hn::ShiftRight<16>(quiet), intVector(0xFFFF));
  }

  FloatVector decode(IntVector code, FloatVector /*scale*/, FloatVector /*low*/) const {
    return hn::BitCast(FloatTag(), hn::ShiftLeft<16>(code));
  }
};

struct TernaryCodes {
  IntVector encode(FloatVector x, FloatVector scale, FloatVector low, FloatVector high) const {
    const auto isNan = hn::IsNaN(x);
    // A scale of 0 must not make all codes 0.
    const FloatVector one = hn::Set(FloatTag(), 1.0F);
    (void)scale;
    const FloatVector real = hn::IfThenZeroElse(isNan, TernaryRounding()(x, one, low, high));
    return hn::And(hn::ConvertTo(IntTag(), real), intVector(3));
  }

  FloatVector decode(IntVector code, FloatVector scale, FloatVector /*low*/) const {
    const IntVector sign = hn::ShiftLeft<30>(hn::And(code, intVector(2)));
    const auto isZero = hn::Eq(hn::And(code, intVector(1)), intVector(0));
    const IntVector real = hn::Or(sign, hn::BitCast(IntTag(), scale));
    return hn::BitCast(FloatTag(), hn::IfThenZeroElse(isZero, real));
  }
};

struct BinaryCodes {
  IntVector encode(FloatVector x, FloatVector /*scale*/, FloatVector low, FloatVector high) const {
    const FloatVector one = hn::Set(FloatTag(), 1.0F);
    const FloatVector known = hn::IfThenZeroElse(hn::IsNaN(x), x);
    const IntVector real = hn::BitCast(IntTag(), BinaryRounding()(known, one, low, high));
    return hn::IfThenElseZero(hn::Gt(real, intVector(0)), intVector(1));
  }

  FloatVector decode(IntVector code, FloatVector scale, FloatVector /*low*/) const {
    const auto isPositive = hn::Eq(hn::And(code, intVector(1)), intVector(1));
    const IntVector sign = hn::IfThenZeroElse(isPositive, intVector(kSignBit));
    return hn::BitCast(FloatTag(), hn::Or(sign, hn::BitCast(IntTag(), scale)));
  }
};

// Calls function(codes) with what encodes and decodes `type`.
template <class Function>
void withCodes(QuantType type, std::int32_t lowest, const Function& function) {
  switch (type) {
    case QuantType::Float32:
      break;
    case QuantType::Float16:
      return function(Float16Codes());
    case QuantType::BFloat16:
      return function(BFloat16Codes());
    case QuantType::Float8E4M3:
      return function(Float8Codes<QuantType::Float8E4M3>());
    case QuantType::Float8E5M2:
      return function(Float8Codes<QuantType::Float8E5M2>());
    case QuantType::Ternary:
      return function(TernaryCodes());
    case QuantType::Binary:
      return function(BinaryCodes());
    default:
      return function(IntegerCodes(type, lowest));
  }
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
