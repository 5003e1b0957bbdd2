#include "widgets/heatmap/heatmap_canvas.h"

#include <QEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <utility>

namespace quantscope {
namespace {

// Logical pixels. Single cells are large enough for their number.
constexpr double kFitRow = 24;
constexpr double kMostRow = 30;
constexpr double kFitColumn = 56;
constexpr double kMostColumn = 72;
constexpr double kFitMeasure = 88;
constexpr double kMostMeasure = 120;
constexpr double kLeast = 1.0 / 64;
// Beyond this many pixels a whole picture is drawn smaller than one with a name on every row.
constexpr double kMostPicture = 8000;

bool hasMeasures(const HeatmapScene& scene) {
  return scene.data->heading().noun.isEmpty();
}

double fitSize(double length, int count, double most) {
  return count == 0 ? most : std::clamp(length / count, kLeast, most);
}

}  // namespace

HeatmapCanvas::HeatmapCanvas(QWidget* parent) : QAbstractScrollArea(parent) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Heatmap of errors"));
  viewport()->setMouseTracking(true);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(240, 80);
  verticalScrollBar()->setSingleStep(20);
  horizontalScrollBar()->setSingleStep(20);
}

void HeatmapCanvas::setData(std::shared_ptr<const HeatmapData> table) {
  const bool sameShape =
      table->rows() == m_scene.data->rows() && table->columns() == m_scene.data->columns();
  m_scene.data = std::move(table);
  if (!sameShape) {
    m_scene.sort = {};
    m_fitted = true;
    m_row = m_column = -1;
    m_more.clear();
  }
  m_hover = {};
  arrange();
}

void HeatmapCanvas::setMessage(const QString& message) {
  m_message = message;
  viewport()->update();
}

void HeatmapCanvas::setThreshold(double position) {
  m_scene.threshold = position;
  m_raster.invalidate();
  viewport()->update();
}

void HeatmapCanvas::setFilter(HeatmapFilter filter) {
  if (filter == m_scene.filter) return;
  m_scene.filter = filter;
  arrange();
}

void HeatmapCanvas::setSort(HeatmapSort sort) {
  m_scene.sort = sort;
  arrange();
  // The first sorted rows are at the top.
  verticalScrollBar()->setValue(0);
}

void HeatmapCanvas::arrange() {
  m_scene.arrange();
  m_hover = {};
  relayout();
  Q_EMIT arranged();
}

HeatmapLayout HeatmapCanvas::layoutFor(QSize size, double ratio) const {
  HeatmapLayout layout;
  layout.ratio = ratio;
  layout.levels = HeatmapHeaders::bracketLevels(m_scene);
  layout.upright =
      hasMeasures(m_scene) && m_columnSize < HeatmapHeaders::titleWidth(m_scene, font());
  const int width = HeatmapHeaders::widthFor(m_scene, font(), size.width());
  const int height = HeatmapHeaders::heightFor(m_scene, font(), layout.upright, size.height());
  layout.cells =
      QRect(width, height, std::max(1, size.width() - width), std::max(1, size.height() - height));
  layout.rows = {m_scene.rows(), m_rowSize * ratio};
  layout.columns = {m_scene.data->columns(), m_columnSize * ratio};
  return layout;
}

void HeatmapCanvas::clampSizes(QSizeF area) {
  const bool measures = hasMeasures(m_scene);
  const double row = fitSize(area.height(), m_scene.rows(), kFitRow);
  const double column =
      fitSize(area.width(), m_scene.data->columns(), measures ? kFitMeasure : kFitColumn);
  m_rowSize = m_fitted ? row : std::clamp(m_rowSize, row, kMostRow);
  m_columnSize =
      m_fitted ? column : std::clamp(m_columnSize, column, measures ? kMostMeasure : kMostColumn);
}

void HeatmapCanvas::relayout() {
  const QSize size = viewport()->size();
  // The width of the columns decides how their titles are written, and that how high the rows'
  // area is.
  const double width = size.width() - HeatmapHeaders::widthFor(m_scene, font(), size.width());
  clampSizes(QSizeF(width, size.height()));
  const HeatmapLayout first = layoutFor(size, devicePixelRatioF());
  clampSizes(first.cells.size());
  m_layout = layoutFor(size, devicePixelRatioF());
  const auto setRange = [&](QScrollBar* bar, int length, int page) {
    const int content = static_cast<int>(std::ceil(length / m_layout.ratio));
    bar->setPageStep(page);
    bar->setRange(0, std::max(0, content - page));
  };
  setRange(verticalScrollBar(), m_layout.rows.length(), m_layout.cells.height());
  setRange(horizontalScrollBar(), m_layout.columns.length(), m_layout.cells.width());
  m_layout.origin =
      (QPointF(horizontalScrollBar()->value(), verticalScrollBar()->value()) * m_layout.ratio)
          .toPoint();
  m_raster.invalidate();
  viewport()->update();
}

