#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/operators/window.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The rows of an image that a window sees while it moves down, channels-last and with zeros for
/// its pads.
class PaddedRows {
 public:
  /// Of `image`, which has `channels` and that layout, and two axes.
  PaddedRows(const Window& window, std::int64_t channels, const float* image, Layout layout);

  /// The beginnings of each filter row's inputs at the first place of output row `row`; valid until
  /// the next call.
  std::span<const float* const> at(std::int64_t row);

 private:
  const float* line(std::int64_t source);
  void load(std::int64_t source, float* to) const;

  WindowAxis m_down;
  WindowAxis m_across;
  std::int64_t m_channels;
  const float* m_image;
  Layout m_layout;
  std::int64_t m_width;                // of a row with its pads
  std::vector<std::int64_t> m_loaded;  // by slot: the row of the image
  std::vector<float> m_rows;           // a ring of as many rows as the window spans
  std::vector<float> m_zeros;          // a row outside the image
  std::vector<const float*> m_runs;
};

}  // namespace quantscope
