#include "engine/operators/convolutions/filters_by_row.h"

namespace quantscope {

Tensor filtersByRow(const ConvolutionShapes& shapes, const Tensor& weights) {
  const std::int64_t taps = shapes.window.taps();
  const std::int64_t channels = shapes.channelsPerGroup;
  const std::int64_t filters = shapes.filtersPerGroup;
  Tensor result(ElementType::Float32, Shape{taps * channels, filters});
  const float* from = weights.values<float>().data();
  float* to = result.mutableValues<float>().data();
  for (std::int64_t filter = 0; filter < filters; ++filter) {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        to[(tap * channels + channel) * filters + filter] = *from++;
      }
    }
  }
  return result;
}

}  // namespace quantscope
