// Mouse and keyboard of the heatmap.

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/heatmap/heatmap_canvas.h"
#include "widgets/heatmap/heatmap_text.h"

namespace quantscope {
namespace {

constexpr double kZoomStep = 1.25;
constexpr double kWheelNotch = 120;

}  // namespace

HeatmapCanvas::Place HeatmapCanvas::placeAt(QPointF position) const {
  Place place;
  const bool inRows = position.y() >= m_layout.headHeight();
  const bool inColumns = position.x() >= m_layout.headWidth();
  const CellSpan rows = inRows ? m_layout.rowsAt(position.y()) : CellSpan{};
  const CellSpan columns = inColumns ? m_layout.columnsAt(position.x()) : CellSpan{};
  if (inRows && inColumns) {
    if (rows.count() == 0 || columns.count() == 0) return place;
    const QPoint worst = m_scene.worstCell(rows, columns);
    return {worst.y(), worst.x(), rows.count() * columns.count()};
  }
  if (inColumns && columns.count() > 0) place.column = columns.first;
  if (inRows && rows.count() > 0) place.row = m_scene.worstRow(rows);
  return place;
}

int HeatmapCanvas::dataRow(int shownRow) const {
  return shownRow < 0 ? -1 : m_scene.order[static_cast<std::size_t>(shownRow)];
}

void HeatmapCanvas::hover(const Place& place) {
  if (place.row == m_hover.row && place.column == m_hover.column) return;
  m_hover = place;
  viewport()->update();
  Q_EMIT hovered(dataRow(place.row), place.column, place.cells);
}

void HeatmapCanvas::pick(int shownRow, int column) {
  m_row = dataRow(shownRow);
  m_column = column;
  ensureVisible();
  viewport()->update();
  Q_EMIT picked(m_row, m_column);
}

void HeatmapCanvas::pickAt(QPointF position) {
  const Place place = placeAt(position);
  const int row = dataRow(place.row);
  const bool selected = row == m_row || std::ranges::find(m_more, row) != m_more.end();
  if (place.row >= 0 && !selected) pick(place.row, place.column);
}

void HeatmapCanvas::sortBy(int column) {
  if (m_scene.sort.column != column) {
    setSort({column, true});
  } else {
    setSort(m_scene.sort.worstFirst ? HeatmapSort{column, false} : HeatmapSort{});
  }
}

bool HeatmapCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    // Before Esc means "select nothing" to the window, it leads out of the cells.
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool ours = key == Qt::Key_Escape
                          ? !m_fitted
                          : key == Qt::Key_F || key == Qt::Key_Plus || key == Qt::Key_Minus;
    const auto modifiers = static_cast<QKeyEvent*>(event)->modifiers() & ~Qt::KeypadModifier;
    if (ours && (modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier)) {
      event->accept();
      return true;
    }
  }
  return QAbstractScrollArea::event(event);
}

bool HeatmapCanvas::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) hover({});
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString words =
        inCorner(help->pos()) ? cornerTip(*m_scene.data) : tip(placeAt(help->pos()));
    QToolTip::showText(help->globalPos(), words, viewport());
    return true;
  }
  if (event->type() == QEvent::NativeGesture) {
    const auto* gesture = static_cast<QNativeGestureEvent*>(event);
    if (gesture->gestureType() == Qt::ZoomNativeGesture) {
      zoomAt(gesture->position(), 1 + gesture->value());
      return true;
    }
  }
  return QAbstractScrollArea::viewportEvent(event);
}

bool HeatmapCanvas::inCorner(QPointF position) const {
  return position.x() < m_layout.headWidth() && position.y() < m_layout.headHeight();
}

QString HeatmapCanvas::tip(const Place& place) const {
  if (place.row < 0 && place.column < 0) return {};
  return heatmapTip(*m_scene.data, dataRow(place.row), place.column);
}

void HeatmapCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) m_pressed = event->position();
  if (event->button() == Qt::MiddleButton) m_panned = event->position();
}

void HeatmapCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF position = event->position();
  if (m_panned) {
    const QPointF delta = position - *m_panned;
    m_panned = position;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() -
                                    static_cast<int>(std::lround(delta.x())));
    verticalScrollBar()->setValue(verticalScrollBar()->value() -
                                  static_cast<int>(std::lround(delta.y())));
    return;
  }
  const bool dragged =
      m_pressed && QRectF(m_layout.cells).contains(*m_pressed) &&
      (position - *m_pressed).manhattanLength() >= QApplication::startDragDistance();
  if (dragged || !m_band.isEmpty()) {
    m_band = QRectF(*m_pressed, position).normalized() & QRectF(m_layout.cells);
    viewport()->update();
    return;
  }
  hover(placeAt(position));
}

void HeatmapCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::MiddleButton) m_panned.reset();
  if (event->button() != Qt::LeftButton || !m_pressed) return;
  m_pressed.reset();
  const QRectF band = std::exchange(m_band, QRectF());
  if (!band.isEmpty()) {
    zoomTo(band);
    return;
  }
  const Place place = placeAt(event->position());
  if (place.row >= 0 && event->modifiers().testFlag(Qt::ControlModifier)) {
    Q_EMIT toggled(dataRow(place.row));
  } else if (place.row >= 0) {
    pick(place.row, place.column);
  } else if (place.column >= 0) {
    sortBy(place.column);
  } else if (inCorner(event->position())) {
    sortBy(kSortByRow);
  }
}

void HeatmapCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && placeAt(event->position()).row >= 0) {
    Q_EMIT centreRequested();
  }
}

void HeatmapCanvas::wheelEvent(QWheelEvent* event) {
  if (event->modifiers().testFlag(Qt::ControlModifier)) {
    zoomAt(event->position(), std::pow(kZoomStep, event->angleDelta().y() / kWheelNotch));
    event->accept();
    return;
  }
  if (event->modifiers().testFlag(Qt::ShiftModifier)) {
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - event->angleDelta().y() / 2);
    event->accept();
    return;
  }
  QAbstractScrollArea::wheelEvent(event);
}

void HeatmapCanvas::moveCursor(int rows, int columns) {
  if (m_scene.rows() == 0 || m_scene.data->columns() == 0) return;
  const HeatmapMarks at = marks();
  // The first press puts the cursor where one looks.
  const int row =
      at.row < 0 ? m_layout.visibleRows().first : std::clamp(at.row + rows, 0, m_scene.rows() - 1);
  const int column = at.column < 0
                         ? m_layout.visibleColumns().first
                         : std::clamp(at.column + columns, 0, m_scene.data->columns() - 1);
  pick(row, column);
}

void HeatmapCanvas::keyPressEvent(QKeyEvent* event) {
  const int page = std::max(1, m_layout.visibleRows().count() - 1);
  const int all = std::max(m_scene.rows(), m_scene.data->columns());
  const QPointF middle = QRectF(m_layout.cells).center();
  switch (event->key()) {
    case Qt::Key_Up:
      return moveCursor(-1, 0);
    case Qt::Key_Down:
      return moveCursor(1, 0);
    case Qt::Key_Left:
      return moveCursor(0, -1);
    case Qt::Key_Right:
      return moveCursor(0, 1);
    case Qt::Key_PageUp:
      return moveCursor(-page, 0);
    case Qt::Key_PageDown:
      return moveCursor(page, 0);
    case Qt::Key_Home:
      return event->modifiers() == Qt::ControlModifier ? moveCursor(-all, 0) : moveCursor(0, -all);
    case Qt::Key_End:
      return event->modifiers() == Qt::ControlModifier ? moveCursor(all, 0) : moveCursor(0, all);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (m_row >= 0) Q_EMIT centreRequested();
      return;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoomAt(middle, kZoomStep);
    case Qt::Key_Minus:
      return zoomAt(middle, 1 / kZoomStep);
    case Qt::Key_F:
      return fit();
    case Qt::Key_Escape:
      if (m_fitted) {
        Q_EMIT cleared();
      } else {
        fit();
      }
      return;
    default:
      QAbstractScrollArea::keyPressEvent(event);
  }
}

void HeatmapCanvas::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void HeatmapCanvas::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

}  // namespace quantscope
