#include "widgets/graph/canvas/minimap.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <numeric>

#include "widgets/graph/canvas/graph_canvas.h"
#include "widgets/graph/painting/overlay_card.h"

namespace quantscope {
namespace {

constexpr double kMinimapMargin = 6;
// Limit of the ratio between the scales of both sides.
constexpr double kMostDistortion = 8;
constexpr double kSmallestMapSpot = 1.5;

QImage paintBoxes(const GraphContent& content, QSize size, double pixelRatio) {
  QImage image(size * pixelRatio, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(pixelRatio);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  const GraphScene& scene = *content.scene;
  const QRectF bounds = scene.bounds();
  const double x = size.width() / std::max(bounds.width(), 1.0);
  const double y = size.height() / std::max(bounds.height(), 1.0);
  const auto place = [&](const QRectF& rect) {
    QRectF small((rect.left() - bounds.left()) * x, (rect.top() - bounds.top()) * y,
                 rect.width() * x, rect.height() * y);
    const QPointF centre = small.center();
    small.setSize(small.size().expandedTo({kSmallestMapSpot, kSmallestMapSpot}));
    small.moveCenter(centre);
    return small;
  };
  QColor frameColour = content.looks->theme.mutedText;
  frameColour.setAlphaF(0.1F);
  for (const DrawnFrame& frame : scene.frames()) painter.fillRect(place(frame.rect), frameColour);
  std::vector<std::size_t> order(scene.boxes().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<BoxLook>& looks = content.looks->boxes;
  // The worst lies on top: it is never lost.
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return looks[i].position; });
  for (const std::size_t i : order) {
    painter.fillRect(place(scene.boxes()[i].rect),
                     looks[i].position < 0 ? content.looks->theme.hatch : looks[i].fill);
  }
  return image;
}

}  // namespace

GraphMinimap::GraphMinimap(GraphCanvas* canvas, QWidget* parent)
    : QWidget(parent), m_canvas(canvas) {
  setAccessibleName(tr("Overview of the graph"));
  setToolTip(tr("The whole graph: click or drag to move there"));
  setCursor(Qt::PointingHandCursor);
  connect(canvas, &GraphCanvas::viewChanged, this, qOverload<>(&QWidget::update));
}

void GraphMinimap::setContent(const GraphContent& content) {
  m_content = content;
  paintAnew();
}

void GraphMinimap::setMostSize(const QSize& size) {
  if (size == m_most) return;
  m_most = size;
  if (!m_content.empty()) paintAnew();
}

bool GraphMinimap::useful() const {
  if (m_content.empty()) return false;
  const QRectF& bounds = m_content.scene->bounds();
  return !m_canvas->camera().visible().contains(bounds);
}

QSize GraphMinimap::sizeWithin(const QSize& most) const {
  const QRectF& bounds = m_content.scene->bounds();
  const double width = most.width() - 2 * kMinimapMargin;
  const double height = most.height() - 2 * kMinimapMargin;
  const double x = width / std::max(bounds.width(), 1.0);
  const double y = height / std::max(bounds.height(), 1.0);
  const double scale = std::min(x, y);
  const QSizeF best(bounds.width() * std::min(x, scale * kMostDistortion),
                    bounds.height() * std::min(y, scale * kMostDistortion));
  const QSize margins(static_cast<int>(2 * kMinimapMargin), static_cast<int>(2 * kMinimapMargin));
  return best.toSize().expandedTo({24, 24}) + margins;
}

void GraphMinimap::paintAnew() {
  if (m_content.empty()) return m_painting.cancel();
  resize(sizeWithin(m_most));
  constexpr int kEdge = static_cast<int>(kMinimapMargin);
  const QSize size = this->size().shrunkBy({kEdge, kEdge, kEdge, kEdge});
  m_painting.start([this, content = m_content, size,
                    ratio = devicePixelRatioF()](const NewestWork::Turn& /*turn*/) {
    return [this, image = paintBoxes(content, size, ratio)] {
      m_image = image;
      update();
    };
  });
}

// The area that the canvas shows, in this widget.
QRectF GraphMinimap::frame() const {
  const QRectF bounds = m_content.scene->bounds();
  const double x = (width() - 2 * kMinimapMargin) / std::max(bounds.width(), 1.0);
  const double y = (height() - 2 * kMinimapMargin) / std::max(bounds.height(), 1.0);
  const QRectF seen = m_canvas->camera().visible();
  const QRectF exact((seen.left() - bounds.left()) * x + kMinimapMargin,
                     (seen.top() - bounds.top()) * y + kMinimapMargin, seen.width() * x,
                     seen.height() * y);
  QRectF shown(QPointF(), exact.size().expandedTo({6, 6}));
  shown.moveCenter(exact.center());
  return shown & QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5);
}

void GraphMinimap::paintEvent(QPaintEvent* /*event*/) {
  if (m_content.empty()) return;
  const Theme& theme = m_content.looks->theme;
  QPainter painter(this);
  paintOverlayCard(painter, *this);
  painter.drawImage(
      QRectF(rect()).adjusted(kMinimapMargin, kMinimapMargin, -kMinimapMargin, -kMinimapMargin),
      m_image);
  QColor tint = theme.accent;
  tint.setAlphaF(0.14F);
  painter.setPen(QPen(theme.accent, 1.5));
  painter.setBrush(tint);
  painter.drawRoundedRect(frame(), 2, 2);
}

void GraphMinimap::mousePressEvent(QMouseEvent* event) {
  if (m_content.empty()) return;
  const QRectF shown = frame();
  m_grip = shown.contains(event->position()) ? event->position() - shown.center() : QPointF();
  if (m_grip.isNull()) goTo(event->position());
}

void GraphMinimap::mouseMoveEvent(QMouseEvent* event) {
  if (!m_content.empty() && event->buttons() != Qt::NoButton) goTo(event->position() - m_grip);
}

void GraphMinimap::goTo(const QPointF& position) {
  const QRectF bounds = m_content.scene->bounds();
  const QPointF share((position.x() - kMinimapMargin) / (width() - 2 * kMinimapMargin),
                      (position.y() - kMinimapMargin) / (height() - 2 * kMinimapMargin));
  m_canvas->setView(
      bounds.topLeft() + QPointF(share.x() * bounds.width(), share.y() * bounds.height()),
      m_canvas->camera().scale());
}

}  // namespace quantscope
