#pragma once

#include <QAbstractScrollArea>
#include <optional>

#include "widgets/heatmap/heatmap_headers.h"
#include "widgets/heatmap/heatmap_raster.h"
#include "widgets/heatmap/heatmap_scene.h"

namespace quantscope {

/// Draws a table of figures as coloured cells with frozen heads, from all of it at a glance to
/// single cells with their numbers. Rows and columns are named by their index in the data, however
/// they are sorted on screen; −1 = none.
class HeatmapCanvas : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit HeatmapCanvas(QWidget* parent = nullptr);

  /// Zoom, sorting and cursor stay where the table has the same rows and columns as before.
  void setData(std::shared_ptr<const HeatmapData> table);
  const HeatmapScene& scene() const { return m_scene; }
  const HeatmapLayout& cellLayout() const { return m_layout; }
  /// Shown in place of a table without cells.
  void setMessage(const QString& message);
  /// Figures calmer than this position of their scale are grey; 0 = none is.
  void setThreshold(double position);
  void setFilter(HeatmapFilter filter);
  void setSort(HeatmapSort sort);

  /// Sets the cursor and makes it visible, and the rows that are selected beside it.
  void setCurrent(int row, int column, std::vector<int> more = {});
  /// Makes the row there current, as a click does.
  void pickAt(QPointF position);
  int currentRow() const { return m_row; }
  int currentColumn() const { return m_column; }

  void fit();
  bool fitted() const { return m_fitted; }
  /// Keeps the cell under `position` where it is.
  void zoomAt(QPointF position, double factor);
  /// Makes a rectangle of the viewport fill it.
  void zoomTo(const QRectF& rect);

  /// The whole table, whatever part is on screen.
  QSize wholeSize() const;
  void paintWhole(QPainter& painter, const Theme& theme) const;

 Q_SIGNALS:
  /// A cell (or with column −1 a row) was chosen.
  void picked(int row, int column);
  /// The user has added a row to the selection, or removed one.
  void toggled(int row);
  void cleared();
  void centreRequested();
  /// The cell under the mouse: where a pixel stands for several, the worst of `cells`.
  void hovered(int row, int column, int cells);
  void arranged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  /// The worst cell at a place of the viewport, or the row or column whose head is there.
  struct Place {
    int row = -1;
    int column = -1;
    int cells = 0;
  };
  Place placeAt(QPointF position) const;
  bool inCorner(QPointF position) const;
  int dataRow(int shownRow) const;

  void arrange();
  void relayout();
  HeatmapLayout layoutFor(QSize size, double ratio) const;
  void clampSizes(QSizeF area);
  void scrollTo(QPointF position);
  void ensureVisible();
  void hover(const Place& place);
  void pick(int shownRow, int column);
  void sortBy(int column);
  void moveCursor(int rows, int columns);
  HeatmapMarks marks() const;
  QString tip(const Place& place) const;
  void paintMarks(QPainter& painter, const Theme& theme) const;
  void paintMessage(QPainter& painter, const Theme& theme) const;

  HeatmapScene m_scene;
  HeatmapLayout m_layout;
  HeatmapRaster m_raster;
  QString m_message;
  double m_rowSize = 20;
  double m_columnSize = 40;
  bool m_fitted = true;
  int m_row = -1;
  int m_column = -1;
  std::vector<int> m_more;
  Place m_hover;
  std::optional<QPointF> m_pressed;
  std::optional<QPointF> m_panned;
  QRectF m_band;
};

}  // namespace quantscope
