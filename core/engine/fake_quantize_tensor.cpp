#include "engine/fake_quantize_tensor.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "kernels/fake_quantize.h"
#include "kernels/min_max.h"

namespace quantscope {
namespace {

ChannelLayout channelLayout(const Shape& shape, std::size_t axis) {
  return {static_cast<std::size_t>(shape.elementCount(0, axis)),
          static_cast<std::size_t>(shape[axis]),
          static_cast<std::size_t>(shape.elementCount(axis + 1, shape.rank()))};
}

// Runs of neighbours that share a grid: along the last axis a group, elsewhere a single element.
void fakeQuantizePerGroup(std::span<const float> source, std::span<float> target,
                          const ChannelLayout& layout, const QuantParams& params) {
  const auto size = static_cast<std::size_t>(params.groupSize);
  const std::size_t groups = (layout.channels + size - 1) / size;
  if (params.grids.size() != layout.outer * groups * layout.inner) {
    throw Error(ErrorCode::InvalidParameters,
                "there are " + std::to_string(params.grids.size()) + " scales for " +
                    std::to_string(layout.outer * groups * layout.inner) + " groups");
  }
  const std::size_t run = layout.inner == 1 ? size : 1;
  for (std::size_t outer = 0; outer < layout.outer; ++outer) {
    for (std::size_t i = 0; i < layout.channels; i += run) {
      const std::size_t length = std::min(run, layout.channels - i);
      for (std::size_t inner = 0; inner < layout.inner; ++inner) {
        const std::size_t start = (outer * layout.channels + i) * layout.inner + inner;
        const Grid& grid = params.grids[(outer * groups + i / size) * layout.inner + inner];
        fakeQuantize(source.subspan(start, length), target.subspan(start, length), grid,
                     params.qmin, params.qmax);
      }
    }
  }
}

}  // namespace

Tensor fakeQuantize(Tensor tensor, const QuantParams& params) {
  tensor = toFloat32(tensor);
  if (params.perChannel()) tensor = toLayout(tensor, Layout::Plain);
  Tensor result =
      tensor.soleOwner() ? tensor : Tensor(tensor.type(), tensor.shape(), tensor.layout());
  const std::span<const float> source = tensor.values<float>();
  const std::span<float> target = result.mutableValues<float>();
  if (!params.perChannel()) {
    quantscope::fakeQuantize(source, target, params.grids.front(), params.qmin, params.qmax);
    return result;
  }
  const std::size_t axis = normalizeAxis(params.axis, tensor.shape().rank());
  if (params.groupSize > 0) {
    fakeQuantizePerGroup(source, target, channelLayout(tensor.shape(), axis), params);
    return result;
  }
  const auto channels = static_cast<std::size_t>(tensor.shape()[axis]);
  if (channels != params.grids.size()) {
    throw Error(ErrorCode::InvalidParameters,
                "a tensor of shape " + toString(tensor.shape()) + " has " +
                    std::to_string(channels) + " channels on axis " + std::to_string(axis) +
                    " but there are " + std::to_string(params.grids.size()) + " scales");
  }
  fakeQuantizePerChannel(source, target, channelLayout(tensor.shape(), axis), params.grids,
                         params.qmin, params.qmax);
  return result;
}

namespace {

QuantParams paramsOfSample(std::span<const float> sample, QuantParams params) {
  const MinMax extremes = minMax(sample);
  Range range{0, 0, false};
  if (!extremes.empty()) range = {extremes.min, extremes.max, false};
  params.grids = {
      gridFromRange(range, params.symmetric, params.qmin, params.qmax, params.convention)};
  return params;
}

}  // namespace

Tensor fakeQuantizeValue(Tensor tensor, const QuantParams& params, std::size_t batch) {
  if (!params.dynamic) return fakeQuantize(std::move(tensor), params);
  tensor = toFloat32(toLayout(tensor, Layout::Plain));
  const Shape& shape = tensor.shape();
  const bool batched = batch > 1 && !shape.empty() && shape[0] == static_cast<std::int64_t>(batch);
  const std::size_t samples = batched ? batch : 1;
  const std::size_t length = tensor.elementCount() / samples;
  Tensor result(ElementType::Float32, shape);
  for (std::size_t i = 0; i < samples; ++i) {
    const std::span<const float> source = tensor.values<float>().subspan(i * length, length);
    const QuantParams own = paramsOfSample(source, params);
    fakeQuantize(source, result.mutableValues<float>().subspan(i * length, length),
                 own.grids.front(), own.qmin, own.qmax);
  }
  return result;
}

}  // namespace quantscope
