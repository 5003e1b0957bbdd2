#include "engine/fake_quantize_tensor.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/part_loop.h"
#include "engine/channels_along.h"
#include "kernels/codes/fake_quantize.h"
#include "kernels/codes/magnitude_grid.h"
#include "kernels/statistics/min_max.h"

namespace quantscope {
Tensor fakeQuantize(Tensor tensor, const QuantParams& params) {
  tensor = toFloat32(tensor);
  if (params.perChannel()) tensor = toLayout(tensor, Layout::Plain);
  Tensor result =
      tensor.soleOwner() ? tensor : Tensor(tensor.type(), tensor.shape(), tensor.layout());
  const std::span<const float> source = tensor.values<float>();
  const std::span<float> target = result.mutableValues<float>();
  if (!params.perChannel()) {
    forEachPiece(source.size(), kPieceElements, [&](std::size_t first, std::size_t end) {
      quantscope::fakeQuantize(source.subspan(first, end - first),
                               target.subspan(first, end - first), params.codes(),
                               params.grids.front());
    });
    return result;
  }
  const std::size_t axis = normalizeAxis(params.axis, tensor.shape().rank());
  if (params.groupSize > 0) {
    fakeQuantizePerGroup(source, target, channelsAlong(tensor.shape(), axis),
                         static_cast<std::size_t>(params.groupSize), params.codes(), params.grids);
    return result;
  }
  const auto channels = static_cast<std::size_t>(tensor.shape()[axis]);
  if (channels != params.grids.size()) {
    throw Error(ErrorCode::InvalidParameters,
                "a tensor of shape " + toString(tensor.shape()) + " has " +
                    std::to_string(channels) + " channels on axis " + std::to_string(axis) +
                    " but there are " + std::to_string(params.grids.size()) + " scales");
  }
  fakeQuantizePerChannel(source, target, channelsAlong(tensor.shape(), axis), params.codes(),
                         params.grids);
  return result;
}

namespace {

Grid gridOfSample(std::span<const float> sample, const QuantParams& params) {
  if (isSignCode(params.type)) return magnitudeGrid(params.type, sample);
  const MinMax extremes = minMax(sample);
  Range range{0, 0, false};
  if (!extremes.empty()) range = {extremes.min, extremes.max, false};
  return gridFromRange(range, params);
}

bool isBatched(const Shape& shape, std::size_t batch) {
  return batch > 1 && !shape.empty() && shape[0] == static_cast<std::int64_t>(batch);
}

// If scales lie along axis 0 too, like those of blocks, each sample has all of them.
Tensor fakeQuantizeEach(const Tensor& tensor, const QuantParams& params) {
  const Tensor plain = toFloat32(toLayout(tensor, Layout::Plain));
  Shape one = plain.shape();
  const auto samples = static_cast<std::size_t>(one[0]);
  one[0] = 1;
  const std::size_t length = plain.elementCount() / samples;
  Tensor result(ElementType::Float32, plain.shape());
  for (std::size_t i = 0; i < samples; ++i) {
    Tensor sample(ElementType::Float32, one);
    std::ranges::copy(plain.values<float>().subspan(i * length, length),
                      sample.mutableValues<float>().begin());
    sample = fakeQuantize(std::move(sample), params);
    std::ranges::copy(sample.values<float>(),
                      result.mutableValues<float>().subspan(i * length, length).begin());
  }
  return result;
}

}  // namespace

Tensor fakeQuantizeValue(Tensor tensor, const QuantParams& params, std::size_t batch) {
  const bool alongSamples = params.groupSize > 0 || params.axis == 0;
  if (!params.dynamic) {
    return alongSamples && isBatched(tensor.shape(), batch)
               ? fakeQuantizeEach(tensor, params)
               : fakeQuantize(std::move(tensor), params);
  }
  tensor = toFloat32(toLayout(tensor, Layout::Plain));
  const Shape& shape = tensor.shape();
  const bool batched = isBatched(shape, batch);
  const std::size_t samples = batched ? batch : 1;
  const std::size_t length = tensor.elementCount() / samples;
  Tensor result(ElementType::Float32, shape);
  for (std::size_t i = 0; i < samples; ++i) {
    const std::span<const float> source = tensor.values<float>().subspan(i * length, length);
    fakeQuantize(source, result.mutableValues<float>().subspan(i * length, length), params.codes(),
                 gridOfSample(source, params));
  }
  return result;
}

}  // namespace quantscope
