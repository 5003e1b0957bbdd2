#include "training/sample_variation.h"

#include <algorithm>

namespace quantscope {
namespace {

constexpr std::int64_t kMostColours = 4;
constexpr std::int64_t kLeastExtent = 16;
constexpr std::int64_t kShift = 8;  // an eighth

struct PictureAxes {
  std::int64_t outer = 0;  // images, and planes where those come first
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t inner = 0;  // colours of a pixel
};

PictureAxes axesOf(const Shape& shape) {
  if (shape.rank() != 4) return {};
  if (shape[1] <= kMostColours) return {shape[0] * shape[1], shape[2], shape[3], 1};
  if (shape[3] <= kMostColours) return {shape[0], shape[1], shape[2], shape[3]};
  return {};
}

std::int64_t shiftOf(std::uint64_t bits, std::int64_t extent) {
  const std::int64_t most = extent / kShift;
  return static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(2 * most + 1)) - most;
}

}  // namespace

Tensor shiftedPicture(const Tensor& picture, const CounterRandom& random) {
  const PictureAxes axes = axesOf(picture.shape());
  if (axes.height < kLeastExtent || axes.width < kLeastExtent) return picture;
  const Tensor plain = toLayout(picture, Layout::Plain);
  Tensor result(ElementType::Float32, plain.shape());
  const float* const from = plain.values<float>().data();
  float* to = result.mutableValues<float>().data();
  const std::int64_t down = shiftOf(random.bits(0), axes.height);
  const std::int64_t right = shiftOf(random.bits(1), axes.width);
  const bool mirrored = (random.bits(2) & 1U) != 0;
  for (std::int64_t plane = 0; plane < axes.outer; ++plane) {
    for (std::int64_t y = 0; y < axes.height; ++y) {
      const std::int64_t row = std::clamp<std::int64_t>(y + down, 0, axes.height - 1);
      for (std::int64_t x = 0; x < axes.width; ++x) {
        std::int64_t column = std::clamp<std::int64_t>(x + right, 0, axes.width - 1);
        if (mirrored) column = axes.width - 1 - column;
        const float* const pixel =
            from + ((plane * axes.height + row) * axes.width + column) * axes.inner;
        to = std::copy_n(pixel, axes.inner, to);
      }
    }
  }
  return result;
}

Tensor mixtureOf(const Tensor& a, const Tensor& b, float lambda) {
  const Tensor first = toLayout(a, Layout::Plain);
  const Tensor second = toLayout(b, Layout::Plain);
  Tensor mix(ElementType::Float32, a.shape());
  const float* const x = first.values<float>().data();
  const float* const y = second.values<float>().data();
  float* const to = mix.mutableValues<float>().data();
  for (std::size_t i = 0; i < mix.elementCount(); ++i) to[i] = lambda * x[i] + (1 - lambda) * y[i];
  return mix;
}

}  // namespace quantscope
