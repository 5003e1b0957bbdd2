#include "widgets/graph/canvas/graph_canvas.h"

#include <QPaintEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/graph/painting/finding_badge.h"

namespace quantscope {
namespace {

constexpr int kGlideMs = 180;
constexpr int kSettleMs = 70;
constexpr double kReadable = 0.8;  // names are legible without effort
// At its natural size a drawing suits a canvas like this; a larger one shows it larger, up to a
// size from which letters only look coarse.
constexpr QSizeF kNatural(820, 520);
constexpr double kMostComfortable = 1.4;
constexpr double kBreadth = 0.9;  // of the room, so that rims stay free
constexpr double kOutline = 2.5;
constexpr double kBeginning = 20;  // before the first box

double comfortable(const QSizeF& canvas) {
  const double grown =
      std::min(canvas.width() / kNatural.width(), canvas.height() / kNatural.height());
  return std::clamp(grown, 1.0, kMostComfortable);
}

}  // namespace

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Graph"));
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  grabGesture(Qt::PinchGesture);
  m_settle.setSingleShot(true);
  m_settle.setInterval(kSettleMs);
  connect(&m_settle, &QTimer::timeout, this, qOverload<>(&QWidget::update));
  connect(&m_tiles, &GraphTiles::improved, this, [this](const QRectF& area) {
    if (area.isEmpty()) return update();
    update(m_camera.toView(area).toAlignedRect().adjusted(-1, -1, 1, 1));
  });
  connect(&m_tiles, &GraphTiles::sceneChanged, this, [this] {
    m_hoveredBox.reset();
    m_hoveredEdge.reset();
    m_selected.clear();
    m_selectedFrame.reset();
    m_camera.setBounds(content().scene->bounds());
    Q_EMIT sceneChanged();
    moved();
  });
  m_glide.setDuration(kGlideMs);
  m_glide.setEasingCurve(QEasingCurve::InOutCubic);
}

void GraphCanvas::setContent(const GraphContent& content) {
  m_tiles.setContent(content);
}

void GraphCanvas::clear() {
  m_glide.stop();
  m_tiles.clear();
  m_selected.clear();
  m_selectedFrame.reset();
  m_hoveredBox.reset();
  m_hoveredEdge.reset();
  moved();
}

void GraphCanvas::setSelected(std::vector<std::size_t> boxes, std::optional<std::size_t> frame) {
  m_selected = std::move(boxes);
  m_selectedFrame = frame;
  update();
}

void GraphCanvas::moved() {
  m_painted = false;
  update();
  Q_EMIT viewChanged();
}

void GraphCanvas::setView(const QPointF& centre, double scale) {
  m_glide.stop();
  m_camera.setScale(scale);
  m_camera.setCentre(centre);
  moved();
}

// The scale changes evenly to the eye (as a power), and the place that is flown to comes nearer
// in step with it.
void GraphCanvas::glideTo(const QPointF& centre, double scale) {
  m_glide.stop();
  if (!m_animated || !isVisible()) {
    setView(centre, scale);
    return;
  }
  const QPointF fromCentre = m_camera.centre();
  const double fromScale = m_camera.scale();
  m_glide.disconnect(this);
  connect(&m_glide, &QVariantAnimation::valueChanged, this,
          [this, fromCentre, fromScale, centre, scale](const QVariant& value) {
            const double share = value.toDouble();
            if (fromScale != scale) m_settle.start();
            m_camera.setScale(fromScale * std::pow(scale / fromScale, share));
            m_camera.setCentre(fromCentre + (centre - fromCentre) * share);
            moved();
          });
  m_glide.setStartValue(0.0);
  m_glide.setEndValue(1.0);
  m_glide.start();
}

void GraphCanvas::fit() {
  if (content().empty()) return;
  const QRectF& bounds = content().scene->bounds();
  const double scale = m_camera.scaleFor(bounds, comfortable(m_camera.viewSize()));
  glideTo(m_camera.centreFor(bounds.center(), scale), scale);
}

// The box that comes first in the direction of the flow.
const DrawnBox& GraphCanvas::firstBox() const {
  const bool leftToRight = content().scene->leftToRight();
  return *std::ranges::min_element(content().scene->boxes(), {},
                                   [leftToRight](const DrawnBox& box) {
                                     return leftToRight ? box.rect.left() : box.rect.top();
                                   });
}

// All of it where it can be read then, else as large as the way across the flow has room for.
double GraphCanvas::beginningScale() const {
  const QRectF& bounds = content().scene->bounds();
  const double most = comfortable(m_camera.viewSize());
  const double whole = m_camera.scaleFor(bounds, most);
  if (whole >= 1) return whole;
  const QSizeF room = m_camera.clear().size();
  const double across = content().scene->leftToRight() ? room.height() / bounds.height()
                                                       : room.width() / bounds.width();
  return std::clamp(kBreadth * across, kReadable, most);
}

void GraphCanvas::showBeginning() {
  if (content().empty() || content().scene->boxes().empty()) return;
  const QRectF& bounds = content().scene->bounds();
  const double scale = beginningScale();
  const QSizeF seen = m_camera.clear().size() / scale;
  const QRectF first = firstBox().rect;
  const QPointF offset = QPointF(kBeginning, kBeginning) / scale;
  const bool leftToRight = content().scene->leftToRight();
  QPointF centre = bounds.center();
  if (bounds.width() > seen.width()) {
    centre.setX(leftToRight ? first.left() + seen.width() / 2 - offset.x() : first.center().x());
  }
  if (bounds.height() > seen.height()) {
    centre.setY(leftToRight ? first.center().y() : first.top() + seen.height() / 2 - offset.y());
  }
  setView(m_camera.centreFor(centre, scale), scale);
  m_beginning = m_camera;
}

