#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/operators/window.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The rows of an image [C, H, W] that a window sees while it moves down, channel by channel and
/// with the pads on both sides filled in. Each row is copied once.
class SlidingRows {
 public:
  /// `window` has two axes and moves across by single steps.
  SlidingRows(const Window& window, std::int64_t channels);

  /// Begins with another image, whose elements are in that layout.
  void start(const float* image, Layout layout);

  /// The input of each tap at the first place of output row `row`, taps in the order of (row of the
  /// filter, channel, column); as many places as places() says follow. The rows of one image must
  /// be requested in ascending order; valid until the next call.
  std::span<const float* const> at(std::int64_t row);

  /// The places of an output row, rounded up to a multiple of kTapPlaces.
  std::size_t places() const { return m_places; }

 private:
  float* rowOf(std::int64_t inputRow);
  void load(std::int64_t inputRow);

  WindowAxis m_down;
  WindowAxis m_across;
  std::int64_t m_channels;
  std::size_t m_places;
  std::int64_t m_width;  // of a row with its pads
  const float* m_image = nullptr;
  Layout m_layout = Layout::Plain;
  std::int64_t m_next = 0;     // the first row not copied yet
  std::vector<float> m_rows;   // a ring of as many rows as the window spans
  std::vector<float> m_zeros;  // a row outside the image
  std::vector<const float*> m_taps;
};

}  // namespace quantscope
