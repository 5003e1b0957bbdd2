#include "widgets/graph/canvas/graph_camera.h"

#include <algorithm>
#include <cmath>

namespace quantscope {
namespace {

constexpr double kMargin = 20;
constexpr double kLargestScale = 3;

}  // namespace

void GraphCamera::setView(const QSizeF& size, double pixelRatio) {
  m_view = size.expandedTo({1, 1});
  m_pixelRatio = pixelRatio;
}

void GraphCamera::setBounds(const QRectF& bounds) {
  m_bounds = bounds;
}

void GraphCamera::setCentre(const QPointF& centre) {
  m_centre = {std::clamp(centre.x(), m_bounds.left(), std::max(m_bounds.left(), m_bounds.right())),
              std::clamp(centre.y(), m_bounds.top(), std::max(m_bounds.top(), m_bounds.bottom()))};
}

void GraphCamera::setScale(double scale) {
  m_scale = std::clamp(scale, smallestScale(), largestScale());
}

void GraphCamera::panBy(const QPointF& viewWay) {
  setCentre(m_centre - viewWay / m_scale);
}

void GraphCamera::zoomAt(const QPointF& viewPoint, double factor) {
  const QPointF fixed = toScene(viewPoint);
  setScale(m_scale * factor);
  const QPointF middle(m_view.width() / 2, m_view.height() / 2);
  setCentre(fixed + (middle - viewPoint) / m_scale);
}

QRectF GraphCamera::clear() const {
  const QRectF whole(QPointF(), m_view);
  const QRectF inner = whole.marginsRemoved(m_insets);
  // In a small view the overlays hide the graph anyway.
  const bool small = inner.width() < m_view.width() / 2 || inner.height() < m_view.height() / 2;
  return small ? whole : inner;
}

double GraphCamera::scaleFor(const QRectF& area, double most) const {
  const QSizeF room = clear().size();
  const double width = std::max(room.width() - 2 * kMargin, room.width() / 2);
  const double height = std::max(room.height() - 2 * kMargin, room.height() / 2);
  return std::min(
      {width / std::max(area.width(), 1.0), height / std::max(area.height(), 1.0), most});
}

QPointF GraphCamera::centreFor(const QPointF& scenePoint, double scale) const {
  const QPointF middle(m_view.width() / 2, m_view.height() / 2);
  return scenePoint + (middle - clear().center()) / scale;
}

double GraphCamera::smallestScale() const {
  return std::min(scaleFor(m_bounds, 1) / 2, 0.5);
}

double GraphCamera::largestScale() {
  return kLargestScale;
}

QPointF GraphCamera::origin() const {
  const QPointF exact = QPointF(m_view.width() / 2, m_view.height() / 2) * m_pixelRatio -
                        m_centre * m_scale * m_pixelRatio;
  return QPointF(std::round(exact.x()), std::round(exact.y())) / m_pixelRatio;
}

QRectF GraphCamera::toView(const QRectF& area) const {
  return {toView(area.topLeft()), area.size() * m_scale};
}

QRectF GraphCamera::toScene(const QRectF& area) const {
  return {toScene(area.topLeft()), area.size() / m_scale};
}

}  // namespace quantscope
