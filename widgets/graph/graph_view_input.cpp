// What the user does to the graph: clicks, keys, menus, search.

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QToolTip>
#include <algorithm>

#include "widgets/findings/finding_filters.h"
#include "widgets/findings/finding_words.h"
#include "widgets/graph/graph_actions.h"
#include "widgets/graph/graph_canvas.h"
#include "widgets/graph/graph_loader.h"
#include "widgets/graph/graph_painter.h"
#include "widgets/graph/graph_search.h"
#include "widgets/graph/graph_view.h"
#include "widgets/graph/graph_words.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr double kReadableZoom = 1;
constexpr double kZoomStep = 1.25;

}  // namespace

void GraphView::connectCanvas() {
  connect(m_canvas, &GraphCanvas::sceneChanged, this, &GraphView::arrive);
  connect(m_canvas, &GraphCanvas::viewChanged, this, [this] { placeOverlays(); });
  connect(m_canvas, &GraphCanvas::boxClicked, this, [this](std::size_t box) {
    if (drawingIsCurrent()) selection().select(selectedBy(m_scene->boxes()[box]));
  });
  connect(m_canvas, &GraphCanvas::frameClicked, this, [this](std::size_t i) {
    if (!drawingIsCurrent()) return;
    const DrawnFrame& frame = m_scene->frames()[i];
    Selected selected;
    selected.scope = frame.scope;
    selected.node = frame.owner;
    selection().select(selected);
  });
  connect(m_canvas, &GraphCanvas::edgeClicked, this, [this](std::size_t edge) {
    if (drawingIsCurrent()) selection().select(selectedByEdge(m_scene->edges()[edge]));
  });
  connect(m_canvas, &GraphCanvas::backgroundClicked, this, [this] { selection().clear(); });
  connect(m_canvas, &GraphCanvas::boxActivated, this, &GraphView::activate);
  connect(m_canvas, &GraphCanvas::badgeClicked, this, [this](std::size_t box) {
    if (drawingIsCurrent()) Q_EMIT findingsRequested(placeOf(m_scene->boxes()[box]));
  });
  connect(m_canvas, &GraphCanvas::expandRequested, this, [this](std::size_t box) {
    if (drawingIsCurrent()) expand(m_scene->boxes()[box]);
  });
  connect(m_canvas, &GraphCanvas::collapseRequested, this, [this](std::size_t frame) {
    if (drawingIsCurrent()) collapse(m_scene->frames()[frame]);
  });
  connect(m_canvas, &GraphCanvas::hovered, this, [this](const QPoint& position) {
    m_pointer = position;
    QToolTip::hideText();
    m_explainDelay.start();
  });
  connect(m_canvas, &GraphCanvas::menuRequested, this, &GraphView::openMenu);
}

void GraphView::connectActions() {
  connect(m_actions->find, &QAction::triggered, this, &GraphView::focusSearch);
  connect(m_actions->fit, &QAction::triggered, m_canvas, &GraphCanvas::fit);
  connect(m_actions->zoomIn, &QAction::triggered, this, [this] { m_canvas->zoomBy(kZoomStep); });
  connect(m_actions->zoomOut, &QAction::triggered, this,
          [this] { m_canvas->zoomBy(1 / kZoomStep); });
  connect(m_actions->expandAll, &QAction::triggered, this,
          [this] { setDrawingOptions(expandAll(m_drawing)); });
  connect(m_actions->collapseAll, &QAction::triggered, this, [this] {
    if (snapshot()) setDrawingOptions(collapseAll(m_drawing, *snapshot()));
  });
  connect(m_actions->leftToRight, &QAction::toggled, this, [this](bool on) {
    DrawingOptions options = m_drawing;
    options.leftToRight = on;
    setDrawingOptions(options);
  });
  m_actions->observers->setChecked(true);
  connect(m_actions->observers, &QAction::toggled, this, [this] { refresh(); });
  connect(m_actions->constants, &QAction::toggled, this, [this](bool on) {
    DrawingOptions options = m_drawing;
    options.constants = on;
    setDrawingOptions(options);
  });
}

// The layer that reads the value, and the value: the edge between them. What the model gives back
// is selected by what makes it.
Selected GraphView::selectedByEdge(const DrawnEdge& edge) const {
  const Graph& graph = snapshot()->graph();
  const std::vector<std::size_t>& readers = m_scene->boxes()[edge.to].layers;
  for (const ValueId value : edge.values) {
    for (const NodeId consumer : graph[value].consumers) {
      const auto layer = m_layerOfNode.find(consumer);
      if (!layer || std::ranges::find(readers, *layer) == readers.end()) continue;
      return {.node = snapshot()->result->layers[*layer].node, .scope = {}, .value = value};
    }
  }
  return selectedBy(m_scene->boxes()[edge.from]);
}

