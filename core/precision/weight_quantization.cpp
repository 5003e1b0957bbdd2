#include "precision/weight_quantization.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "kernels/min_max.h"

namespace quantscope {
namespace {

Range rangeOf(const MinMax& extremes) {
  Range range;
  if (!extremes.empty()) {
    range.include(extremes.min);
    range.include(extremes.max);
  } else {
    range.include(0.0F);  // nothing finite in it
  }
  return range;
}

std::vector<Range> tensorRange(std::span<const float> values) {
  return {rangeOf(minMax(values))};
}

std::vector<Range> channelRanges(std::span<const float> values, const ChannelLayout& layout) {
  std::vector<MinMax> extremes(layout.channels);
  minMaxPerChannel(values, layout, extremes);
  std::vector<Range> ranges;
  for (const MinMax& channel : extremes) ranges.push_back(rangeOf(channel));
  return ranges;
}

std::vector<Range> groupRanges(std::span<const float> values, const ChannelLayout& layout,
                               std::size_t groupSize) {
  const std::size_t groups = (layout.channels + groupSize - 1) / groupSize;
  std::vector<Range> ranges(layout.outer * groups * layout.inner);
  for (std::size_t outer = 0; outer < layout.outer; ++outer) {
    for (std::size_t i = 0; i < layout.channels; ++i) {
      const std::size_t group = outer * groups + i / groupSize;
      for (std::size_t inner = 0; inner < layout.inner; ++inner) {
        const float value = values[(outer * layout.channels + i) * layout.inner + inner];
        if (std::isfinite(value)) ranges[group * layout.inner + inner].include(value);
      }
    }
  }
  for (Range& range : ranges) {
    if (range.empty) range.include(0.0F);
  }
  return ranges;
}

}  // namespace

QuantParams weightParams(const Tensor& weight, const TensorPrecision& precision, int defaultAxis,
                         Convention convention) {
  QuantParams params;
  params.type = precision.type;
  params.qmin = precision.lowest.value_or(lowestCode(precision.type));
  params.qmax = precision.highest.value_or(highestCode(precision.type));
  params.symmetric = precision.symmetric;
  params.convention = convention;

  const std::span<const float> values = weight.values<float>();
  std::vector<Range> ranges;
  if (precision.granularity.kind == Granularity::Kind::PerTensor) {
    ranges = tensorRange(values);
  } else {
    const Shape& shape = weight.shape();
    const std::size_t axis =
        normalizeAxis(precision.granularity.axis.value_or(defaultAxis), shape.rank());
    params.axis = static_cast<int>(axis);
    const ChannelLayout layout{
        static_cast<std::size_t>(shape.elementCount(0, axis)),
        static_cast<std::size_t>(shape[axis]),
        static_cast<std::size_t>(shape.elementCount(axis + 1, shape.rank()))};
    if (precision.granularity.kind == Granularity::Kind::PerChannel) {
      ranges = channelRanges(values, layout);
    } else {
      params.groupSize = precision.granularity.groupSize;
      ranges = groupRanges(values, layout, static_cast<std::size_t>(params.groupSize));
    }
  }
  for (const Range& range : ranges) {
    params.grids.push_back(
        gridFromRange(range, params.symmetric, params.qmin, params.qmax, convention));
  }
  return params;
}

QuantizedBias quantizeBias(const Tensor& bias, float inputScale, const QuantParams& weight) {
  constexpr double kLowest = std::numeric_limits<std::int32_t>::min();
  constexpr double kHighest = std::numeric_limits<std::int32_t>::max();
  QuantizedBias result{Tensor(ElementType::Float32, bias.shape()), 0};
  const std::span<const float> source = bias.values<float>();
  const std::span<float> target = result.values.mutableValues<float>();
  for (std::size_t i = 0; i < source.size(); ++i) {
    const Grid& grid = weight.grids.size() == 1 ? weight.grids.front() : weight.grids[i];
    const float scale = inputScale * grid.scale;
    if (!(scale > 0)) {  // the product of two tiny scales underflows: there is no such grid
      target[i] = source[i];
      continue;
    }
    const double code = std::nearbyint(static_cast<double>(source[i]) / scale);
    if (!(code >= kLowest && code <= kHighest)) ++result.overflows;
    target[i] = static_cast<float>(std::clamp(code, kLowest, kHighest)) * scale;
  }
  return result;
}

}  // namespace quantscope
