// The canvas's reactions to mouse, wheel, touchpad and gestures.

#include <QApplication>
#include <QGestureEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPinchGesture>
#include <QWheelEvent>
#include <cmath>

#include "widgets/graph/canvas/graph_canvas.h"

namespace quantscope {
namespace {

constexpr double kZoomPerNotch = 1.25;
constexpr double kAnglePerNotch = 120;

}  // namespace

bool GraphCanvas::event(QEvent* event) {
  if (event->type() == QEvent::NativeGesture) {
    return nativeGesture(static_cast<QNativeGestureEvent*>(event));
  }
  if (event->type() == QEvent::Gesture) return gesture(static_cast<QGestureEvent*>(event));
  return QWidget::event(event);
}

bool GraphCanvas::nativeGesture(QNativeGestureEvent* event) {
  if (event->gestureType() != Qt::ZoomNativeGesture) return false;
  zoomAt(event->position(), 1 + event->value());
  return true;
}

bool GraphCanvas::gesture(QGestureEvent* event) {
  auto* pinch = static_cast<QPinchGesture*>(event->gesture(Qt::PinchGesture));
  if (pinch == nullptr) return false;
  event->accept(pinch);
  zoomAt(mapFromGlobal(pinch->centerPoint()), pinch->scaleFactor());
  return true;
}

// A mouse's wheel zooms. A touchpad, which tells pixels, moves, as it does everywhere else; with
// Ctrl it zooms. Shift moves sideways.
void GraphCanvas::wheelEvent(QWheelEvent* event) {
  event->accept();
  const bool zoomAsked = (event->modifiers() & Qt::ControlModifier) != 0;
  const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
  const bool touchpad =
      event->source() != Qt::MouseEventNotSynthesized || event->phase() != Qt::NoScrollPhase;
  if (!zoomAsked && (shift || touchpad)) {
    QPointF way =
        event->pixelDelta().isNull() ? QPointF(event->angleDelta()) : QPointF(event->pixelDelta());
    if (shift && way.x() == 0) way = {way.y(), 0};
    m_glide.stop();
    m_camera.panBy(way);
    moved();
    return;
  }
  const double notches =
      (event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x()) /
      kAnglePerNotch;
  if (notches != 0) zoomAt(event->position(), std::pow(kZoomPerNotch, notches));
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  m_down = true;
  m_dragging = event->button() == Qt::MiddleButton;
  m_pressed = m_last = event->position().toPoint();
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPoint position = event->position().toPoint();
  if (!m_down) {
    hover(position);
    return;
  }
  if (!m_dragging && (position - m_pressed).manhattanLength() < QApplication::startDragDistance()) {
    return;
  }
  m_dragging = true;
  setCursor(Qt::ClosedHandCursor);
  m_glide.stop();
  m_camera.panBy(position - m_last);
  m_last = position;
  moved();
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const bool clicked = m_down && !m_dragging && event->button() == Qt::LeftButton;
  m_down = false;
  m_dragging = false;
  const QPoint position = event->position().toPoint();
  hover(position);
  if (clicked) click(position, event->modifiers().testFlag(Qt::ControlModifier));
}

void GraphCanvas::click(const QPoint& position, bool toggles) {
  if (content().empty()) return;
  const QPointF point = m_camera.toScene(QPointF(position));
  if (const auto box = badgeAt(position)) {
    Q_EMIT badgeClicked(*box);
    return;
  }
  if (const auto box = boxAt(position)) {
    if (expandButton(content().scene->boxes()[*box]).contains(point)) {
      Q_EMIT expandRequested(*box);
    } else if (toggles) {
      Q_EMIT boxToggled(*box);
    } else {
      Q_EMIT boxClicked(*box);
    }
    return;
  }
  // A title reaches over the whole width of its frame; edges run across it.
  const auto frame = frameAt(position);
  if (frame && collapseButton(content().scene->frames()[*frame]).contains(point)) {
    Q_EMIT collapseRequested(*frame);
  } else if (const auto edge = edgeAt(position)) {
    Q_EMIT edgeClicked(*edge);
  } else if (frame) {
    Q_EMIT frameClicked(*frame);
  } else {
    Q_EMIT backgroundClicked();
  }
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  const QPoint position = event->position().toPoint();
  if (event->button() != Qt::LeftButton) return;
  if (badgeAt(position)) return;  // its first click has said all
  if (const auto box = boxAt(position)) {
    Q_EMIT boxActivated(*box);
  } else if (const auto frame = frameAt(position)) {
    Q_EMIT collapseRequested(*frame);
  }
}

void GraphCanvas::hover(const QPoint& position) {
  const auto badge = badgeAt(position);
  const auto box = badge ? badge : boxAt(position);
  const auto edge = box ? std::nullopt : edgeAt(position);
  if (box != m_hoveredBox || edge != m_hoveredEdge || badge.has_value() != m_onBadge) {
    m_hoveredBox = box;
    m_hoveredEdge = edge;
    m_onBadge = badge.has_value();
    update();
    Q_EMIT hovered(position);
  }
  const bool overSomething = box || edge || frameAt(position);
  setCursor(overSomething ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void GraphCanvas::leaveEvent(QEvent* /*event*/) {
  m_hoveredBox.reset();
  m_hoveredEdge.reset();
  update();
  Q_EMIT hovered(QPoint(-1, -1));
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
  Q_EMIT menuRequested(event->reason() == QContextMenuEvent::Mouse ? event->pos()
                                                                   : rect().center());
}

}  // namespace quantscope
