#pragma once

#include <QPoint>
#include <QRect>
#include <memory>
#include <vector>

#include "export/pictures/scope_bands.h"
#include "widgets/heatmap/worst_pyramid.h"

namespace quantscope {

/// The shown table: its rows, their order, and the grey cells.
struct HeatmapScene {
  std::shared_ptr<const HeatmapData> data = std::make_shared<HeatmapData>();
  HeatmapSort sort;
  HeatmapFilter filter;
  double threshold = 0;  ///< figures calmer than this position of their scale are grey
  std::vector<int> order;
  WorstPyramid pyramid;
  std::vector<ScopeBand> bands;  ///< rows of `order`; none while sorted

  /// Updates the derived fields.
  void arrange();
  int rows() const { return static_cast<int>(order.size()); }
  /// Where a row of the data is shown; −1 = it is not.
  int shownRow(int dataRow) const;
  /// A cell by its place on screen.
  float heat(int row, int column) const;
  /// The scale of a measure of the data; all are of errors, or all of differences.
  ErrorScale anyScale() const;
  /// The worst cell of a rectangle of shown rows and columns, as its place on screen (x = column,
  /// y = row).
  QPoint worstCell(CellSpan rows, CellSpan columns) const;
  float rowHeat(int row) const;
  /// The worst of neighbouring shown rows.
  int worstRow(CellSpan rows) const;
};

/// Where everything is: rectangles in logical pixels of the widget or picture, cells in device
/// pixels, so that edges are sharp on every screen.
struct HeatmapLayout {
  CellAxis rows;
  CellAxis columns;
  QPoint origin;  ///< device pixel of the table at the upper left of `cells`
  double ratio = 1;
  QRect cells;
  int levels = 0;        ///< of scope brackets
  bool upright = false;  ///< column titles are written upwards, for want of width

  int headWidth() const { return cells.left(); }
  int headHeight() const { return cells.top(); }
  double rowHeight() const { return rows.size / ratio; }
  double columnWidth() const { return columns.size / ratio; }
  /// In widget coordinates; not clipped to `cells`.
  QRectF rowRect(CellSpan span) const;
  QRectF columnRect(CellSpan span) const;
  CellSpan rowsAt(double y) const;
  CellSpan columnsAt(double x) const;
  CellSpan visibleRows() const;
  CellSpan visibleColumns() const;
};

}  // namespace quantscope
