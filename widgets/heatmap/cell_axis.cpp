#include "widgets/heatmap/cell_axis.h"

#include <algorithm>
#include <cmath>

namespace quantscope {

int CellAxis::edge(int cell) const {
  return static_cast<int>(std::floor(cell * size + 0.5));
}

int CellAxis::length() const {
  return count == 0 ? 0 : std::max(1, edge(count));
}

CellSpan CellAxis::cellsAt(int pixel) const {
  const int pixels = length();
  if (pixel < 0 || pixel >= pixels) return {};
  if (size < 1) {
    const auto firstOf = [&](int at) { return static_cast<int>(std::ceil(at / size)); };
    return {firstOf(pixel), pixel + 1 == pixels ? count : std::min(firstOf(pixel + 1), count)};
  }
  int cell = std::clamp(static_cast<int>(pixel / size), 0, count - 1);
  while (cell > 0 && edge(cell) > pixel) --cell;
  while (cell + 1 < count && edge(cell + 1) <= pixel) ++cell;
  return {cell, cell + 1};
}

int CellAxis::begin(int cell) const {
  return size < 1 ? std::min(static_cast<int>(cell * size), length() - 1) : edge(cell);
}

int CellAxis::end(int cell) const {
  return size < 1 ? begin(cell) + 1 : edge(cell + 1);
}

}  // namespace quantscope
