#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/resampling/interpolation.h"
#include "engine/operators/resampling/resampling.h"

namespace quantscope {
namespace {

enum class Padding { Zeros, Border, Reflection };

struct GridSettings {
  Interpolation::Mode mode;
  Padding padding;
  bool alignCorners;
};

// From this many extents outside on, the exact coordinate has no effect.
constexpr float kFarthest = 1e6F;

GridSettings readSettings(const Node& node) {
  const std::string mode = node.text("mode", node.version < 20 ? "bilinear" : "linear");
  const std::string padding = node.text("padding_mode", "zeros");
  GridSettings settings{Interpolation::Mode::Linear, Padding::Zeros,
                        node.integer("align_corners", 0) != 0};
  if (mode == "nearest") settings.mode = Interpolation::Mode::Nearest;
  if (mode == "cubic" || mode == "bicubic") settings.mode = Interpolation::Mode::Cubic;
  if (padding == "border") settings.padding = Padding::Border;
  if (padding == "reflection") settings.padding = Padding::Reflection;
  return settings;
}

// x mirrored at the two ends until it lies between them.
float reflect(float x, float low, float high) {
  const float range = high - low;
  if (range <= 0) return low;
  const float distance = std::abs(x - low);
  const float turns = std::floor(distance / range);
  const float rest = distance - turns * range;
  return std::fmod(turns, 2.0F) == 0 ? low + rest : high - rest;
}

// One axis of the input, as the grid sees it.
class GridAxis {
 public:
  struct Taps {
    std::size_t count = 0;
    std::array<std::int64_t, 4> sources{};
    std::array<float, 4> weights{};
  };

  GridAxis(const GridSettings& settings, std::int64_t extent)
      : m_settings(settings),
        m_extent(extent),
        m_low(settings.alignCorners ? 0 : -0.5F),
        m_high(static_cast<float>(extent) - (settings.alignCorners ? 1.0F : 0.5F)) {}

  Taps at(float place) const {
    using enum Interpolation::Mode;
    float x = coordinate(place);
    if (m_settings.mode == Nearest) x = std::nearbyint(x);
    // The cubic filter pads each of its elements, the others where they look.
    if (m_settings.mode != Cubic) x = padded(x);
    if (m_settings.mode == Nearest) return tapsFrom(std::nearbyint(x), std::array{1.0F});
    const float base = std::floor(x);
    const float fraction = x - base;
    if (m_settings.mode == Linear) return tapsFrom(base, std::array{1 - fraction, fraction});
    std::array<float, 4> weights{};
    // The coefficient that the operator prescribes.
    cubicWeights(fraction, -0.75F, weights);
    return tapsFrom(base - 1, weights);
  }

 private:
  float coordinate(float place) const {
    const auto extent = static_cast<float>(m_extent);
    const float x =
        m_settings.alignCorners ? (place + 1) / 2 * (extent - 1) : ((place + 1) * extent - 1) / 2;
    const float limit = kFarthest * extent;
    return x > -limit ? std::min(x, limit) : -limit;
  }

  float padded(float x) const {
    if (x >= m_low && x <= m_high) return x;
    switch (m_settings.padding) {
      case Padding::Zeros:
        return x;
      case Padding::Border:
        return std::clamp(x, 0.0F, static_cast<float>(m_extent - 1));
      case Padding::Reflection:
        break;
    }
    return reflect(x, m_low, m_high);
  }

  template <std::size_t kCount>
  Taps tapsFrom(float first, const std::array<float, kCount>& weights) const {
    Taps taps;
    for (const float weight : weights) {
      const float x = first + static_cast<float>(taps.count);
      const bool outside = x < 0 || x > static_cast<float>(m_extent - 1);
      const float place = outside ? padded(x) : x;
      taps.sources[taps.count] =
          std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, m_extent - 1);
      taps.weights[taps.count] = outside && m_settings.padding == Padding::Zeros ? 0 : weight;
      ++taps.count;
    }
    return taps;
  }

  const GridSettings& m_settings;
  std::int64_t m_extent;
  float m_low;
  float m_high;
};

struct Sample {
  std::int64_t source;
  float weight;
};

// The elements of one image plane that the grid point `point` (innermost axis first) mixes.
void collectSamples(std::span<const GridAxis> axes, const Shape& strides, const float* point,
                    std::vector<Sample>& samples) {
  std::vector<Sample> outer;
  samples.assign(1, {0, 1});
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const GridAxis::Taps taps = axes[i].at(point[axes.size() - 1 - i]);
    std::swap(outer, samples);
    samples.clear();
    for (const Sample& sample : outer) {
      for (std::size_t k = 0; k < taps.count; ++k) {
        samples.push_back(
            {sample.source + taps.sources[k] * strides[i], sample.weight * taps.weights[k]});
      }
    }
  }
}

Shape sampledShape(const Shape& x, const Shape& grid) {
  const bool fits = x.rank() >= 3 && grid.rank() == x.rank() && grid[0] == x[0] &&
                    grid.back() == static_cast<std::int64_t>(x.rank()) - 2 &&
                    x.elementCount(2, x.rank()) > 0;
  if (!fits) {
    throw Error(ErrorCode::InvalidParameters, "a grid of shape " + toString(grid) +
                                                  " does not fit an input of shape " + toString(x));
  }
  Shape shape{x[0], x[1]};
  for (std::size_t axis = 1; axis + 1 < grid.rank(); ++axis) shape.append(grid[axis]);
  return shape;
}

Tensor gridSample(const GridSettings& settings, const Tensor& x, const Tensor& grid) {
  Tensor y(ElementType::Float32, sampledShape(x.shape(), grid.shape()));
  const Shape plane(x.shape().dimensions().subspan(2));
  const Shape strides = rowMajorStrides(plane);
  std::vector<GridAxis> axes;
  for (const std::int64_t extent : plane) axes.emplace_back(settings, extent);
  const std::int64_t inputs = plane.elementCount();
  const std::int64_t outputs = y.shape().elementCount(2, y.shape().rank());
  const std::int64_t channels = x.shape()[1];
  const float* point = grid.values<float>().data();
  std::vector<Sample> samples;
  for (std::int64_t n = 0; n < x.shape()[0]; ++n) {
    for (std::int64_t i = 0; i < outputs; ++i, point += plane.rank()) {
      collectSamples(axes, strides, point, samples);
      for (std::int64_t c = 0; c < channels; ++c) {
        const float* from = x.values<float>().data() + (n * channels + c) * inputs;
        float sum = 0;
        for (const Sample& sample : samples) sum += from[sample.source] * sample.weight;
        y.mutableValues<float>()[static_cast<std::size_t>((n * channels + c) * outputs + i)] = sum;
      }
    }
  }
  return y;
}

}  // namespace

std::unique_ptr<Kernel> makeGridSample(const Node& node, const Graph& /*graph*/) {
  const GridSettings settings = readSettings(node);
  return makeKernel([settings](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    setOutput(outputs, 0, gridSample(settings, requiredInput(inputs, 0), requiredInput(inputs, 1)));
  });
}

}  // namespace quantscope
