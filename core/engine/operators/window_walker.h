#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/operators/window.h"

namespace quantscope {

/// Visits the positions of a sliding window and lists which elements each of them sees.
class WindowWalker {
 public:
  struct Tap {
    std::int64_t tap;     ///< row-major index within the kernel
    std::int64_t source;  ///< row-major index within the input's spatial axes
  };

  explicit WindowWalker(const Window& window);

  /// The taps that lie inside the input at output position `position` (row-major), in row-major
  /// order; valid until the next call.
  std::span<const Tap> at(std::int64_t position);

  /// Elements of the kernel at `position` that lie inside the input or its padding.
  std::int64_t paddedTaps(std::int64_t position) const;

 private:
  bool stepAcross();
  bool findInside(std::int64_t position, std::int64_t& first) const;
  void collect(std::int64_t position);

  const Window& m_window;
  std::int64_t m_position = -1;  // the last one
  std::int64_t m_across = 0;     // its place along the innermost axis
  bool m_inside = false;         // its window lies inside the input as a whole
  std::vector<Tap> m_taps;
  std::vector<Tap> m_outer;
  // Seen from a window that lies inside the input as a whole; sources relative to the first.
  std::vector<Tap> m_pattern;
};

}  // namespace quantscope
