#pragma once

#include <QRectF>
#include <cstdint>
#include <vector>

namespace quantscope {

/// Finds the items in a rectangle without checking all: items are entered by rectangles into a grid
/// of square cells.
class SpatialIndex {
 public:
  SpatialIndex() = default;
  /// `expected` items, spread over `bounds`; items outside count to the cells at the rim.
  SpatialIndex(const QRectF& bounds, std::size_t expected);

  /// An item may be entered several times, with parts of it.
  void add(std::uint32_t item, const QRectF& part);
  /// After the last add(), before the first find().
  void finish();

  /// Items with a part in a cell that meets `area`: all that meet it and some near it; each once,
  /// in rising order.
  std::vector<std::uint32_t> find(const QRectF& area) const;

 private:
  struct Cells {
    int left, top, right, bottom;
  };
  struct Entry {
    std::uint32_t cell;
    std::uint32_t item;
  };
  Cells cellsOf(const QRectF& area) const;

  QRectF m_bounds;
  double m_cell = 1;
  int m_columns = 1;
  int m_rows = 1;
  std::vector<Entry> m_entries;         // until finish()
  std::vector<std::uint32_t> m_starts;  // per cell, into m_items; one more than there are cells
  std::vector<std::uint32_t> m_items;
};

}  // namespace quantscope
