#include "engine/operators/convolutions/few_filters.h"

#include <algorithm>
#include <vector>

#include "base/part_loop.h"
#include "engine/operators/convolutions/sliding_rows.h"
#include "kernels/network/tap_products.h"
#include "tensor/transpose_plane.h"

namespace quantscope {
namespace {

// With nine or more filters, oneDNN fills enough of its vectors.
constexpr std::int64_t kFewFilters = 8;
// Shorter lines leave too many places of the last vector empty.
constexpr std::int64_t kLongLine = 32;
// Minimum cost of a part of an item, in products.
constexpr std::int64_t kPartCost = std::int64_t{1} << 20;
// With fewer taps, laying out the lines would cost more than it saves.
constexpr std::int64_t kFewTaps = 4;

// [filter, channel, row, column] as [row, channel, column, filter].
std::vector<float> packedByTap(const ConvolutionShapes& shapes, const Tensor& weights) {
  const std::int64_t rows = shapes.window.axes[0].kernel;
  const std::int64_t columns = shapes.window.axes[1].kernel;
  const std::int64_t channels = shapes.channelsPerGroup;
  const std::int64_t filters = shapes.filtersPerGroup;
  std::vector<float> result(weights.elementCount());
  const float* from = weights.values<float>().data();
  for (std::int64_t filter = 0; filter < filters; ++filter) {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
          const std::int64_t tap = (row * channels + channel) * columns + column;
          result[static_cast<std::size_t>(tap * filters + filter)] = *from++;
        }
      }
    }
  }
  return result;
}

}  // namespace

bool hasFewFilters(const ConvolutionShapes& shapes) {
  if (shapes.groups != 1 || shapes.window.axes.size() != 2) return false;
  const WindowAxis& across = shapes.window.axes[1];
  return shapes.filtersPerGroup <= kFewFilters && shapes.window.taps() >= kFewTaps &&
         across.stride == 1 && across.output >= kLongLine;
}

Tensor convolveFewFilters(const ConvolutionShapes& shapes, const Tensor& x, const Tensor& weights,
                          const Tensor& bias) {
  Tensor y(ElementType::Float32, shapes.output, Layout::ChannelsLast);
  if (y.elementCount() == 0) return y;
  const std::vector<float> packed = packedByTap(shapes, weights);
  const std::int64_t count = shapes.filtersPerGroup;
  const TapFilters filters{packed.data(), bias.defined() ? bias.values<float>().data() : nullptr,
                           static_cast<std::size_t>(count)};
  const std::int64_t images = shapes.output[0];
  const std::int64_t perImage = static_cast<std::int64_t>(x.elementCount()) / images;
  float* target = y.mutableValues<float>().data();
  const std::int64_t rowLength = shapes.output[3] * count;
  const auto runRows = [&](std::int64_t image, std::int64_t first, std::int64_t end) {
    SlidingRows rows(shapes.window, shapes.channelsPerGroup);
    std::vector<float> lines(filters.count * rows.places());
    const PlaneTransposition turn{.rows = shapes.output[3],
                                  .columns = count,
                                  .sourceStride = static_cast<std::int64_t>(rows.places()),
                                  .targetStride = count};
    rows.start(x.values<float>().data() + image * perImage, x.layout());
    for (std::int64_t row = first; row < end; ++row) {
      multiplyTaps(rows.at(row), filters, rows.places(), lines.data());
      transposePlane(
          reinterpret_cast<const std::byte*>(lines.data()),
          reinterpret_cast<std::byte*>(target + (image * shapes.output[2] + row) * rowLength),
          sizeof(float), turn);
    }
  };
  const std::int64_t rowCost =
      rowLength * static_cast<std::int64_t>(weights.elementCount()) / count;
  const auto grain = static_cast<std::size_t>(std::max<std::int64_t>(4, kPartCost / rowCost));
  for (std::int64_t image = 0; image < images; ++image) {
    forEachPiece(static_cast<std::size_t>(shapes.output[2]), grain,
                 [&](std::size_t first, std::size_t end) {
                   runRows(image, static_cast<std::int64_t>(first), static_cast<std::int64_t>(end));
                 });
  }
  return y;
}

}  // namespace quantscope
