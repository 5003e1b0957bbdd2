#include "precision/parameters/weight_quantization.h"

#include <algorithm>

#include "base/job_loop.h"
#include "calibration/observers/observed_range.h"
#include "calibration/observers/value_observer.h"
#include "calibration/range_searches/mse_range.h"
#include "engine/channels_along.h"
#include "kernels/codes/magnitude_grid.h"
#include "kernels/statistics/min_max.h"
#include "precision/parameters/element_groups.h"

namespace quantscope {
namespace {

// Channels or groups that a thread takes at once: one by itself is little work for most observers.
constexpr std::size_t kTakenTogether = 16;

// Values without a finite element count as zeros.
Range rangeOf(const MinMax& extremes) {
  return extremes.empty() ? Range{0, 0, false} : Range{extremes.min, extremes.max, false};
}

Range observedRange(std::span<const float> values, const TensorPrecision& precision,
                    const QuantParams& params) {
  if (precision.observer.kind == ObserverSpec::Kind::MinMax) return rangeOf(minMax(values));
  ValueObserver observer(-1, {.averagingConstants = {precision.observer.averagingConstant}});
  const auto count = static_cast<std::int64_t>(values.size());
  observer.fold(observer.observe(values, Shape{count}));
  const Observation observation = observer.finish();
  if (observation.range.empty) return {0, 0, false};
  if (precision.observer.kind == ObserverSpec::Kind::Mse) {
    return mseRange(values, observation, params);
  }
  return computeRange(observation, precision.observer, params);
}

Grid gridOf(std::span<const float> values, const TensorPrecision& precision,
            const QuantParams& params) {
  if (precision.range) return gridFromRange(*precision.range, params);
  if (isSignCode(params.type)) return magnitudeGrid(params.type, values);
  return gridFromRange(observedRange(values, precision, params), params);
}

// One pass over an array whose channels are not neighbours.
Grids gridsOfChannelExtremes(std::span<const float> values, const ChannelLayout& layout,
                             const QuantParams& params) {
  std::vector<MinMax> extremes(layout.channels);
  minMaxPerChannel(values, layout, extremes);
  Grids grids;
  for (const MinMax& channel : extremes) grids.push_back(gridFromRange(rangeOf(channel), params));
  return grids;
}

// One grid for each of `count` runs of elements, elementsOf(i, scratch). Mean magnitudes are taken
// on this thread: a worker would flush one that is a denormal.
template <class ElementsOf>
Grids gridsOfEach(std::size_t count, const TensorPrecision& precision, const QuantParams& params,
                  const JobContext* job, const ElementsOf& elementsOf) {
  Grids grids(count);
  forEachItem(isSignCode(params.type) ? nullptr : job,
              (count + kTakenTogether - 1) / kTakenTogether, [&](std::size_t piece) {
                std::vector<float> scratch;
                const std::size_t end = std::min(count, (piece + 1) * kTakenTogether);
                for (std::size_t i = piece * kTakenTogether; i < end; ++i) {
                  grids[i] = gridOf(elementsOf(i, scratch), precision, params);
                }
              });
  return grids;
}

Grids gridsOfChannels(std::span<const float> values, const ChannelLayout& layout,
                      const TensorPrecision& precision, const QuantParams& params,
                      const JobContext* job) {
  const bool extremes = precision.observer.kind == ObserverSpec::Kind::MinMax && !precision.range;
  if (extremes && !isSignCode(params.type)) return gridsOfChannelExtremes(values, layout, params);
  return gridsOfEach(layout.channels, precision, params, job,
                     [&](std::size_t channel, std::vector<float>& scratch) {
                       return channelElements(values, layout, channel, scratch);
                     });
}

}  // namespace

QuantParams weightParamsWithoutGrids(const TensorPrecision& precision, Convention convention) {
  QuantParams params;
  params.type = precision.type;
  params.qmin = precision.lowest.value_or(lowestCode(precision.type));
  params.qmax = precision.highest.value_or(highestCode(precision.type));
  params.symmetric = precision.symmetric;
  params.convention = convention;
  return params;
}

QuantParams weightParams(const Tensor& weight, const TensorPrecision& precision, int defaultAxis,
                         Convention convention, const JobContext* job) {
  QuantParams params = weightParamsWithoutGrids(precision, convention);
  if (!hasScale(params.type)) {
    params.grids = {Grid{}};
    return params;
  }
  const std::span<const float> values = weight.values<float>();
  if (precision.granularity.kind == Granularity::Kind::PerTensor) {
    params.grids = {gridOf(values, precision, params)};
    return params;
  }
  const Shape& shape = weight.shape();
  const std::size_t axis =
      normalizeAxis(precision.granularity.axis.value_or(defaultAxis), shape.rank());
  const ChannelLayout layout = channelsAlong(shape, axis);
  params.axis = static_cast<int>(axis);
  if (precision.granularity.kind == Granularity::Kind::PerChannel) {
    params.grids = gridsOfChannels(values, layout, precision, params, job);
    return params;
  }
  params.groupSize = precision.granularity.groupSize;
  const auto groupSize = static_cast<std::size_t>(params.groupSize);
  params.grids = gridsOfEach(groupCount(layout, groupSize), precision, params, job,
                             [&](std::size_t group, std::vector<float>& scratch) {
                               return groupElements(values, layout, groupSize, group, scratch);
                             });
  return params;
}

}  // namespace quantscope
