#include "engine/operators/convolutions/transposed_product.h"

#include <algorithm>
#include <vector>

#include "base/part_loop.h"

namespace quantscope {
namespace {

// A node meets its own weights in every run, and others per quantization that is being evaluated.
constexpr std::size_t kConstantCapacity = 4;
// Products that are spread before the next ones are made: they stay in the caches.
constexpr std::int64_t kBlockSize = std::int64_t{1} << 18;

// [channel, filter, tap] as [channel, tap, filter].
Tensor byTap(const ConvolutionShapes& shapes, const Tensor& weights) {
  const std::int64_t channels = shapes.channelsPerGroup;
  const std::int64_t filters = shapes.filtersPerGroup;
  const std::int64_t taps = shapes.window.taps();
  Tensor result(ElementType::Float32, Shape{channels, taps * filters});
  const float* from = weights.values<float>().data();
  float* to = result.mutableValues<float>().data();
  for (std::int64_t channel = 0; channel < channels; ++channel, to += taps * filters) {
    for (std::int64_t filter = 0; filter < filters; ++filter) {
      for (std::int64_t tap = 0; tap < taps; ++tap) to[tap * filters + filter] = *from++;
    }
  }
  return result;
}

// Adds the products of one row of x, [columns of x, taps, filters], to one image of the result.
class RowSpreader {
 public:
  explicit RowSpreader(const ConvolutionShapes& shapes)
      : m_down(shapes.window.axes[0]),
        m_across(shapes.window.axes[1]),
        m_filters(shapes.filtersPerGroup) {}

  // Adds only to the lines [first, end) of the image.
  void spread(const float* products, std::int64_t row, std::int64_t first, std::int64_t end,
              float* image) const {
    for (std::int64_t i = 0; i < m_down.kernel; ++i) {
      const std::int64_t target = row * m_down.stride - m_down.padBegin + i * m_down.dilation;
      if (target < first || target >= end) continue;
      spreadLine(products + i * m_across.kernel * m_filters,
                 image + target * m_across.input * m_filters);
    }
  }

 private:
  void spreadLine(const float* products, float* line) const {
    const std::int64_t step = m_down.kernel * m_across.kernel * m_filters;
    for (std::int64_t j = 0; j < m_across.kernel; ++j, products += m_filters) {
      // The place where the tap meets the line.
      const std::int64_t start = j * m_across.dilation - m_across.padBegin;
      const std::int64_t first = std::max<std::int64_t>(0, divideUp(-start, m_across.stride));
      const std::int64_t last =
          std::min(m_across.output, divideUp(m_across.input - start, m_across.stride));
      for (std::int64_t column = first; column < last; ++column) {
        const float* from = products + column * step;
        float* to = line + (start + column * m_across.stride) * m_filters;
        for (std::int64_t f = 0; f < m_filters; ++f) to[f] += from[f];
      }
    }
  }

  WindowAxis m_down;
  WindowAxis m_across;
  std::int64_t m_filters;
};

void fillWithBias(const Tensor& bias, std::int64_t filters, std::span<float> y) {
  std::ranges::fill(y, 0.0F);
  if (!bias.defined()) return;
  const std::span<const float> addends = bias.values<float>();
  for (auto to = y.begin(); to != y.end(); to += filters) std::ranges::copy(addends, to);
}

}  // namespace

TransposedProduct::TransposedProduct(bool constantWeights)
    : m_turned(constantWeights ? kConstantCapacity : 1), m_product(constantWeights, false) {}

bool TransposedProduct::suits(const ConvolutionShapes& shapes) {
  if (shapes.groups != 1 || shapes.window.axes.size() != 2 || shapes.window.taps() == 1) {
    return false;
  }
  return std::ranges::any_of(shapes.window.axes,
                             [](const WindowAxis& axis) { return axis.stride > 1; });
}

Tensor TransposedProduct::turned(const ConvolutionShapes& shapes, const Tensor& weights) const {
  const auto matches = [&](const Turned& entry) {
    return entry.source.sharesElementsWith(weights);
  };
  const auto make = [&] {
    return std::make_shared<const Turned>(Turned{weights, byTap(shapes, weights)});
  };
  return m_turned.findOrMake(matches, make)->byTap;
}

Tensor TransposedProduct::run(const ConvolutionShapes& shapes, const Tensor& x,
                              const Tensor& weights, const Tensor& bias) const {
  Tensor y(ElementType::Float32, shapes.output, Layout::ChannelsLast);
  if (y.elementCount() == 0) return y;
  fillWithBias(bias, shapes.filtersPerGroup, y.mutableValues<float>());
  const Tensor factors = turned(shapes, weights);
  const std::int64_t rows = shapes.window.axes[0].output;
  const std::int64_t columns = shapes.window.axes[1].output;
  // Rows of x come in blocks, whose products are made and spread in parts of an item: in what order
  // sums are made is not changed by it.
  const std::int64_t perRow = columns * factors.shape()[1];
  const std::int64_t block = std::clamp<std::int64_t>(kBlockSize / perRow, 1, rows);
  std::vector<float> products(static_cast<std::size_t>(block * perRow));
  const RowSpreader spreader(shapes);
  const WindowAxis& down = shapes.window.axes[0];
  const std::int64_t lineCost = divideUp(perRow, down.stride);
  const auto grain = std::max<std::size_t>(1, kPieceElements / static_cast<std::size_t>(lineCost));
  const float* source = x.values<float>().data();
  float* image = y.mutableValues<float>().data();
  for (std::int64_t n = 0; n < shapes.output[0]; ++n) {
    for (std::int64_t row = 0; row < rows; row += block) {
      const std::int64_t count = std::min(block, rows - row);
      m_product.run(source, count * columns, factors, {}, products.data());
      source += count * columns * shapes.channelsPerGroup;
      const std::int64_t top = row * down.stride - down.padBegin;
      const std::int64_t first = std::clamp<std::int64_t>(top, 0, down.input);
      const std::int64_t end =
          std::clamp<std::int64_t>(top + (count - 1) * down.stride + down.span(), 0, down.input);
      forEachPiece(static_cast<std::size_t>(end - first), grain,
                   [&](std::size_t from, std::size_t to) {
                     for (std::int64_t i = 0; i < count; ++i) {
                       spreader.spread(products.data() + i * perRow, row + i,
                                       first + static_cast<std::int64_t>(from),
                                       first + static_cast<std::int64_t>(to), image);
                     }
                   });
    }
    image += shapes.output.elementCount(1, 4);
  }
  return y;
}

}  // namespace quantscope
