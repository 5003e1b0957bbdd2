#include "analysis/layer_counts.h"

#include <algorithm>
#include <cmath>

#include "analysis/tensor_errors.h"
#include "kernels/min_max.h"

namespace quantscope {

void countInto(const Tensor& tensor, const Range& range, std::size_t batch, std::size_t samples,
               BinRecord& record) {
  std::vector<std::uint32_t>& bins = record.counts;
  bins.resize(BinRecord::kBins);
  const Tensor values = toFloat32(tensor);
  const float perUnit = static_cast<float>(bins.size()) / (range.high - range.low);
  const float last = static_cast<float>(bins.size() - 1);
  visitSamples(values, batch, samples,
               [&](std::size_t /*sample*/, std::size_t first, std::size_t count) {
                 for (const float value : values.values<float>().subspan(first, count)) {
                   if (std::isnan(value)) continue;
                   const float bin = (value - range.low) * perUnit;
                   ++bins[static_cast<std::size_t>(std::clamp(bin, 0.0F, last))];
                 }
               });
}

void countClipped(const Tensor& tensor, const QuantParams& output, std::size_t batch,
                  std::size_t samples, ClipRecord& record) {
  const Range range = output.unclipped(output.grids.front());
  const Range held = output.representable(output.grids.front());
  const Tensor values = toFloat32(tensor);
  visitSamples(values, batch, samples,
               [&](std::size_t /*sample*/, std::size_t first, std::size_t count) {
                 for (const float value : values.values<float>().subspan(first, count)) {
                   if (!(value < range.low || value > range.high)) continue;
                   ++record.clipped;
                   if (!std::isfinite(value)) continue;
                   const double beyond = value - std::clamp(value, held.low, held.high);
                   record.squares += beyond * beyond;
                 }
                 record.total += count;
                 const MinMax extremes = minMax(values.values<float>().subspan(first, count));
                 if (extremes.empty()) return;
                 record.range.include(extremes.min);
                 record.range.include(extremes.max);
               });
}

}  // namespace quantscope