bool GraphCanvas::atBeginning() const {
  return m_beginning && m_beginning->centre() == m_camera.centre() &&
         m_beginning->scale() == m_camera.scale();
}

void GraphCanvas::zoomBy(double factor) {
  if (content().empty()) return;
  glideTo(m_camera.centre(), std::clamp(m_camera.scale() * factor, m_camera.smallestScale(),
                                        GraphCamera::largestScale()));
}

void GraphCanvas::centreOn(const QPointF& scenePoint, double scale) {
  const double next = scale > 0 ? scale : m_camera.scale();
  glideTo(m_camera.centreFor(scenePoint, next), next);
}

void GraphCanvas::reveal(const QRectF& area) {
  const double margin = 24 / m_camera.scale();
  const QRectF wanted = area.adjusted(-margin, -margin, margin, margin);
  const QRectF seen = m_camera.toScene(m_camera.clear());
  if (seen.contains(wanted)) return;
  QPointF way;
  if (wanted.right() > seen.right()) way.setX(wanted.right() - seen.right());
  if (wanted.left() < seen.left()) way.setX(wanted.left() - seen.left());
  if (wanted.bottom() > seen.bottom()) way.setY(wanted.bottom() - seen.bottom());
  if (wanted.top() < seen.top()) way.setY(wanted.top() - seen.top());
  glideTo(m_camera.centre() + way, m_camera.scale());
}

void GraphCanvas::zoomAt(const QPointF& position, double factor) {
  if (content().empty()) return;
  m_glide.stop();
  m_settle.start();
  m_camera.zoomAt(position, factor);
  moved();
}

void GraphCanvas::resizeEvent(QResizeEvent* /*event*/) {
  const bool untouched = atBeginning();
  m_camera.setView(size(), devicePixelRatioF());
  if (untouched) {
    showBeginning();
  } else {
    moved();
  }
}

void GraphCanvas::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  m_camera.setView(size(), devicePixelRatioF());
  if (content().empty()) {
    painter.fillRect(event->rect(), palette().color(QPalette::Base));
    return;
  }
  m_tiles.paint(painter, m_camera, m_settle.isActive());
  paintOverlay(painter);
  m_painted = true;
  ++m_frames;
}

void GraphCanvas::paintOverlay(QPainter& painter) {
  const GraphContent& shown = content();
  const double scale = m_camera.scale();
  const Theme& theme = shown.looks->theme;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(m_camera.origin());
  painter.scale(scale, scale);
  if (m_hoveredEdge) paintLitEdge(painter, shown, *m_hoveredEdge, scale);
  if (m_hoveredBox) {
    paintOutline(painter, shown.scene->boxes()[*m_hoveredBox], theme.mutedText, 1.5, scale);
  }
  for (const std::size_t box : m_selected) {
    paintOutline(painter, shown.scene->boxes()[box], theme.accent, kOutline, scale);
    paintBadge(painter, shown.scene->boxes()[box], shown.looks->boxes[box], *shown.looks,
               detailAt(scale));
  }
  if (m_selectedFrame) {
    painter.setPen(QPen(theme.accent, std::max(kOutline, 2 / scale)));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(shown.scene->frames()[*m_selectedFrame].rect, 10, 10);
  }
}

std::optional<std::size_t> GraphCanvas::boxAt(const QPoint& position) const {
  if (content().empty()) return std::nullopt;
  return content().scene->boxAt(m_camera.toScene(QPointF(position)));
}

bool GraphCanvas::hasBoxIn(const QRect& area) const {
  if (content().empty()) return false;
  const QRectF place = m_camera.toScene(QRectF(area));
  return std::ranges::any_of(content().scene->boxesIn(place), [&](std::uint32_t box) {
    return content().scene->boxes()[box].rect.intersects(place);
  });
}

std::optional<std::size_t> GraphCanvas::badgeAt(const QPoint& position) const {
  constexpr double kReach = 80;  // of a badge over its box, grown to the full
  if (content().empty()) return std::nullopt;
  const QPointF point = m_camera.toScene(QPointF(position));
  const GraphDetail detail = detailAt(m_camera.scale());
  const QRectF around(point - QPointF(kReach, kReach), QSizeF(2 * kReach, 2 * kReach));
  for (const std::uint32_t box : content().scene->boxesIn(around)) {
    const QRectF badge =
        badgeRect(content().scene->boxes()[box], content().looks->boxes[box].findings, detail);
    if (badge.contains(point)) return box;
  }
  return std::nullopt;
}

std::optional<std::size_t> GraphCanvas::edgeAt(const QPoint& position) const {
  constexpr double kReach = 5;
  // Far away every place is near some edge.
  if (content().empty() || !detailAt(m_camera.scale()).fine) return std::nullopt;
  return content().scene->edgeAt(m_camera.toScene(QPointF(position)), kReach / m_camera.scale());
}

std::optional<std::size_t> GraphCanvas::frameAt(const QPoint& position) const {
  if (content().empty()) return std::nullopt;
  return content().scene->frameTitleAt(m_camera.toScene(QPointF(position)));
}

}  // namespace quantscope
