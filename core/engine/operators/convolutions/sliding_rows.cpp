#include "engine/operators/convolutions/sliding_rows.h"

#include <algorithm>

#include "kernels/network/tap_products.h"
#include "tensor/transpose_plane.h"

namespace quantscope {
namespace {

std::size_t roundedUp(std::int64_t places) {
  return (static_cast<std::size_t>(places) + kTapPlaces - 1) / kTapPlaces * kTapPlaces;
}

}  // namespace

SlidingRows::SlidingRows(const Window& window, std::int64_t channels)
    : m_down(window.axes[0]),
      m_across(window.axes[1]),
      m_channels(channels),
      m_places(roundedUp(m_across.output)),
      m_width(std::max(m_across.padBegin + m_across.input,
                       static_cast<std::int64_t>(m_places) + m_across.span())),
      m_rows(static_cast<std::size_t>(m_down.span() * m_width * channels)),
      m_zeros(static_cast<std::size_t>(m_width * channels)),
      m_taps(static_cast<std::size_t>(window.taps() * channels)) {}

void SlidingRows::start(const float* image, Layout layout) {
  m_image = image;
  m_layout = layout;
  m_next = 0;
}

float* SlidingRows::rowOf(std::int64_t inputRow) {
  return m_rows.data() + inputRow % m_down.span() * m_width * m_channels;
}

// The pads keep the zeros that they begin with.
void SlidingRows::load(std::int64_t inputRow) {
  const std::int64_t width = m_across.input;
  float* row = rowOf(inputRow) + m_across.padBegin;
  if (m_layout == Layout::ChannelsLast) {
    const float* from = m_image + inputRow * width * m_channels;
    transposePlane(reinterpret_cast<const std::byte*>(from), reinterpret_cast<std::byte*>(row),
                   sizeof(float),
                   {.rows = m_channels,
                    .columns = width,
                    .sourceStride = m_channels,
                    .targetStride = m_width});
    return;
  }
  for (std::int64_t channel = 0; channel < m_channels; ++channel) {
    const float* from = m_image + (channel * m_down.input + inputRow) * width;
    std::copy_n(from, width, row + channel * m_width);
  }
}

std::span<const float* const> SlidingRows::at(std::int64_t row) {
  const std::int64_t start = row * m_down.stride - m_down.padBegin;
  const std::int64_t end = std::min(start + m_down.span(), m_down.input);
  for (m_next = std::max(m_next, start); m_next < end; ++m_next) load(m_next);
  auto tap = m_taps.begin();
  for (std::int64_t i = 0; i < m_down.kernel; ++i) {
    const std::int64_t source = start + i * m_down.dilation;
    const bool inside = source >= 0 && source < m_down.input;
    const float* line = inside ? rowOf(source) : m_zeros.data();
    for (std::int64_t channel = 0; channel < m_channels; ++channel, line += m_width) {
      for (std::int64_t j = 0; j < m_across.kernel; ++j) *tap++ = line + j * m_across.dilation;
    }
  }
  return m_taps;
}

}  // namespace quantscope
