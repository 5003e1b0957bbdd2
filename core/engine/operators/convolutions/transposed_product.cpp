#include "engine/operators/convolutions/transposed_product.h"

#include <algorithm>
#include <vector>

namespace quantscope {
namespace {

// A node meets its own weights in every run, and others per quantization that is being evaluated.
constexpr std::size_t kConstantCapacity = 4;

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

// Adds what one row of x gives, [columns of x, taps, filters], to one image of the result.
class RowSpreader {
 public:
  explicit RowSpreader(const ConvolutionShapes& shapes)
      : m_down(shapes.window.axes[0]),
        m_across(shapes.window.axes[1]),
        m_filters(shapes.filtersPerGroup) {}

  void spread(const float* products, std::int64_t row, float* image) const {
    for (std::int64_t i = 0; i < m_down.kernel; ++i) {
      const std::int64_t target = row * m_down.stride - m_down.padBegin + i * m_down.dilation;
      if (target < 0 || target >= m_down.input) continue;
      spreadLine(products + i * m_across.kernel * m_filters,
                 image + target * m_across.input * m_filters);
    }
  }

 private:
  void spreadLine(const float* products, float* line) const {
    const std::int64_t step = m_down.kernel * m_across.kernel * m_filters;
    for (std::int64_t j = 0; j < m_across.kernel; ++j, products += m_filters) {
      // Where the tap meets the line.
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
  std::vector<float> products(static_cast<std::size_t>(columns * factors.shape()[1]));
  const RowSpreader spreader(shapes);
  const float* source = x.values<float>().data();
  float* image = y.mutableValues<float>().data();
  for (std::int64_t n = 0; n < shapes.output[0]; ++n) {
    for (std::int64_t row = 0; row < rows; ++row, source += columns * shapes.channelsPerGroup) {
      m_product.run(source, columns, factors, {}, products.data());
      spreader.spread(products.data(), row, image);
    }
    image += shapes.output.elementCount(1, 4);
  }
  return y;
}

}  // namespace quantscope
