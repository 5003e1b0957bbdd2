// Both code types take one path, as bytes: a code minus the type's lowest lies in 0 … 255, and for
// int8 the upper bit of that byte flipped gives the code's own pattern.
#include "kernels/codes/quantize.h"

#include <algorithm>
#include <array>

#include "kernels/codes/byte_codes.h"
#include "kernels/codes/grid_table.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/codes/quantize.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/codes/divide_by_scale-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;
using IntTag = hn::RebindToSigned<FloatTag>;
using ByteTag = hn::Rebind<std::uint8_t, FloatTag>;

struct GridVectors {
  FloatVector scale;
  FloatVector low;
  FloatVector high;
};

// Writes the codes of one vector and returns the number of its NaNs.
std::size_t quantizeVector(FloatVector x, const GridVectors& grid, const ByteCodes& codes,
                           std::uint8_t* out) {
  const FloatTag d;
  const IntTag di;
  const ByteTag db;
  const auto isNan = hn::IsNaN(x);
  const FloatVector steps = hn::Round(divideByScale(x, grid.scale));
  const FloatVector known = hn::IfThenZeroElse(isNan, steps);
  const FloatVector clamped = hn::Min(hn::Max(known, grid.low), grid.high);
  const auto aboveLowest =
      hn::Add(hn::ConvertTo(di, hn::Sub(clamped, grid.low)), hn::Set(di, codes.first));
  hn::StoreU(hn::Xor(hn::DemoteTo(db, aboveLowest), hn::Set(db, codes.flip)), db, out);
  return hn::CountTrue(d, isNan);
}

std::size_t quantizeTail(const float* in, std::uint8_t* out, std::size_t count,
                         const GridVectors& grid, const ByteCodes& codes) {
  const FloatTag d;
  HWY_ALIGN std::array<float, hn::MaxLanes(d)> numbers{};
  std::array<std::uint8_t, hn::MaxLanes(d)> bytes;
  std::copy_n(in, count, numbers.data());
  const std::size_t nans = quantizeVector(hn::Load(d, numbers.data()), grid, codes, bytes.data());
  std::copy_n(bytes.data(), count, out);
  return nans;
}

std::size_t quantizeRun(const float* in, std::uint8_t* out, std::size_t count,
                        const GridLimits& limits, const ByteCodes& codes) {
  const FloatTag d;
  const GridVectors grid{hn::Set(d, limits.scale), hn::Set(d, limits.low), hn::Set(d, limits.high)};
  std::size_t nans = 0;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    nans += quantizeVector(hn::LoadU(d, in + i), grid, codes, out + i);
  }
  return i < count ? nans + quantizeTail(in + i, out + i, count - i, grid, codes) : nans;
}

// One row with a grid of its own at each position.
std::size_t quantizeRow(const float* in, std::uint8_t* out, std::size_t count,
                        const GridTable& grids, const ByteCodes& codes) {
  const FloatTag d;
  const auto gridAt = [&grids, d](std::size_t i) HWY_ATTR {
    return GridVectors{hn::LoadU(d, grids.scale.data() + i), hn::LoadU(d, grids.low.data() + i),
                       hn::LoadU(d, grids.high.data() + i)};
  };
  std::size_t nans = 0;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    nans += quantizeVector(hn::LoadU(d, in + i), gridAt(i), codes, out + i);
  }
  return i < count ? nans + quantizeTail(in + i, out + i, count - i, gridAt(i), codes) : nans;
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(quantizeRun);
HWY_EXPORT(quantizeRow);

template <class Code>
std::size_t quantizeTensor(std::span<const float> in, std::span<Code> out, const Grid& grid,
                           std::int32_t qmin, std::int32_t qmax) {
  requireSameLength(in.size(), out.size());
  return HWY_DYNAMIC_DISPATCH(quantizeRun)(in.data(), bytesOf(out), in.size(),
                                           gridLimits(grid, qmin, qmax),
                                           byteCodes<Code>(qmin, qmax));
}

template <class Code>
std::size_t quantizeChannels(std::span<const float> in, std::span<Code> out,
                             const ChannelLayout& layout, std::span<const Grid> grids,
                             std::int32_t qmin, std::int32_t qmax) {
  requireSameLength(in.size(), out.size());
  requireLayout(layout, in.size(), grids.size());
  const ByteCodes codes = byteCodes<Code>(qmin, qmax);
  std::size_t nans = 0;
  if (layout.inner < kShortRun) {
    const GridTable table = expandGrids(layout, grids, qmin, qmax);
    const std::size_t width = layout.channels * layout.inner;
    for (std::size_t first = 0; first < in.size(); first += width) {
      nans += HWY_DYNAMIC_DISPATCH(quantizeRow)(in.data() + first, bytesOf(out) + first, width,
                                                table, codes);
    }
    return nans;
  }
  for (std::size_t run = 0; run < layout.outer * layout.channels; ++run) {
    const std::size_t first = run * layout.inner;
    nans += HWY_DYNAMIC_DISPATCH(quantizeRun)(in.data() + first, bytesOf(out) + first, layout.inner,
                                              gridLimits(grids[run % layout.channels], qmin, qmax),
                                              codes);
  }
  return nans;
}

}  // namespace

std::size_t quantize(std::span<const float> in, std::span<std::int8_t> out, const Grid& grid,
                     std::int32_t qmin, std::int32_t qmax) {
  return quantizeTensor(in, out, grid, qmin, qmax);
}

std::size_t quantize(std::span<const float> in, std::span<std::uint8_t> out, const Grid& grid,
                     std::int32_t qmin, std::int32_t qmax) {
  return quantizeTensor(in, out, grid, qmin, qmax);
}

std::size_t quantizePerChannel(std::span<const float> in, std::span<std::int8_t> out,
                               ChannelLayout layout, std::span<const Grid> grids, std::int32_t qmin,
                               std::int32_t qmax) {
  return quantizeChannels(in, out, layout, grids, qmin, qmax);
}

std::size_t quantizePerChannel(std::span<const float> in, std::span<std::uint8_t> out,
                               ChannelLayout layout, std::span<const Grid> grids, std::int32_t qmin,
                               std::int32_t qmax) {
  return quantizeChannels(in, out, layout, grids, qmin, qmax);
}

}  // namespace quantscope
#endif
