#include "kernels/codes/dequantize.h"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/codes/byte_codes.h"
#include "kernels/codes/grid_table.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/codes/dequantize.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;
using IntTag = hn::RebindToSigned<FloatTag>;
using ByteTag = hn::Rebind<std::uint8_t, FloatTag>;

// `low` is the type's lowest code minus the zero point; both terms are small integers.
FloatVector realOf(const std::uint8_t* in, FloatVector scale, FloatVector low, std::uint8_t flip) {
  const ByteTag db;
  const auto aboveLowest = hn::Xor(hn::LoadU(db, in), hn::Set(db, flip));
  const auto code = hn::ConvertTo(FloatTag(), hn::PromoteTo(IntTag(), aboveLowest));
  return hn::Mul(hn::Add(code, low), scale);
}

void dequantizeTail(const std::uint8_t* in, float* out, std::size_t count, FloatVector scale,
                    FloatVector low, std::uint8_t flip) {
  const FloatTag d;
  std::array<std::uint8_t, hn::MaxLanes(d)> bytes{};
  HWY_ALIGN std::array<float, hn::MaxLanes(d)> numbers;
  std::copy_n(in, count, bytes.data());
  hn::Store(realOf(bytes.data(), scale, low, flip), d, numbers.data());
  std::copy_n(numbers.data(), count, out);
}

void dequantizeRun(const std::uint8_t* in, float* out, std::size_t count, const GridLimits& grid,
                   std::uint8_t flip) {
  const FloatTag d;
  const FloatVector scale = hn::Set(d, grid.scale);
  const FloatVector low = hn::Set(d, grid.low);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreU(realOf(in + i, scale, low, flip), d, out + i);
  }
  if (i < count) dequantizeTail(in + i, out + i, count - i, scale, low, flip);
}

// One row with a grid of its own at each position.
void dequantizeRow(const std::uint8_t* in, float* out, std::size_t count, const GridTable& grids,
                   std::uint8_t flip) {
  const FloatTag d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreU(realOf(in + i, hn::LoadU(d, grids.scale.data() + i),
                      hn::LoadU(d, grids.low.data() + i), flip),
               d, out + i);
  }
  if (i < count) {
    dequantizeTail(in + i, out + i, count - i, hn::LoadU(d, grids.scale.data() + i),
                   hn::LoadU(d, grids.low.data() + i), flip);
  }
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(dequantizeRun);
HWY_EXPORT(dequantizeRow);

template <class Code>
void dequantizeTensor(std::span<const Code> in, std::span<float> out, const Grid& grid) {
  constexpr std::int32_t kLowest = std::numeric_limits<Code>::lowest();
  constexpr std::int32_t kHighest = std::numeric_limits<Code>::max();
  requireSameLength(in.size(), out.size());
  HWY_DYNAMIC_DISPATCH(dequantizeRun)
  (bytesOf(in), out.data(), in.size(), gridLimits(grid, kLowest, kHighest),
   byteCodes<Code>(kLowest, kHighest).flip);
}

template <class Code>
void dequantizeChannels(std::span<const Code> in, std::span<float> out, const ChannelLayout& layout,
                        std::span<const Grid> grids) {
  constexpr std::int32_t kLowest = std::numeric_limits<Code>::lowest();
  constexpr std::int32_t kHighest = std::numeric_limits<Code>::max();
  requireSameLength(in.size(), out.size());
  requireLayout(layout, in.size(), grids.size());
  if (layout.inner < kShortRun) {
    const GridTable table = expandGrids(layout, grids, kLowest, kHighest);
    const std::size_t width = layout.channels * layout.inner;
    for (std::size_t first = 0; first < in.size(); first += width) {
      HWY_DYNAMIC_DISPATCH(dequantizeRow)
      (bytesOf(in) + first, out.data() + first, width, table,
       byteCodes<Code>(kLowest, kHighest).flip);
    }
    return;
  }
  for (std::size_t run = 0; run < layout.outer * layout.channels; ++run) {
    dequantizeTensor(in.subspan(run * layout.inner, layout.inner),
                     out.subspan(run * layout.inner, layout.inner), grids[run % layout.channels]);
  }
}

}  // namespace

void dequantize(std::span<const std::int8_t> in, std::span<float> out, const Grid& grid) {
  dequantizeTensor(in, out, grid);
}

void dequantize(std::span<const std::uint8_t> in, std::span<float> out, const Grid& grid) {
  dequantizeTensor(in, out, grid);
}

void dequantizePerChannel(std::span<const std::int8_t> in, std::span<float> out,
                          ChannelLayout layout, std::span<const Grid> grids) {
  dequantizeChannels(in, out, layout, grids);
}

void dequantizePerChannel(std::span<const std::uint8_t> in, std::span<float> out,
                          ChannelLayout layout, std::span<const Grid> grids) {
  dequantizeChannels(in, out, layout, grids);
}

}  // namespace quantscope
#endif
