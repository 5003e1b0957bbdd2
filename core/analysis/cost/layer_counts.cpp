#include "analysis/cost/layer_counts.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/errors/tensor_errors.h"
#include "kernels/statistics/linear_bins.h"
#include "kernels/statistics/min_max.h"

namespace quantscope {

void countInto(const Tensor& tensor, const Range& range, std::size_t batch, std::size_t samples,
               BinRecord& record) {
  record.counts.resize(BinRecord::kBins);
  const Tensor values = toFloat32(tensor);
  visitSamples(values, batch, samples,
               [&](std::size_t /*sample*/, std::size_t first, std::size_t count) {
                 addToRangeBins(values.values<float>().subspan(first, count), range.low, range.high,
                                record.counts);
               });
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
