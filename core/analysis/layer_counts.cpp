#include "analysis/layer_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "analysis/tensor_errors.h"
#include "kernels/min_max.h"

namespace quantscope {
namespace {

// One more, for NaN.
using BinTable = std::array<std::uint32_t, BinRecord::kBins + 1>;
// Neighbours often share a bin, and a counter that was just stored is slow to load again.
using BinTables = std::array<BinTable, 4>;

constexpr std::size_t kBlock = 256;

// Bins first, in a loop that the compiler makes vectors of; then they are counted.
void countBlock(std::span<const float> elements, const Range& range, BinTables& tables) {
  const float perUnit = static_cast<float>(BinRecord::kBins) / (range.high - range.low);
  const auto last = static_cast<float>(BinRecord::kBins - 1);
  std::array<std::int32_t, kBlock> bins;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const float value = elements[i];
    const float bin = (value - range.low) * perUnit;
    const float bounded = std::min(bin > 0 ? bin : 0.0F, last);
    bins[i] = value == value ? static_cast<std::int32_t>(bounded) : BinRecord::kBins;
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    ++tables[i % tables.size()][static_cast<std::size_t>(bins[i])];
  }
}

}  // namespace

void countInto(const Tensor& tensor, const Range& range, std::size_t batch, std::size_t samples,
               BinRecord& record) {
  record.counts.resize(BinRecord::kBins);
  const Tensor values = toFloat32(tensor);
  BinTables tables{};
  visitSamples(values, batch, samples,
               [&](std::size_t /*sample*/, std::size_t first, std::size_t count) {
                 for (std::size_t i = 0; i < count; i += kBlock) {
                   const std::size_t length = std::min(kBlock, count - i);
                   countBlock(values.values<float>().subspan(first + i, length), range, tables);
                 }
               });
  for (const BinTable& table : tables) {
    for (std::size_t i = 0; i < BinRecord::kBins; ++i) record.counts[i] += table[i];
  }
}

void countClipped(const Tensor& tensor, const QuantParams& output, std::size_t batch,
                  std::size_t samples, ClipRecord& record) {
  const Range range = output.unclipped(output.grids.front());
  const Range held = output.representable(output.grids.front());
  const Tensor values = toFloat32(tensor);
  visitSamples(
      values, batch, samples, [&](std::size_t /*sample*/, std::size_t first, std::size_t count) {
        const std::span<const float> elements = values.values<float>().subspan(first, count);
        record.total += count;
        const MinMax extremes = minMax(elements);
        if (!extremes.empty()) {
          record.range.include(extremes.min);
          record.range.include(extremes.max);
        }
        const bool inside =
            extremes.nonFinite == 0 && extremes.min >= range.low && extremes.max <= range.high;
        if (inside) return;
        for (const float value : elements) {
          if (!(value < range.low || value > range.high)) continue;
          ++record.clipped;
          if (!std::isfinite(value)) continue;
          const double beyond = value - std::clamp(value, held.low, held.high);
          record.squares += beyond * beyond;
        }
      });
}

}  // namespace quantscope
