#include "engine/operators/window_walker.h"

#include <algorithm>

namespace quantscope {
namespace {

// Calls visit(axis, place along it) from the innermost axis outwards.
template <class Visit>
void splitPosition(const Window& window, std::int64_t position, const Visit& visit) {
  for (std::size_t i = window.axes.size(); i-- > 0;) {
    const WindowAxis& axis = window.axes[i];
    visit(axis, position % axis.output);
    position /= axis.output;
  }
}

}  // namespace

WindowWalker::WindowWalker(const Window& window) : m_window(window) {}

// Most windows lie inside the input as a whole and see the same pattern, moved.
std::span<const WindowWalker::Tap> WindowWalker::at(std::int64_t position) {
  const bool isNext = m_inside && position == m_position + 1;
  m_position = position;
  if (isNext && stepAcross()) return m_taps;
  m_across = m_window.axes.empty() ? 0 : position % m_window.axes.back().output;
  std::int64_t first = 0;
  m_inside = findInside(position, first);
  if (m_inside && !m_pattern.empty()) {
    m_taps = m_pattern;
    for (Tap& tap : m_taps) tap.source += first;
    return m_taps;
  }
  collect(position);
  if (m_inside && m_window.positions() > 1) {
    m_pattern = m_taps;
    for (Tap& tap : m_pattern) tap.source -= first;
  }
  return m_taps;
}

// To the next position of the same row, without a division; false where the row ends or the window
// leaves the input.
bool WindowWalker::stepAcross() {
  const WindowAxis& axis = m_window.axes.back();
  ++m_across;
  const std::int64_t start = m_across * axis.stride - axis.padBegin;
  if (m_across == axis.output || start + axis.span() > axis.input) return false;
  for (Tap& tap : m_taps) tap.source += axis.stride;
  return true;
}

// True where all taps are inside; `first` is then the source of the first of them.
bool WindowWalker::findInside(std::int64_t position, std::int64_t& first) const {
  bool inside = true;
  std::int64_t sourceStride = 1;
  splitPosition(m_window, position, [&](const WindowAxis& axis, std::int64_t place) {
    const std::int64_t start = place * axis.stride - axis.padBegin;
    inside = inside && start >= 0 && start + axis.span() <= axis.input;
    first += start * sourceStride;
    sourceStride *= axis.input;
  });
  return inside;
}

void WindowWalker::collect(std::int64_t position) {
  // Goes from the innermost axis outwards: every axis puts its valid taps in front of those so far.
  m_taps.assign(1, {0, 0});
  std::int64_t tapStride = 1;
  std::int64_t sourceStride = 1;
  splitPosition(m_window, position, [&](const WindowAxis& axis, std::int64_t place) {
    const std::int64_t start = place * axis.stride - axis.padBegin;
    std::swap(m_outer, m_taps);
    m_taps.clear();
    for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
      const std::int64_t source = start + tap * axis.dilation;
      if (source < 0 || source >= axis.input) continue;
      for (const Tap& inner : m_outer) {
        m_taps.push_back({inner.tap + tap * tapStride, inner.source + source * sourceStride});
      }
    }
    tapStride *= axis.kernel;
    sourceStride *= axis.input;
  });
}

std::int64_t WindowWalker::paddedTaps(std::int64_t position) const {
  std::int64_t count = 1;
  splitPosition(m_window, position, [&](const WindowAxis& axis, std::int64_t place) {
    const std::int64_t start = place * axis.stride - axis.padBegin;
    const std::int64_t room = axis.input + axis.padEnd - start;
    const std::int64_t inside = (room + axis.dilation - 1) / axis.dilation;
    count *= std::clamp<std::int64_t>(inside, 0, axis.kernel);
  });
  return count;
}

}  // namespace quantscope
