#include "widgets/models/linked_graphs.h"

#include <QHBoxLayout>
#include <QScopedValueRollback>
#include <QSplitter>

#include "widgets/graph/canvas/graph_canvas.h"
#include "widgets/graph/graph_view.h"

namespace quantscope {
namespace {

std::optional<QPointF> centreOf(GraphView& view, std::optional<std::size_t> row) {
  const GraphScenePtr& scene = view.canvas().content().scene;
  const auto box = scene && row ? scene->boxOfLayer(*row) : std::nullopt;
  if (!box) return std::nullopt;
  return scene->boxes()[*box].rect.center();
}

}  // namespace

LinkedGraphs::LinkedGraphs(QWidget* parent) : QWidget(parent) {
  m_options.setKind(ErrorKind::Accumulated);
  auto* both = new QSplitter(Qt::Horizontal);
  both->setChildrenCollapsible(false);
  for (Side& side : m_sides) {
    side.view = new GraphView(
        ViewContext{.selection = &side.selection, .options = &m_options, .precision = nullptr});
    both->addWidget(side.view);
    connectSide(side);
  }
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(both);
}

// The views are destroyed before their models. Where the first goes the second becomes wider, and
// must not be followed any more.
LinkedGraphs::~LinkedGraphs() {
  m_linked = false;
  for (Side& side : m_sides) delete side.view;
}

void LinkedGraphs::connectSide(Side& side) {
  GraphCanvas& canvas = side.view->canvas();
  connect(&canvas, &GraphCanvas::viewChanged, this, [this, &side] { follow(side); });
  connect(&canvas, &GraphCanvas::sceneChanged, this, &LinkedGraphs::findAnchors);
  connect(&side.selection, &Selection::changed, this, [this, &side] {
    if (m_following) return;
    const QScopedValueRollback following(m_following, true);
    const int pair = selectedPair(side);
    selectRow(other(side), rowOf(other(side), pair));
    Q_EMIT pairSelected(pair);
  });
}

void LinkedGraphs::setModels(const ComparedSnapshots& compared) {
  const QScopedValueRollback following(m_following, true);
  m_compared = compared;
  const SnapshotPtr* snapshots[] = {&m_compared.first, &m_compared.second};
  for (std::size_t i = 0; i < 2; ++i) {
    Side& side = m_sides[i];
    side.selection.reset();
    side.pairOfRow.assign(*snapshots[i] ? (*snapshots[i])->result->layers.size() : 0, -1);
    for (std::size_t pair = 0; pair < m_compared.pairs.size(); ++pair) {
      const auto row = rowOf(side, static_cast<int>(pair));
      if (row && side.pairOfRow[*row] < 0) side.pairOfRow[*row] = static_cast<int>(pair);
    }
    side.view->setSnapshot(*snapshots[i]);
    side.view->setVisible(*snapshots[i] != nullptr);
  }
  findAnchors();
}

std::optional<std::size_t> LinkedGraphs::rowOf(const Side& side, int pair) const {
  if (pair < 0 || static_cast<std::size_t>(pair) >= m_compared.pairs.size()) return std::nullopt;
  const PairedRows& rows = m_compared.pairs[static_cast<std::size_t>(pair)];
  return &side == &m_sides[0] ? rows.first : rows.second;
}

int LinkedGraphs::selectedPair(const Side& side) const {
  const SnapshotPtr& snapshot = &side == &m_sides[0] ? m_compared.first : m_compared.second;
  const NodeId node = side.selection.current().node;
  if (!snapshot || !node.valid()) return -1;
  const auto row = LayerIndex(*snapshot->result).find(node);
  return row ? side.pairOfRow[*row] : -1;
}

void LinkedGraphs::selectRow(Side& side, std::optional<std::size_t> row) {
  const SnapshotPtr& snapshot = &side == &m_sides[0] ? m_compared.first : m_compared.second;
  if (!row || !snapshot) return side.selection.clear();
  side.selection.selectNode(snapshot->result->layers[*row].node);
}

void LinkedGraphs::showPair(int pair) {
  {
    const QScopedValueRollback following(m_following, true);
    for (Side& side : m_sides) selectRow(side, rowOf(side, pair));
  }
  for (Side& side : m_sides) {
    if (const auto centre = centreOf(*side.view, rowOf(side, pair))) {
      return side.view->canvas().centreOn(*centre);
    }
  }
}

void LinkedGraphs::findAnchors() {
  m_anchors.clear();
  for (const PairedRows& rows : m_compared.pairs) {
    const auto first = centreOf(*m_sides[0].view, rows.first);
    const auto second = centreOf(*m_sides[1].view, rows.second);
    if (first && second) m_anchors.emplace_back(*first, *second);
  }
}

// Nearby twins say how far the other drawing is shifted there, the nearest ones most.
QPointF LinkedGraphs::twinOf(const QPointF& place, const Side& from) const {
  QPointF shift;
  double weights = 0;
  for (const auto& [first, second] : m_anchors) {
    const QPointF& here = &from == &m_sides[0] ? first : second;
    const QPointF& there = &from == &m_sides[0] ? second : first;
    const double distance = 1 + QPointF::dotProduct(place - here, place - here);
    const double weight = 1 / (distance * distance);
    shift += weight * (there - here);
    weights += weight;
  }
  return place + shift / weights;
}

void LinkedGraphs::follow(const Side& from) {
  if (!m_linked || m_following || m_anchors.empty()) return;
  const QScopedValueRollback following(m_following, true);
  const GraphCamera& camera = from.view->canvas().camera();
  other(from).view->canvas().setView(twinOf(camera.centre(), from), camera.scale());
}

}  // namespace quantscope
