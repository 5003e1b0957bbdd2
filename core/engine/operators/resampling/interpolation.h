#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// How a resized axis finds its elements: Resize's attributes, for all axes.
struct Interpolation {
  enum class Mode { Nearest, Linear, Cubic };
  enum class Coordinates {
    HalfPixel,
    HalfPixelSymmetric,
    PytorchHalfPixel,
    AlignCorners,
    Asymmetric,
    TfHalfPixelForNearest,
    TfCropAndResize,
  };
  enum class Rounding { PreferFloor, PreferCeil, Floor, Ceil, FloorOrCeilWhenShrinking };

  Mode mode = Mode::Nearest;
  Coordinates coordinates = Coordinates::HalfPixel;
  Rounding rounding = Rounding::PreferFloor;
  float cubicCoefficient = -0.75F;
  bool excludeOutside = false;
  bool antialias = false;

  /// Reads a Resize or Upsample node of any version. Throws InvalidModel for unknown words.
  explicit Interpolation(const Node& node);
};

/// One axis of one run.
struct ResizedAxis {
  std::int64_t input;
  std::int64_t output;
  float scale;         ///< output per input
  float length;        ///< scale · input before it was rounded to `output`
  float roiStart = 0;  ///< the part of the input that is shown, of its extent
  float roiEnd = 1;
};

/// The elements that each output along one axis is the weighted sum of.
struct AxisTaps {
  std::size_t perOutput = 0;
  std::vector<std::int64_t> sources;  ///< [output, perOutput]
  std::vector<float> weights;         ///< likewise
  std::vector<char> outside;          ///< [output]: lies outside the input (crop-and-resize)
};

AxisTaps tapsOf(const Interpolation& interpolation, const ResizedAxis& axis);

/// Weights of the elements at floor(x) − 1 … floor(x) + 2 for the cubic convolution of Keys (1981)
/// with coefficient `a`; `fraction` = x − floor(x).
void cubicWeights(float fraction, float a, std::span<float, 4> weights);

}  // namespace quantscope
