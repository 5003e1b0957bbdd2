#include "widgets/graph/drawing/graph_scene.h"

#include <algorithm>
#include <utility>

#include "widgets/graph/drawing/edge_curve.h"
#include "widgets/view/scopes.h"

namespace quantscope {
namespace {

constexpr double kTitleHeight = 26;
constexpr double kButton = 16;
constexpr double kButtonMargin = 6;

QRectF segment(const QPointF& a, const QPointF& b) {
  return QRectF(a, b).normalized();
}

}  // namespace

GraphScene::GraphScene(GraphDrawing drawing, const DrawingOptions& options)
    : m_drawing(std::move(drawing)),
      m_options(options),
      m_boxIndex(m_drawing.bounds, m_drawing.boxes.size()),
      m_edgeIndex(m_drawing.bounds, m_drawing.edges.size()),
      m_from(listEdges(m_drawing, &DrawnEdge::from)),
      m_to(listEdges(m_drawing, &DrawnEdge::to)) {
  for (std::size_t i = 0; i < m_drawing.boxes.size(); ++i) {
    const DrawnBox& box = m_drawing.boxes[i];
    m_boxIndex.add(static_cast<std::uint32_t>(i), box.rect);
    for (const std::size_t layer : box.layers) m_boxOfLayer.emplace(layer, i);
    if (box.value.valid()) m_boxOfValue.emplace(box.value, i);
  }
  for (std::size_t i = 0; i < m_drawing.edges.size(); ++i) {
    const std::vector<QPointF>& points = m_drawing.edges[i].points;
    for (std::size_t p = 1; p < points.size(); ++p) {
      m_edgeIndex.add(static_cast<std::uint32_t>(i), segment(points[p - 1], points[p]));
    }
  }
  m_boxIndex.finish();
  m_edgeIndex.finish();
}

GraphScene::Lists GraphScene::listEdges(const GraphDrawing& drawing, std::size_t DrawnEdge::*end) {
  Lists lists;
  lists.starts.assign(drawing.boxes.size() + 1, 0);
  for (const DrawnEdge& edge : drawing.edges) ++lists.starts[edge.*end + 1];
  for (std::size_t i = 1; i < lists.starts.size(); ++i) lists.starts[i] += lists.starts[i - 1];
  lists.items.resize(drawing.edges.size());
  std::vector<std::uint32_t> next(lists.starts.begin(), lists.starts.end() - 1);
  for (std::size_t i = 0; i < drawing.edges.size(); ++i) {
    lists.items[next[drawing.edges[i].*end]++] = static_cast<std::uint32_t>(i);
  }
  return lists;
}

std::optional<std::size_t> GraphScene::boxAt(const QPointF& point) const {
  for (const std::uint32_t box : boxesIn(QRectF(point, QSizeF(0, 0)))) {
    if (m_drawing.boxes[box].rect.contains(point)) return box;
  }
  return std::nullopt;
}

std::optional<std::size_t> GraphScene::edgeAt(const QPointF& point, double tolerance) const {
  const QPointF reach(tolerance, tolerance);
  std::optional<std::size_t> nearest;
  for (const std::uint32_t edge : edgesIn(QRectF(point - reach, point + reach))) {
    const QPainterPath curve = edgeCurve(m_drawing.edges[edge].points, leftToRight());
    if (!curve.boundingRect()
             .marginsAdded({1, 1, 1, 1})
             .intersects(QRectF(point - reach, point + reach))) {
      continue;
    }
    const double distance = distanceToCurve(curve, point);
    if (distance > tolerance) continue;
    tolerance = distance;
    nearest = edge;
  }
  return nearest;
}

std::optional<std::size_t> GraphScene::frameTitleAt(const QPointF& point) const {
  for (std::size_t i = m_drawing.frames.size(); i-- > 0;) {
    if (titleBar(m_drawing.frames[i]).contains(point)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> GraphScene::boxOfLayer(std::size_t layer) const {
  const auto found = m_boxOfLayer.find(layer);
  if (found == m_boxOfLayer.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> GraphScene::boxOfValue(ValueId value) const {
  const auto found = m_boxOfValue.find(value);
  if (found == m_boxOfValue.end()) return std::nullopt;
  return found->second;
}

std::vector<std::size_t> GraphScene::boxesOfScope(const std::string& scope) const {
  std::vector<std::size_t> cards;
  if (frameOfScope(scope)) return cards;
  for (std::size_t i = 0; i < m_drawing.boxes.size(); ++i) {
    const DrawnBox& box = m_drawing.boxes[i];
    if (box.kind != DrawnBox::Kind::Scope) continue;
    if (isWithinScope(scope, box.scope) || isWithinScope(box.scope, scope)) cards.push_back(i);
  }
  return cards;
}

std::optional<std::size_t> GraphScene::frameOfScope(const std::string& scope) const {
  for (std::size_t i = 0; i < m_drawing.frames.size(); ++i) {
    const DrawnFrame& frame = m_drawing.frames[i];
    if (!frame.owner.valid() && isWithinScope(frame.scope, scope)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> GraphScene::frameOfBody(NodeId owner) const {
  for (std::size_t i = 0; owner.valid() && i < m_drawing.frames.size(); ++i) {
    if (m_drawing.frames[i].owner == owner) return i;
  }
  return std::nullopt;
}

QRectF titleBar(const DrawnFrame& frame) {
  return {frame.rect.topLeft(), QSizeF(frame.rect.width(), kTitleHeight)};
}

QRectF collapseButton(const DrawnFrame& frame) {
  return {frame.rect.left() + kButtonMargin, frame.rect.top() + (kTitleHeight - kButton) / 2,
          kButton, kButton};
}

bool canExpand(const DrawnBox& box) {
  return box.kind == DrawnBox::Kind::Scope || box.kind == DrawnBox::Kind::Body;
}

QRectF expandButton(const DrawnBox& box) {
  if (!canExpand(box)) return {};
  return {box.rect.right() - kButtonMargin - kButton, box.rect.top() + kButtonMargin, kButton,
          kButton};
}

}  // namespace quantscope
