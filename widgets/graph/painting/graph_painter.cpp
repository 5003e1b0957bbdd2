#include "widgets/graph/painting/graph_painter.h"

#include <algorithm>
#include <iterator>

#include "widgets/graph/drawing/edge_curve.h"
#include "widgets/graph/painting/box_painter.h"
#include "widgets/graph/painting/finding_badge.h"

namespace quantscope {
namespace {

// Letters of 11 scene pixels are legible from about here, those of the large types from kFar.
constexpr double kNear = 0.58;
constexpr double kMiddle = 0.46;
constexpr double kOperators = 0.26;
constexpr double kFar = 0.17;
constexpr double kFine = 0.12;

constexpr double kEdgeWidth = 1.5;
constexpr double kLitEdgeWidth = 2.2;
constexpr double kThinnestEdge = 0.6;  // picture pixels
constexpr double kArrowLength = 8;
constexpr double kArrowWidth = 7;
constexpr double kVeil = 0.72;       // of what is faded
constexpr double kSpotBelow = 3;     // picture pixels: smaller boxes are spots of at least…
constexpr double kSmallestSpot = 2;  // … this size, so that a hot one never vanishes

double ramp(double value, double from, double to) {
  return std::clamp((value - from) / (to - from), 0.0, 1.0);
}

void paintArrow(QPainter& painter, const QPainterPath& curve, bool leftToRight,
                const QColor& colour) {
  const QPointF tip = curve.currentPosition();
  const QPointF back = leftToRight ? QPointF(-kArrowLength, 0) : QPointF(0, -kArrowLength);
  const QPointF side = leftToRight ? QPointF(0, kArrowWidth / 2) : QPointF(kArrowWidth / 2, 0);
  const QPointF corners[] = {tip, tip + back + side, tip + back - side};
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawPolygon(corners, 3);
}

class Pass {
 public:
  Pass(QPainter& painter, const GraphContent& content, const GraphDetail& detail)
      : m_painter(painter), m_content(content), m_detail(detail) {}

  void frames(const QRectF& area) const {
    for (const DrawnFrame& frame : m_content.scene->frames()) {
      if (frame.rect.intersects(area)) {
        paintFrame(m_painter, frame, *m_content.looks, m_detail);
      }
    }
  }

  void frameTitles(const QRectF& area) const {
    for (const DrawnFrame& frame : m_content.scene->frames()) {
      if (titleBar(frame).intersects(area)) {
        paintFrameTitle(m_painter, frame, *m_content.looks, m_detail);
      }
    }
  }

  void edges(const std::vector<std::uint32_t>& edges, bool lit) const {
    const Theme& theme = m_content.looks->theme;
    const double width = std::max(lit ? kLitEdgeWidth : kEdgeWidth, kThinnestEdge / m_detail.scale);
    QColor colour = lit ? theme.accent : theme.edge;
    if (!lit) colour.setAlphaF(0.35 + 0.65 * ramp(m_detail.scale, 0.02, 0.3));
    for (const std::uint32_t edge : edges) {
      if (m_content.highlight->litEdge(edge) == lit) this->edge(edge, colour, width);
    }
  }

  void edge(std::size_t edge, const QColor& colour, double width) const {
    const bool leftToRight = m_content.scene->leftToRight();
    const QPainterPath curve =
        edgeCurve(m_content.scene->edges()[edge].points, leftToRight, m_detail.scale);
    m_painter.setPen(QPen(colour, width));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawPath(curve);
    if (m_detail.fine) paintArrow(m_painter, curve, leftToRight, colour);
  }

  // The seats of observers, from the scale on at which names can be read.
  void marks(const std::vector<std::uint32_t>& edges,
             const std::vector<std::uint32_t>& boxes) const {
    if (!m_content.marks || m_detail.names <= 0) return;
    const bool leftToRight = m_content.scene->leftToRight();
    m_painter.setOpacity(m_detail.names);
    for (const std::uint32_t i : edges) {
      paintMark(m_painter, m_content.scene->edges()[i], m_content.marks->edges[i], leftToRight,
                m_content.looks->theme);
    }
    for (const std::uint32_t i : boxes) {
      if (m_content.marks->boxes[i] == 0) continue;
      paintOutputMark(m_painter, m_content.scene->boxes()[i], leftToRight, m_content.looks->theme);
    }
    m_painter.setOpacity(1);
  }