Selected GraphView::selectedBy(const DrawnBox& box) const {
  Selected selected;
  if (box.kind == DrawnBox::Kind::Scope) {
    selected.scope = box.scope;
  } else if (box.value.valid()) {
    selected.value = box.value;
  } else if (box.owner.valid()) {
    selected.node = box.owner;
  } else if (!box.layers.empty()) {
    selected.node = snapshot()->result->layers[box.layers.front()].node;
  }
  return selected;
}

QString GraphView::nameOf(const DrawnBox& box) const {
  if (box.value.valid()) return text(snapshot()->graph()[box.value].name);
  if (box.kind == DrawnBox::Kind::Body) return text(snapshot()->graph()[box.owner].name);
  const bool layer = box.kind == DrawnBox::Kind::Layer || box.kind == DrawnBox::Kind::DataMover;
  return text(layer ? snapshot()->result->layers[box.layers.front()].name : box.scope);
}

std::vector<const Finding*> GraphView::findingsOf(const DrawnBox& box) const {
  std::vector<std::size_t> indices;
  for (const std::size_t layer : box.layers) {
    const std::span<const std::size_t> own = m_findings.of(layer);
    indices.insert(indices.end(), own.begin(), own.end());
  }
  std::ranges::sort(indices);  // the most severe first
  std::vector<const Finding*> findings;
  for (const std::size_t i : indices) findings.push_back(&snapshot()->detected->findings[i]);
  return findings;
}

FindingsPlace GraphView::placeOf(const DrawnBox& box) const {
  return placeOfLayers(*snapshot(), nameOf(box), box.layers);
}

void GraphView::activate(std::size_t i) {
  if (!drawingIsCurrent()) return;
  const DrawnBox& box = m_scene->boxes()[i];
  if (canExpand(box)) return expand(box);
  selection().select(selectedBy(box));
  m_canvas->centreOn(box.rect.center(), std::max(m_canvas->camera().scale(), kReadableZoom));
}

void GraphView::expand(const DrawnBox& box) {
  DrawingOptions options = m_drawing;
  if (box.kind == DrawnBox::Kind::Body) {
    options.openBodies.insert(box.owner);
  } else {
    options.collapsed.erase(box.scope);
  }
  m_anchor = Anchor{box.scope, box.owner, m_canvas->camera().toView(box.rect.topLeft())};
  setDrawingOptions(options);
}

void GraphView::collapse(const DrawnFrame& frame) {
  DrawingOptions options = m_drawing;
  if (frame.owner.valid()) {
    options.openBodies.erase(frame.owner);
  } else {
    options.collapsed.insert(frame.scope);
  }
  m_anchor = Anchor{frame.scope, frame.owner, m_canvas->camera().toView(frame.rect.topLeft())};
  setDrawingOptions(options);
}

// Opens the scopes that hide what is selected. False where nothing had to be opened.
bool GraphView::revealSelected() {
  const auto layer = m_layerOfNode.find(selection().current().node);
  if (!layer) return false;
  const DrawingOptions options = revealing(m_drawing, *snapshot(), *layer);
  if (options == m_drawing) return false;
  setDrawingOptions(options);
  return true;
}

void GraphView::centreSelected() {
  if (!isVisible() || !m_scene || !snapshot()) {
    m_centreOnArrival = true;
    return;
  }
  m_centreOnArrival = true;
  if (revealSelected() || m_loader->busy() || m_canvas->content().scene != m_scene) return;
  m_centreOnArrival = false;
  const double scale = std::max(m_canvas->camera().scale(), kReadableZoom);
  const std::vector<std::size_t> boxes = selectedBoxes();
  if (!boxes.empty()) {
    m_canvas->centreOn(m_scene->boxes()[boxes.front()].rect.center(), scale);
  } else if (const auto frame = selectedFrame()) {
    const QRectF& rect = m_scene->frames()[*frame].rect;
    m_canvas->centreOn(rect.center(), m_canvas->camera().scaleFor(rect, scale));
  }
}

void GraphView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return walkTo(WalkDirection::Left);
    case Qt::Key_Right:
      return walkTo(WalkDirection::Right);
    case Qt::Key_Up:
      return walkTo(WalkDirection::Up);
    case Qt::Key_Down:
      return walkTo(WalkDirection::Down);
    case Qt::Key_Escape:
      return selection().clear();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (m_scene && !selectedBoxes().empty()) return activate(selectedBoxes().front());
      break;
    default:
      break;
  }
  SnapshotView::keyPressEvent(event);
}

