#include "engine/operators/resampling/interpolation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/error.h"

namespace quantscope {
namespace {

template <class Value, std::size_t kCount>
Value lookUp(const std::array<std::pair<std::string_view, Value>, kCount>& words,
             const std::string& word, const char* attribute) {
  for (const auto& [name, value] : words) {
    if (name == word) return value;
  }
  throw Error(ErrorCode::InvalidModel,
              "'" + word + "' is no value of the attribute '" + attribute + "'");
}

Interpolation::Mode readMode(const Node& node) {
  using enum Interpolation::Mode;
  constexpr std::array<std::pair<std::string_view, Interpolation::Mode>, 4> kModes{
      {{"nearest", Nearest}, {"linear", Linear}, {"bilinear", Linear}, {"cubic", Cubic}}};
  return lookUp(kModes, node.text("mode", "nearest"), "mode");
}

Interpolation::Coordinates readCoordinates(const Node& node) {
  using enum Interpolation::Coordinates;
  constexpr std::array<std::pair<std::string_view, Interpolation::Coordinates>, 7> kCoordinates{
      {{"half_pixel", HalfPixel},
       {"half_pixel_symmetric", HalfPixelSymmetric},
       {"pytorch_half_pixel", PytorchHalfPixel},
       {"align_corners", AlignCorners},
       {"asymmetric", Asymmetric},
       {"tf_half_pixel_for_nn", TfHalfPixelForNearest},
       {"tf_crop_and_resize", TfCropAndResize}}};
  constexpr const char* kName = "coordinate_transformation_mode";
  return lookUp(kCoordinates, node.text(kName, "half_pixel"), kName);
}

Interpolation::Rounding readRounding(const Node& node) {
  using enum Interpolation::Rounding;
  constexpr std::array<std::pair<std::string_view, Interpolation::Rounding>, 4> kRoundings{
      {{"round_prefer_floor", PreferFloor},
       {"round_prefer_ceil", PreferCeil},
       {"floor", Floor},
       {"ceil", Ceil}}};
  return lookUp(kRoundings, node.text("nearest_mode", "round_prefer_floor"), "nearest_mode");
}

// Computes in float and in this order of operations, like ONNX Runtime: where a coordinate falls on
// a tie, another precision would choose another neighbour.
float sourceCoordinate(Interpolation::Coordinates mode, const ResizedAxis& axis,
                       std::int64_t place) {
  using enum Interpolation::Coordinates;
  const auto x = static_cast<float>(place);
  const auto input = static_cast<float>(axis.input);
  switch (mode) {
    case HalfPixel:
      break;
    case HalfPixelSymmetric: {
      const float adjustment = static_cast<float>(axis.output) / axis.length;
      const float offset = input / 2 * (1 - adjustment);
      return offset + (x + 0.5F) / axis.scale - 0.5F;
    }
    case PytorchHalfPixel:
      return axis.output > 1 ? (x + 0.5F) / axis.scale - 0.5F : 0;
    case AlignCorners:
      return axis.output == 1 ? 0 : x * (input - 1) / (axis.length - 1);
    case Asymmetric:
      return x / axis.scale;
    case TfHalfPixelForNearest:
      return (x + 0.5F) / axis.scale;
    case TfCropAndResize: {
      if (axis.output == 1) return 0.5F * (axis.roiStart + axis.roiEnd) * (input - 1);
      const float step = (axis.roiEnd - axis.roiStart) * (input - 1) / (axis.length - 1);
      return axis.roiStart * (input - 1) + x * step;
    }
  }
  return (x + 0.5F) / axis.scale - 0.5F;
}

float roundedCoordinate(Interpolation::Rounding rounding, float x, float scale) {
  switch (rounding) {
    case Interpolation::Rounding::PreferFloor:
      return std::ceil(x - 0.5F);
    case Interpolation::Rounding::PreferCeil:
      return std::floor(x + 0.5F);
    case Interpolation::Rounding::Floor:
      return std::floor(x);
    case Interpolation::Rounding::Ceil:
      return std::ceil(x);
    case Interpolation::Rounding::FloorOrCeilWhenShrinking:
      break;
  }
  return scale < 1 ? std::ceil(x) : std::floor(x);
}

float triangle(float x) {
  return std::max(0.0F, 1 - std::abs(x));
}

float cubic(float x, float a) {
  const float d = std::abs(x);
  if (d < 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return (((d - 5) * d + 8) * d - 4) * a;
  return 0;
}

// Coordinates far outside see the edge alone; near it they stay countable.
float nearInput(float x, const ResizedAxis& axis) {
  constexpr float kMargin = 4;
  const float highest = static_cast<float>(axis.input) + kMargin;
  return x > -kMargin ? std::min(x, highest) : -kMargin;
}

// Elements to either side that the filter reaches.
float reachOf(const Interpolation& interpolation) {
  return interpolation.mode == Interpolation::Mode::Cubic ? 2.0F : 1.0F;
}

// The taps of one output before they are clamped to the input.
class TapWriter {
 public:
  TapWriter(const Interpolation& interpolation, const ResizedAxis& axis)
      : m_interpolation(interpolation), m_axis(axis) {
    using enum Interpolation::Mode;
    // Only a smaller result needs a wider filter.
    m_stretch = interpolation.antialias ? std::min(1.0F, axis.scale) : 1.0F;
    if (interpolation.mode == Nearest) {
      m_count = 1;
    } else {
      m_first = static_cast<std::int64_t>(std::floor(-reachOf(interpolation) / m_stretch)) + 1;
      m_count = 2 - 2 * m_first;
    }
  }

  std::int64_t count() const { return m_count; }

  void write(float x, std::int64_t* sources, float* weights) const {
    if (m_interpolation.mode == Interpolation::Mode::Nearest) {
      *sources = clampSource(
          static_cast<std::int64_t>(roundedCoordinate(m_interpolation.rounding, x, m_axis.scale)));
      *weights = 1;
      return;
    }
    const float base = std::floor(x);
    const bool excludes = m_interpolation.excludeOutside;
    float sum = 0;
    for (std::int64_t i = 0; i < m_count; ++i) {
      const std::int64_t source = static_cast<std::int64_t>(base) + m_first + i;
      const bool excluded = excludes && source != clampSource(source);
      sources[i] = clampSource(source);
      weights[i] = excluded ? 0 : filter((static_cast<float>(m_first + i) - (x - base)));
      sum += weights[i];
    }
    if (sum == 0 || (!excludes && !m_interpolation.antialias)) return;
    for (std::int64_t i = 0; i < m_count; ++i) weights[i] /= sum;
  }

 private:
  std::int64_t clampSource(std::int64_t source) const {
    return std::clamp<std::int64_t>(source, 0, m_axis.input - 1);
  }
  float filter(float distance) const {
    const float scaled = distance * m_stretch;
    return m_interpolation.mode == Interpolation::Mode::Cubic
               ? cubic(scaled, m_interpolation.cubicCoefficient)
               : triangle(scaled);
  }

  const Interpolation& m_interpolation;
  const ResizedAxis& m_axis;
  float m_stretch;
  std::int64_t m_first = 0;
  std::int64_t m_count;
};

}  // namespace

Interpolation::Interpolation(const Node& node)
    : mode(readMode(node)),
      cubicCoefficient(node.real("cubic_coeff_a", -0.75F)),
      excludeOutside(node.integer("exclude_outside", 0) != 0),
      antialias(node.integer("antialias", 0) != 0) {
  if (node.op == "Upsample" || node.version < 11) {
    coordinates = Coordinates::Asymmetric;
    rounding = Rounding::FloorOrCeilWhenShrinking;
  } else {
    coordinates = readCoordinates(node);
    rounding = readRounding(node);
  }
}

AxisTaps tapsOf(const Interpolation& interpolation, const ResizedAxis& axis) {
  if (axis.output == 0) return {};
  const TapWriter writer(interpolation, axis);
  const auto outputs = static_cast<std::size_t>(axis.output);
  AxisTaps taps;
  taps.perOutput = static_cast<std::size_t>(writer.count());
  taps.sources.resize(outputs * taps.perOutput);
  taps.weights.resize(outputs * taps.perOutput);
  taps.outside.resize(outputs);
  const bool crops = interpolation.coordinates == Interpolation::Coordinates::TfCropAndResize;
  for (std::size_t i = 0; i < outputs; ++i) {
    const float x = sourceCoordinate(interpolation.coordinates, axis, static_cast<std::int64_t>(i));
    taps.outside[i] = crops && (x < 0 || x > static_cast<float>(axis.input - 1));
    writer.write(nearInput(x, axis), &taps.sources[i * taps.perOutput],
                 &taps.weights[i * taps.perOutput]);
  }
  return taps;
}

void cubicWeights(float fraction, float a, std::span<float, 4> weights) {
  for (std::size_t i = 0; i < 4; ++i) {
    weights[i] = cubic(static_cast<float>(i) - 1 - fraction, a);
  }
}

}  // namespace quantscope
