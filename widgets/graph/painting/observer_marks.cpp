#include "widgets/graph/painting/observer_marks.h"

#include <algorithm>

#include "widgets/graph/drawing/edge_curve.h"
#include "widgets/view/layer_index.h"

namespace quantscope {
namespace {

using Mark = ObserverMarks::Mark;

constexpr double kBeforeEnd = 17;  // scene pixels: clear of the arrow
constexpr double kMarkRadius = 4;
constexpr double kPen = 1.4;

Mark markOf(ObserverSeat seat) {
  switch (seat) {
    case ObserverSeat::OnEdge:
      return Mark::OnEdge;
    case ObserverSeat::ReusesEdge:
      return Mark::ReusesEdge;
    case ObserverSeat::ReusesOutput:
      return Mark::ReusesOutput;
    case ObserverSeat::AtOutput:
      break;
  }
  return Mark::None;
}

bool isLayer(const DrawnBox& box) {
  return box.kind == DrawnBox::Kind::Layer || box.kind == DrawnBox::Kind::DataMover;
}

class MarkBuilder {
 public:
  MarkBuilder(const GraphScene& scene, const AnalysisSnapshot& snapshot, const LayerIndex& index)
      : m_scene(scene), m_snapshot(snapshot), m_index(index) {
    m_marks.edges.assign(scene.edges().size(), Mark::None);
    m_marks.boxes.assign(scene.boxes().size(), 0);
  }

  ObserverMarks build() {
    const ObserverGroups& groups = m_snapshot.quantized->groups;
    const std::vector<ObserverSeat>& seats = m_snapshot.quantized->seats;
    for (std::size_t i = 0; i < seats.size(); ++i) {
      const QuantizationPoint& point = groups.points[i];
      if (seats[i] != ObserverSeat::AtOutput) {
        markEdge(point, markOf(seats[i]));
      } else if (const auto box = boxOf(m_snapshot.graph()[point.value].producer)) {
        m_marks.boxes[*box] = 1;
      }
    }
    return std::move(m_marks);
  }

 private:
  std::optional<std::size_t> boxOf(NodeId node) const {
    const auto layer = m_index.find(node);
    const auto box = layer ? m_scene.boxOfLayer(*layer) : std::nullopt;
    return box && isLayer(m_scene.boxes()[*box]) ? box : std::nullopt;
  }

  void markEdge(const QuantizationPoint& point, Mark mark) {
    const auto box = boxOf(point.consumer);
    if (!box) return;
    for (const std::uint32_t i : m_scene.edgesTo(*box)) {
      if (!std::ranges::binary_search(m_scene.edges()[i].values, point.value)) continue;
      m_marks.edges[i] = std::max(m_marks.edges[i], mark);
    }
  }

  const GraphScene& m_scene;
  const AnalysisSnapshot& m_snapshot;
  const LayerIndex& m_index;
  ObserverMarks m_marks;
};

}  // namespace

ObserverMarksPtr makeObserverMarks(const GraphScene& scene, const AnalysisSnapshot& snapshot,
                                   const LayerIndex& layers) {
  return std::make_shared<const ObserverMarks>(MarkBuilder(scene, snapshot, layers).build());
}

void paintMark(QPainter& painter, const DrawnEdge& edge, Mark mark, bool leftToRight,
               const Theme& theme) {
  paintMarkShape(painter, pointBeforeEnd(edge.points, leftToRight, kBeforeEnd), mark, theme);
}

void paintOutputMark(QPainter& painter, const DrawnBox& box, bool leftToRight, const Theme& theme) {
  const QPointF centre = box.rect.center();
  paintOutputShape(
      painter,
      leftToRight ? QPointF(box.rect.right(), centre.y()) : QPointF(centre.x(), box.rect.bottom()),
      theme);
}

// An observer is filled, what reuses one is hollow; on the edge it is a diamond, at an output
// round.
void paintMarkShape(QPainter& painter, const QPointF& place, Mark mark, const Theme& theme) {
  if (mark == Mark::None) return;
  painter.setPen(QPen(theme.mutedText, kPen));
  painter.setBrush(mark == Mark::OnEdge ? theme.text : theme.surface);
  if (mark == Mark::ReusesOutput) {
    painter.drawEllipse(place, kMarkRadius - 0.8, kMarkRadius - 0.8);
    return;
  }
  const double reach = kMarkRadius + 0.8;
  const QPointF corners[] = {place + QPointF(0, -reach), place + QPointF(reach, 0),
                             place + QPointF(0, reach), place + QPointF(-reach, 0)};
  painter.drawPolygon(corners, 4);
}

void paintOutputShape(QPainter& painter, const QPointF& place, const Theme& theme) {
  painter.setPen(QPen(theme.surface, kPen));
  painter.setBrush(theme.text);
  painter.drawEllipse(place, kMarkRadius, kMarkRadius);
}

}  // namespace quantscope
