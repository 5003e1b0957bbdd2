#include "widgets/graph/drawing/spatial_index.h"

#include <algorithm>
#include <cmath>

namespace quantscope {
namespace {

// A cell holds a handful of boxes; smaller ones would only make long edges more expensive.
constexpr double kSmallestCell = 256;
constexpr double kMostCellsPerItem = 4;

int cellAt(double position, double cell, int count) {
  return static_cast<int>(std::clamp(std::floor(position / cell), 0.0, count - 1.0));
}

}  // namespace

SpatialIndex::SpatialIndex(const QRectF& bounds, std::size_t expected) : m_bounds(bounds) {
  const double area = std::max(1.0, bounds.width()) * std::max(1.0, bounds.height());
  const double most = kMostCellsPerItem * static_cast<double>(std::max<std::size_t>(expected, 16));
  m_cell = std::max(kSmallestCell, std::sqrt(area / most));
  m_columns = std::max(1, static_cast<int>(std::ceil(bounds.width() / m_cell)));
  m_rows = std::max(1, static_cast<int>(std::ceil(bounds.height() / m_cell)));
}

SpatialIndex::Cells SpatialIndex::cellsOf(const QRectF& area) const {
  return {.left = cellAt(area.left() - m_bounds.left(), m_cell, m_columns),
          .top = cellAt(area.top() - m_bounds.top(), m_cell, m_rows),
          .right = cellAt(area.right() - m_bounds.left(), m_cell, m_columns),
          .bottom = cellAt(area.bottom() - m_bounds.top(), m_cell, m_rows)};
}

void SpatialIndex::add(std::uint32_t item, const QRectF& part) {
  const Cells cells = cellsOf(part);
  for (int row = cells.top; row <= cells.bottom; ++row) {
    for (int column = cells.left; column <= cells.right; ++column) {
      m_entries.push_back({static_cast<std::uint32_t>(row * m_columns + column), item});
    }
  }
}

void SpatialIndex::finish() {
  m_starts.assign(static_cast<std::size_t>(m_columns) * static_cast<std::size_t>(m_rows) + 1, 0);
  for (const Entry& entry : m_entries) ++m_starts[entry.cell + 1];
  for (std::size_t i = 1; i < m_starts.size(); ++i) m_starts[i] += m_starts[i - 1];
  m_items.resize(m_entries.size());
  std::vector<std::uint32_t> next(m_starts.begin(), m_starts.end() - 1);
  for (const Entry& entry : m_entries) m_items[next[entry.cell]++] = entry.item;
  m_entries = {};
}

std::vector<std::uint32_t> SpatialIndex::find(const QRectF& area) const {
  std::vector<std::uint32_t> found;
  if (m_starts.empty()) return found;
  const Cells cells = cellsOf(area);
  for (int row = cells.top; row <= cells.bottom; ++row) {
    const auto line = static_cast<std::size_t>(row) * static_cast<std::size_t>(m_columns);
    const std::uint32_t begin = m_starts[line + static_cast<std::size_t>(cells.left)];
    const std::uint32_t end = m_starts[line + static_cast<std::size_t>(cells.right) + 1];
    found.insert(found.end(), m_items.begin() + begin, m_items.begin() + end);
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

}  // namespace quantscope