  void boxes(const std::vector<std::uint32_t>& boxes, bool lit) const {
    const GraphHighlight& highlight = *m_content.highlight;
    for (const std::uint32_t i : boxes) {
      if (highlight.lit(i) != lit) continue;
      const DrawnBox& box = m_content.scene->boxes()[i];
      const BoxLook& look = m_content.looks->boxes[i];
      if (std::max(box.rect.width(), box.rect.height()) * m_detail.scale < kSpotBelow) {
        spot(box, look);
      } else {
        paintBox(m_painter, box, look, *m_content.looks, m_detail);
      }
      if (highlight.match(i)) {
        paintOutline(m_painter, box, m_content.looks->theme.accent, 3, m_detail.scale);
      }
      paintBadge(m_painter, box, look, *m_content.looks, m_detail);
    }
  }

 private:
  void spot(const DrawnBox& box, const BoxLook& look) const {
    const double least = kSmallestSpot / m_detail.scale;
    QRectF rect(QPointF(), box.rect.size().expandedTo({least, least}));
    rect.moveCenter(box.rect.center());
    m_painter.fillRect(rect, look.position < 0 ? m_content.looks->theme.hatch : look.fill);
  }

  QPainter& m_painter;
  const GraphContent& m_content;
  const GraphDetail& m_detail;
};

// Calm ones first: where boxes shrink to spots over each other, the worst is seen.
void sortCalmToHot(std::vector<std::uint32_t>& boxes, const GraphLooks& looks) {
  std::ranges::stable_sort(boxes, {}, [&](std::uint32_t i) { return looks.boxes[i].position; });
}

std::vector<std::uint32_t> lit(const std::vector<std::uint32_t>& items,
                               const std::vector<std::uint8_t>& highlight) {
  std::vector<std::uint32_t> chosen;
  std::ranges::copy_if(items, std::back_inserter(chosen),
                       [&](std::uint32_t item) { return highlight[item] != 0; });
  return chosen;
}

}  // namespace

GraphDetail detailAt(double scale) {
  GraphDetail detail;
  detail.scale = scale;
  detail.names = ramp(scale, kMiddle, kNear);
  detail.operators = ramp(scale, kFar, kOperators) * (1 - detail.names);
  detail.fine = scale > kFine;
  return detail;
}

void paintGraph(QPainter& painter, const GraphContent& content, const QRectF& area, double scale) {
  if (content.empty()) return;
  const GraphDetail detail = detailAt(scale);
  // Outlines and arrows reach over the rectangles that they belong to.
  const double reach = 12 + 4 / scale;
  const QRectF wide = area.adjusted(-reach, -reach, reach, reach);
  std::vector<std::uint32_t> boxes = content.scene->boxesIn(wide);
  const std::vector<std::uint32_t> edges = content.scene->edgesIn(wide);
  if (!detail.fine) sortCalmToHot(boxes, *content.looks);

  painter.setRenderHint(QPainter::Antialiasing, detail.fine);
  const Pass pass(painter, content, detail);
  pass.frames(wide);
  pass.edges(edges, false);
  if (!content.highlight->active) {
    pass.frameTitles(wide);
    pass.boxes(boxes, true);
    pass.marks(edges, boxes);
    return;
  }
  pass.boxes(boxes, false);
  pass.marks(edges, boxes);
  QColor veil = content.looks->theme.surface;
  veil.setAlphaF(kVeil);
  painter.fillRect(wide, veil);
  pass.frameTitles(wide);
  pass.edges(edges, true);
  pass.boxes(boxes, true);
  pass.marks(lit(edges, content.highlight->edges), lit(boxes, content.highlight->boxes));
}

void paintOutline(QPainter& painter, const DrawnBox& box, const QColor& colour, double width,
                  double scale) {
  // At least two picture pixels, outside the box.
  const double pen = std::max(width, 2 / scale);
  const double gap = pen / 2 + std::min(2.0, 1 / scale);
  const double radius = cornerRadius(box) + gap;
  painter.setPen(QPen(colour, pen));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(box.rect.adjusted(-gap, -gap, gap, gap), radius, radius);
}

void paintLitEdge(QPainter& painter, const GraphContent& content, std::size_t edge, double scale) {
  const GraphDetail detail = detailAt(scale);
  Pass(painter, content, detail)
      .edge(edge, content.looks->theme.accent, std::max(kLitEdgeWidth + 0.8, 1.5 / scale));
}

}  // namespace quantscope