// Without a selection the walk begins at what is nearest to the middle.
void GraphView::walkTo(WalkDirection direction) {
  if (!drawingIsCurrent() || m_scene->boxes().empty()) return;
  const std::vector<std::size_t> boxes = selectedBoxes();
  std::optional<std::size_t> next;
  if (boxes.empty()) {
    const QPointF middle = m_canvas->camera().centre();
    const auto distance = [&](const DrawnBox& box) {
      return (box.rect.center() - middle).manhattanLength();
    };
    const auto nearest = std::ranges::min_element(m_scene->boxes(), {}, distance);
    next = static_cast<std::size_t>(nearest - m_scene->boxes().begin());
  } else {
    next = walk(*m_scene, boxes.front(), direction);
  }
  if (!next) return;
  selection().select(selectedBy(m_scene->boxes()[*next]));
  m_canvas->reveal(m_scene->boxes()[*next].rect);
}

void GraphView::explain() {
  QString words;
  const GraphScenePtr& scene = m_canvas->content().scene;
  if (drawingIsCurrent()) {
    if (const auto badge = m_canvas->badgeAt(m_pointer)) {
      words = sentencesOf(findingsOf(scene->boxes()[*badge]));
    } else if (const auto box = m_canvas->boxAt(m_pointer)) {
      words = boxWords(scene->boxes()[*box], *snapshot(), options(),
                       m_findings.sum(scene->boxes()[*box].layers));
    } else if (const auto edge = m_canvas->edgeAt(m_pointer)) {
      words = edgeWords(scene->edges()[*edge], scene->boxes(), *snapshot());
    }
  }
  if (!words.isEmpty()) {
    QToolTip::showText(m_canvas->mapToGlobal(m_pointer), words, m_canvas);
  }
}

void GraphView::openMenu(const QPoint& position) {
  if (!drawingIsCurrent()) return;
  QMenu menu(this);
  if (const auto box = m_canvas->boxAt(position)) {
    addBoxActions(menu, *box);
  } else if (const auto frame = m_canvas->frameAt(position)) {
    addFrameActions(menu, *frame);
  }
  menu.addActions(m_actions->all());
  menu.addSeparator();
  for (QAction* action : pictureActions(&menu, [this] { return picture(); })) {
    menu.addAction(action);
  }
  menu.exec(m_canvas->mapToGlobal(position));
}

// What the menu is about is kept apart: the drawing may change while it is open.
void GraphView::addBoxActions(QMenu& menu, std::size_t i) {
  const DrawnBox& box = m_scene->boxes()[i];
  const Selected selected = selectedBy(box);
  selection().select(selected);
  const std::size_t findings = m_canvas->content().looks->boxes[i].findings.count;
  if (findings > 0) {
    menu.addAction(
        findings == 1 ? tr("Show Its &Finding") : tr("Show Its %1 &Findings").arg(findings), this,
        [this, place = placeOf(box)] { Q_EMIT findingsRequested(place); });
  }
  menu.addAction(tr("Copy &Name"), this,
                 [name = nameOf(box)] { QGuiApplication::clipboard()->setText(name); });
  menu.addAction(tr("C&entre"), this, [this] { centreSelected(); });
  if (canExpand(box)) menu.addAction(tr("E&xpand"), this, [this, box] { expand(box); });
  if (const auto frame = m_scene->frameOfScope(box.scope); frame && !canExpand(box)) {
    menu.addAction(tr("Collapse %1").arg(m_scene->frames()[*frame].title), this,
                   [this, of = m_scene->frames()[*frame]] { collapse(of); });
  }
  menu.addSeparator();
}

void GraphView::addFrameActions(QMenu& menu, std::size_t i) {
  const DrawnFrame& frame = m_scene->frames()[i];
  menu.addAction(tr("Copy &Name"), this,
                 [name = text(frame.scope)] { QGuiApplication::clipboard()->setText(name); });
  menu.addAction(tr("Co&llapse"), this, [this, frame] { collapse(frame); });
  menu.addSeparator();
}

Picture GraphView::picture() const {
  GraphContent content = m_canvas->content();
  if (content.empty()) return {};
  constexpr double kRevealMargin = 24;
  const QRectF area = content.scene->bounds().adjusted(-kRevealMargin, -kRevealMargin,
                                                       kRevealMargin, kRevealMargin);
  Picture picture;
  picture.name = text(snapshot()->model.file.stem().string()) + QStringLiteral("-graph");
  picture.size = area.size();
  picture.paint = [content, area](QPainter& painter) {
    painter.fillRect(QRectF(QPointF(), area.size()), content.looks->theme.surface);
    painter.translate(-area.topLeft());
    paintGraph(painter, content, area, 1);
  };
  return picture;
}

}  // namespace quantscope