void HeatmapCanvas::fit() {
  m_fitted = true;
  relayout();
}

void HeatmapCanvas::scrollTo(QPointF position) {
  horizontalScrollBar()->setValue(static_cast<int>(std::lround(position.x())));
  verticalScrollBar()->setValue(static_cast<int>(std::lround(position.y())));
}

void HeatmapCanvas::zoomAt(QPointF position, double factor) {
  const QPointF inside = position - m_layout.cells.topLeft();
  const QPointF scrolled(horizontalScrollBar()->value(), verticalScrollBar()->value());
  const QPointF cell((scrolled.x() + inside.x()) / m_columnSize,
                     (scrolled.y() + inside.y()) / m_rowSize);
  m_fitted = false;
  m_rowSize *= factor;
  m_columnSize *= factor;
  relayout();
  const double fitRow = fitSize(m_layout.cells.height(), m_scene.rows(), kFitRow);
  const double fitColumn = fitSize(m_layout.cells.width(), m_scene.data->columns(),
                                   hasMeasures(m_scene) ? kFitMeasure : kFitColumn);
  m_fitted = m_rowSize <= fitRow && m_columnSize <= fitColumn;
  scrollTo({cell.x() * m_columnSize - inside.x(), cell.y() * m_rowSize - inside.y()});
}

void HeatmapCanvas::zoomTo(const QRectF& rect) {
  const QRectF shown = rect & QRectF(m_layout.cells);
  const QPointF scrolled(horizontalScrollBar()->value(), verticalScrollBar()->value());
  const QPointF from = shown.topLeft() - m_layout.cells.topLeft() + scrolled;
  const QPointF cell(from.x() / m_columnSize, from.y() / m_rowSize);
  m_fitted = false;
  m_columnSize *= m_layout.cells.width() / std::max(1.0, shown.width());
  m_rowSize *= m_layout.cells.height() / std::max(1.0, shown.height());
  relayout();
  scrollTo({cell.x() * m_columnSize, cell.y() * m_rowSize});
}

void HeatmapCanvas::setCurrent(int row, int column, std::vector<int> more) {
  if (row == m_row && column == m_column && more == m_more) return;
  m_row = row;
  m_column = column;
  m_more = std::move(more);
  ensureVisible();
  viewport()->update();
}

void HeatmapCanvas::ensureVisible() {
  const HeatmapMarks at = marks();
  const auto bring = [](QScrollBar* bar, double begin, double end, int page) {
    if (begin < bar->value()) {
      bar->setValue(static_cast<int>(begin));
    } else if (end > bar->value() + page) {
      bar->setValue(static_cast<int>(std::ceil(end - page)));
    }
  };
  const double ratio = m_layout.ratio;
  if (at.row >= 0) {
    bring(verticalScrollBar(), m_layout.rows.begin(at.row) / ratio,
          m_layout.rows.end(at.row) / ratio, m_layout.cells.height());
  }
  if (at.column >= 0) {
    bring(horizontalScrollBar(), m_layout.columns.begin(at.column) / ratio,
          m_layout.columns.end(at.column) / ratio, m_layout.cells.width());
  }
}

HeatmapMarks HeatmapCanvas::marks() const {
  std::vector<int> more;
  for (const int row : m_more) more.push_back(m_scene.shownRow(row));
  return {.row = m_row < 0 ? -1 : m_scene.shownRow(m_row),
          .column = m_column < m_scene.data->columns() ? m_column : -1,
          .hoverRow = m_hover.row,
          .hoverColumn = m_hover.column,
          .more = std::move(more)};
}

void HeatmapCanvas::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  relayout();
}

void HeatmapCanvas::scrollContentsBy(int dx, int dy) {
  Q_UNUSED(dx)
  Q_UNUSED(dy)
  m_layout.origin =
      (QPointF(horizontalScrollBar()->value(), verticalScrollBar()->value()) * m_layout.ratio)
          .toPoint();
  m_hover = {};
  viewport()->update();
}

void HeatmapCanvas::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) relayout();
}

