#include "engine/operators/convolutions/padded_rows.h"

#include <algorithm>

#include "tensor/transpose_plane.h"

namespace quantscope {

PaddedRows::PaddedRows(const Window& window, std::int64_t channels, const float* image,
                       Layout layout)
    : m_down(window.axes[0]),
      m_across(window.axes[1]),
      m_channels(channels),
      m_image(image),
      m_layout(layout),
      m_width(m_across.paddedInput()),
      m_loaded(static_cast<std::size_t>(m_down.span()), -1),
      m_zeros(static_cast<std::size_t>(m_width * channels)),
      m_runs(static_cast<std::size_t>(m_down.kernel)) {
  const bool padded = m_across.padBegin > 0 || m_width > m_across.input;
  if (!padded && layout != Layout::Plain) return;
  m_rows.resize(static_cast<std::size_t>(m_down.span() * m_width * channels));
}

std::span<const float* const> PaddedRows::at(std::int64_t row) {
  for (std::int64_t i = 0; i < m_down.kernel; ++i) {
    const std::int64_t source = row * m_down.stride - m_down.padBegin + i * m_down.dilation;
    const bool inside = source >= 0 && source < m_down.input;
    m_runs[static_cast<std::size_t>(i)] = inside ? line(source) : m_zeros.data();
  }
  return m_runs;
}

const float* PaddedRows::line(std::int64_t source) {
  if (m_rows.empty()) return m_image + source * m_across.input * m_channels;
  // The rows that a window sees are fewer than its span apart; the pads keep their zeros.
  const std::int64_t slot = source % m_down.span();
  float* to = m_rows.data() + slot * m_width * m_channels;
  if (m_loaded[static_cast<std::size_t>(slot)] != source) {
    load(source, to + m_across.padBegin * m_channels);
    m_loaded[static_cast<std::size_t>(slot)] = source;
  }
  return to;
}

void PaddedRows::load(std::int64_t source, float* to) const {
  const std::int64_t width = m_across.input;
  if (m_layout == Layout::ChannelsLast) {
    std::copy_n(m_image + source * width * m_channels, width * m_channels, to);
    return;
  }
  transposePlane(reinterpret_cast<const std::byte*>(m_image + source * width),
                 reinterpret_cast<std::byte*>(to), sizeof(float),
                 {.rows = width,
                  .columns = m_channels,
                  .sourceStride = m_down.input * width,
                  .targetStride = m_channels});
}

}  // namespace quantscope
