#include "kernels/codes/code_kernels.h"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/codes/code_kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/codes/code_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

// The lanes of the widest vector, so that one size of buffer serves all targets.
constexpr std::size_t kMaxLanes = 16;

// Calls piece(first, count, scale, low, high) for vectors of neighbours, `count` below the lanes
// only where a run or the array ends.
template <class Piece>
void forEachVector(std::size_t count, const GridRuns& runs, const Piece& piece) {
  const FloatTag d;
  const float* scale = runs.grids.scale.data() + runs.first;
  const float* low = runs.grids.low.data() + runs.first;
  const float* high = runs.grids.high.data() + runs.first;
  if (runs.run == 1) {
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
      piece(i, std::min(hn::Lanes(d), count - i), hn::LoadU(d, scale + i), hn::LoadU(d, low + i),
            hn::LoadU(d, high + i));
    }
    return;
  }
  for (std::size_t first = 0; first < count; first += runs.run, ++scale, ++low, ++high) {
    const std::size_t end = std::min(first + runs.run, count);
    const FloatVector scales = hn::Set(d, *scale);
    const FloatVector lows = hn::Set(d, *low);
    const FloatVector highs = hn::Set(d, *high);
    for (std::size_t i = first; i < end; i += hn::Lanes(d)) {
      piece(i, std::min(hn::Lanes(d), end - i), scales, lows, highs);
    }
  }
}

template <class Code, class Coding>
std::size_t encodeWith(const Coding& coding, const float* in, Code* out, std::size_t count,
                       const GridRuns& runs) {
  const FloatTag d;
  const hn::Rebind<Code, FloatTag> dc;
  std::size_t nans = 0;
  forEachVector(
      count, runs,
      [&](std::size_t first, std::size_t length, FloatVector scale, FloatVector low,
          FloatVector high) HWY_ATTR {
        if (HWY_LIKELY(length == hn::Lanes(d))) {
          const FloatVector x = hn::LoadU(d, in + first);
          nans += hn::CountTrue(d, hn::IsNaN(x));
          hn::StoreU(hn::DemoteTo(dc, coding.encode(x, scale, low, high)), dc, out + first);
          return;
        }
        HWY_ALIGN std::array<float, kMaxLanes> numbers{};
        std::array<Code, kMaxLanes> codes;
        std::copy_n(in + first, length, numbers.data());
        const FloatVector x = hn::Load(d, numbers.data());
        nans += hn::CountTrue(d, hn::IsNaN(x));
        hn::StoreU(hn::DemoteTo(dc, coding.encode(x, scale, low, high)), dc, codes.data());
        std::copy_n(codes.data(), length, out + first);
      });
  return nans;
}

template <class Code, class Coding>
void decodeWith(const Coding& coding, const Code* in, float* out, std::size_t count,
                const GridRuns& runs) {
  const FloatTag d;
  const IntTag di;
  const hn::Rebind<Code, FloatTag> dc;
  forEachVector(count, runs,
                [&](std::size_t first, std::size_t length, FloatVector scale, FloatVector low,
                    FloatVector /*high*/) HWY_ATTR {
                  if (HWY_LIKELY(length == hn::Lanes(d))) {
                    const IntVector code = hn::PromoteTo(di, hn::LoadU(dc, in + first));
                    hn::StoreU(coding.decode(code, scale, low), d, out + first);
                    return;
                  }
                  std::array<Code, kMaxLanes> codes{};
                  HWY_ALIGN std::array<float, kMaxLanes> numbers;
                  std::copy_n(in + first, length, codes.data());
                  const IntVector code = hn::PromoteTo(di, hn::LoadU(dc, codes.data()));
                  hn::Store(coding.decode(code, scale, low), d, numbers.data());
                  std::copy_n(numbers.data(), length, out + first);
                });
}

std::size_t encodeVectors(QuantType type, const float* in, std::uint8_t* out, std::size_t count,
                          const GridRuns& runs, std::int32_t lowest) {
  std::size_t nans = 0;
  withCodes(type, lowest, [&](const auto& coding) HWY_ATTR {
    if (bitWidth(type) == 16) {
      nans = encodeWith(coding, in, reinterpret_cast<std::uint16_t*>(out), count, runs);
    } else {
      nans = encodeWith(coding, in, out, count, runs);
    }
  });
  return nans;
}

void decodeVectors(QuantType type, const std::uint8_t* in, float* out, std::size_t count,
                   const GridRuns& runs, std::int32_t lowest) {
  withCodes(type, lowest, [&](const auto& coding) HWY_ATTR {
    if (bitWidth(type) == 16) {
      decodeWith(coding, reinterpret_cast<const std::uint16_t*>(in), out, count, runs);
    } else {
      decodeWith(coding, in, out, count, runs);
    }
  });
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(encodeVectors);
HWY_EXPORT(decodeVectors);

}  // namespace

std::size_t encode(QuantType type, const float* in, std::uint8_t* codes, std::size_t count,
                   const GridRuns& grids, std::int32_t lowest) {
  return HWY_DYNAMIC_DISPATCH(encodeVectors)(type, in, codes, count, grids, lowest);
}

void decode(QuantType type, const std::uint8_t* codes, float* out, std::size_t count,
            const GridRuns& grids, std::int32_t lowest) {
  HWY_DYNAMIC_DISPATCH(decodeVectors)(type, codes, out, count, grids, lowest);
}

}  // namespace quantscope
#endif