void HeatmapCanvas::paintEvent(QPaintEvent* event) {
  Q_UNUSED(event)
  QPainter painter(viewport());
  const Theme& theme = Theme::of(palette());
  painter.fillRect(viewport()->rect(), theme.surface);
  if (m_scene.rows() == 0 || m_scene.data->columns() == 0) {
    paintMessage(painter, theme);
    return;
  }
  if (devicePixelRatioF() != m_layout.ratio) relayout();
  painter.drawImage(m_layout.cells.topLeft(), m_raster.image(m_scene, m_layout, theme, font()));
  paintMarks(painter, theme);
  painter.fillRect(QRect(0, 0, viewport()->width(), m_layout.headHeight()), theme.window);
  painter.fillRect(QRect(0, 0, m_layout.headWidth(), viewport()->height()), theme.window);
  const HeatmapHeaders headers(m_scene, m_layout, theme, font());
  headers.paintRows(painter, marks());
  headers.paintColumns(painter, marks());
  headers.paintCorner(painter);
  painter.setPen(theme.border);
  painter.drawLine(0, m_layout.headHeight() - 1, viewport()->width(), m_layout.headHeight() - 1);
  painter.drawLine(m_layout.headWidth() - 1, 0, m_layout.headWidth() - 1, viewport()->height());
  if (!m_band.isEmpty()) {
    painter.fillRect(m_band, faint(theme.accent, 0.15));
    painter.setPen(theme.accent);
    painter.drawRect(m_band);
  }
}

void HeatmapCanvas::paintMarks(QPainter& painter, const Theme& theme) const {
  const HeatmapMarks at = marks();
  painter.setClipRect(m_layout.cells);
  painter.setPen(Qt::NoPen);
  const double alpha = hasFocus() ? 0.9 : 0.6;
  // Lines beside the row and column, so that no colour is changed.
  const QColor line = faint(theme.accent, alpha);
  std::vector<int> rows = at.more;
  rows.push_back(at.row);
  for (const int shown : rows) {
    if (shown < 0) continue;
    const QRectF row = m_layout.rowRect({shown, shown + 1});
    painter.fillRect(QRectF(row.left(), row.top() - 2, row.width(), 2), line);
    painter.fillRect(QRectF(row.left(), row.bottom(), row.width(), 2), line);
  }
  if (at.column >= 0) {
    const QRectF column = m_layout.columnRect({at.column, at.column + 1});
    painter.fillRect(QRectF(column.left() - 2, column.top(), 2, column.height()), line);
    painter.fillRect(QRectF(column.right(), column.top(), 2, column.height()), line);
  }
  painter.setBrush(Qt::NoBrush);
  const auto outline = [&](int row, int column, const QColor& colour, double width) {
    if (row < 0 || column < 0) return;
    const QRectF cell =
        m_layout.rowRect({row, row + 1}) & m_layout.columnRect({column, column + 1});
    painter.setPen(QPen(colour, width));
    painter.drawRect(cell.adjusted(-1, -1, 1, 1));
  };
  outline(at.hoverRow, at.hoverColumn, theme.text, 1);
  if (hasFocus()) outline(at.row, at.column, theme.accent, 2);
  painter.setClipping(false);
}

void HeatmapCanvas::paintMessage(QPainter& painter, const Theme& theme) const {
  painter.setPen(theme.mutedText);
  painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24),
                   Qt::AlignCenter | Qt::TextWordWrap, m_message);
}

QSize HeatmapCanvas::wholeSize() const {
  if (m_scene.rows() == 0 || m_scene.data->columns() == 0) return {};
  const int width = HeatmapHeaders::widthFor(m_scene, font(), 1200);
  const int height = HeatmapHeaders::heightFor(m_scene, font(), false, 0);
  const double row = fitSize(kMostPicture, m_scene.rows(), kFitRow);
  const double column =
      hasMeasures(m_scene) ? kFitMeasure : fitSize(1600, m_scene.data->columns(), kFitColumn);
  return {width + static_cast<int>(std::ceil(column * m_scene.data->columns())),
          height + static_cast<int>(std::ceil(row * m_scene.rows()))};
}

void HeatmapCanvas::paintWhole(QPainter& painter, const Theme& theme) const {
  const double ratio = 2;
  HeatmapLayout layout = layoutFor(wholeSize(), ratio);
  const int width = HeatmapHeaders::widthFor(m_scene, font(), 1200);
  const int height = HeatmapHeaders::heightFor(m_scene, font(), false, 0);
  const QSize whole = wholeSize();
  layout.upright = false;
  layout.cells = QRect(width, height, whole.width() - width, whole.height() - height);
  layout.rows.size = fitSize(kMostPicture, m_scene.rows(), kFitRow) * ratio;
  layout.columns.size =
      ratio *
      (hasMeasures(m_scene) ? kFitMeasure : fitSize(1600, m_scene.data->columns(), kFitColumn));
  painter.fillRect(QRect(QPoint(), whole), theme.surface);
  HeatmapRaster raster;
  painter.drawImage(layout.cells.topLeft(), raster.image(m_scene, layout, theme, font()));
  const HeatmapHeaders headers(m_scene, layout, theme, font());
  headers.paintRows(painter, {});
  headers.paintColumns(painter, {});
  headers.paintCorner(painter);
}

}  // namespace quantscope
