#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/charts/histogram_chart.h"

namespace quantscope {
namespace {

constexpr int kLeastDrag = 6;         // pixels
constexpr double kGrip = 5;           // pixels
constexpr double kLeastBand = 0.005;  // of the view

}  // namespace

void HistogramChart::hover(std::optional<std::size_t> bin, const QPoint& place) {
  if (bin == m_hovered) return;
  m_hovered = bin;
  update();
  if (bin) {
    QToolTip::showText(mapToGlobal(place), readOut(*bin), this);
  } else {
    QToolTip::hideText();
  }
}

void HistogramChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) {
    event->ignore();
    return;
  }
  m_handle = handleAt(event->position());
  if (m_handle) {
    m_lowBefore = m_data.gridLow;
    m_highBefore = m_data.gridHigh;
    return hover(std::nullopt, {});
  }
  m_dragFrom = event->position().x();
  m_dragTo = *m_dragFrom;
}

std::optional<HistogramChart::End> HistogramChart::handleAt(const QPointF& place) const {
  if (!m_data.movable || !m_data.gridLow || !m_data.gridHigh) return std::nullopt;
  const double toLow = std::abs(place.x() - toX(*m_data.gridLow));
  const double toHigh = std::abs(place.x() - toX(*m_data.gridHigh));
  if (std::min(toLow, toHigh) > kGrip || !chart()->plotArea().contains(place)) return std::nullopt;
  return toLow < toHigh ? End::Low : End::High;
}

// The ends never meet: a grid of no width has no steps.
void HistogramChart::dragHandle(double x) {
  const QRectF area = chart()->plotArea();
  const double value = toValue(std::clamp(x, area.left(), area.right()));
  const double least = (m_viewHigh - m_viewLow) * kLeastBand;
  if (*m_handle == End::Low) {
    m_data.gridLow = std::min(value, *m_data.gridHigh - least);
  } else {
    m_data.gridHigh = std::max(value, *m_data.gridLow + least);
  }
  update();
  Q_EMIT rangeDragged(*m_data.gridLow, *m_data.gridHigh);
}

void HistogramChart::leaveHandle() {
  m_handle.reset();
  m_data.gridLow = m_lowBefore;
  m_data.gridHigh = m_highBefore;
  update();
  Q_EMIT rangeLeft();
}

// While an end is dragged, Esc is for the drag and not for the window.
bool HistogramChart::event(QEvent* event) {
  const bool isKey = event->type() == QEvent::ShortcutOverride;
  if (isKey && m_handle && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    event->accept();
    return true;
  }
  return QWidget::event(event);
}

void HistogramChart::mouseMoveEvent(QMouseEvent* event) {
  if (m_handle) return dragHandle(event->position().x());
  setCursor(handleAt(event->position()) ? Qt::SizeHorCursor : Qt::ArrowCursor);
  if (m_dragFrom) {
    m_dragTo = event->position().x();
    update();
    return;
  }
  hover(binAt(event->pos()), event->pos());
}

void HistogramChart::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && std::exchange(m_handle, std::nullopt)) {
    Q_EMIT rangeChosen(*m_data.gridLow, *m_data.gridHigh);
    return;
  }
  if (event->button() != Qt::LeftButton || !m_dragFrom) return;
  const double from = *std::exchange(m_dragFrom, std::nullopt);
  if (std::abs(m_dragTo - from) >= kLeastDrag) {
    const QRectF area = chart()->plotArea();
    const double left = std::clamp(std::min(from, m_dragTo), area.left(), area.right());
    const double right = std::clamp(std::max(from, m_dragTo), area.left(), area.right());
    m_zoomed = true;
    setView(toValue(left), toValue(right));
  }
  update();
}

void HistogramChart::mouseDoubleClickEvent(QMouseEvent* /*event*/) {
  showAll();
}

void HistogramChart::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  hover(std::nullopt, {});
}

void HistogramChart::keyPressEvent(QKeyEvent* event) {
  if (m_handle && event->key() == Qt::Key_Escape) return leaveHandle();
  const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  if (step == 0 || m_data.empty()) {
    if (event->key() == Qt::Key_Home) return showAll();
    event->ignore();
    return;
  }
  const int last = static_cast<int>(m_data.reference.size()) - 1;
  const int bin = m_hovered ? static_cast<int>(*m_hovered) + step : last / 2;
  const auto next = static_cast<std::size_t>(std::clamp(bin, 0, last));
  const double x = toX(m_data.low + (static_cast<double>(next) + 0.5) * m_data.binWidth());
  hover(next, QPoint(static_cast<int>(x), static_cast<int>(chart()->plotArea().center().y())));
}

// The inspector scrolls, the chart does not.
void HistogramChart::wheelEvent(QWheelEvent* event) {
  event->ignore();
}

}  // namespace quantscope
