#include "calibration/images/resize.h"

#include <algorithm>
#include <cmath>

namespace quantscope {
namespace {

// The input pixels that one output pixel is made of.
struct Window {
  int first = 0;
  std::vector<float> weights;
};

Window windowOf(int output, int inputs, int outputs) {
  const double ratio = static_cast<double>(inputs) / outputs;
  const double support = std::max(1.0, ratio);
  const double centre = (output + 0.5) * ratio;
  Window window;
  window.first = std::max(0, static_cast<int>(std::floor(centre - support + 0.5)));
  const int end = std::min(inputs, static_cast<int>(std::floor(centre + support + 0.5)));

  std::vector<double> weights;
  double sum = 0;
  for (int i = window.first; i < end; ++i) {
    weights.push_back(std::max(0.0, 1 - std::abs(i + 0.5 - centre) / support));
    sum += weights.back();
  }
  for (const double weight : weights) window.weights.push_back(static_cast<float>(weight / sum));
  return window;
}

std::vector<Window> windowsOf(int inputs, int outputs) {
  std::vector<Window> windows;
  windows.reserve(static_cast<std::size_t>(outputs));
  for (int output = 0; output < outputs; ++output) {
    windows.push_back(windowOf(output, inputs, outputs));
  }
  return windows;
}

FloatPicture resizeRows(const RgbPicture& picture, int width) {
  FloatPicture result({.height = picture.size.height, .width = width});
  const std::vector<Window> windows = windowsOf(picture.size.width, width);
  for (int y = 0; y < result.size.height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Window& window = windows[static_cast<std::size_t>(x)];
      const std::uint8_t* source = picture.at(y, window.first);
      float* const target = result.at(y, x);
      for (const float weight : window.weights) {
        for (int c = 0; c < 3; ++c) target[c] += weight * static_cast<float>(*source++);
      }
    }
  }
  return result;
}

FloatPicture resizeColumns(const FloatPicture& picture, int height) {
  FloatPicture result({.height = height, .width = picture.size.width});
  const std::vector<Window> windows = windowsOf(picture.size.height, height);
  const std::size_t rowLength = std::size_t{3} * static_cast<std::size_t>(picture.size.width);
  for (int y = 0; y < height; ++y) {
    const Window& window = windows[static_cast<std::size_t>(y)];
    const float* source = picture.at(window.first, 0);
    float* const target = result.at(y, 0);
    for (const float weight : window.weights) {
      for (std::size_t i = 0; i < rowLength; ++i) target[i] += weight * *source++;
    }
  }
  return result;
}

}  // namespace

FloatPicture resizeBilinear(const RgbPicture& picture, PictureSize size) {
  return resizeColumns(resizeRows(picture, size.width), size.height);
}

}  // namespace quantscope
