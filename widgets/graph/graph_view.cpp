#include "widgets/graph/graph_view.h"

#include <QAbstractButton>
#include <QAction>
#include <QKeyEvent>
#include <algorithm>
#include <utility>

#include "widgets/graph/canvas/graph_canvas.h"
#include "widgets/graph/canvas/minimap.h"
#include "widgets/graph/graph_actions.h"
#include "widgets/graph/graph_legend.h"
#include "widgets/graph/graph_loader.h"
#include "widgets/graph/graph_overlays.h"
#include "widgets/graph/graph_pointer.h"
#include "widgets/graph/graph_search.h"
#include "widgets/graph/graph_toolbar.h"
#include "widgets/graph/graph_words.h"

namespace quantscope {
namespace {

constexpr char kStateTag[] = "graph1";
constexpr double kReadable = 1;
constexpr double kZoomStep = 1.25;

}  // namespace

GraphView::GraphView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_canvas(new GraphCanvas(this)),
      m_loader(new GraphLoader(this)),
      m_actions(new GraphActions(this)),
      m_overlays(new GraphOverlays(m_canvas, m_actions->all(), this)) {
  setFocusProxy(m_canvas);
  connect(context.selection, &Selection::centreRequested, this, &GraphView::centreSelected);
  connect(context.selection, &Selection::openingRequested, this, &GraphView::openSelected);
  connectLoader();
  connectCanvas();
  connectActions();
  connectSearch();
  m_pointer = new GraphPointer(m_canvas, m_actions, m_subjects, m_overlays->legend(), context,
                               [this] { return drawingIsCurrent(); });
  connect(m_pointer, &GraphPointer::expandRequested, this, &GraphView::expand);
  connect(m_pointer, &GraphPointer::collapseRequested, this, &GraphView::collapse);
  connect(m_pointer, &GraphPointer::centreRequested, this, &GraphView::centreSelected);
  connect(m_pointer, &GraphPointer::findingsRequested, this, &GraphView::findingsRequested);
}

void GraphView::connectLoader() {
  connect(m_loader, &GraphLoader::ready, this, &GraphView::takeScene);
  connect(m_loader, &GraphLoader::failed, this, [this](const QString& sentence) {
    m_overlays->showHint(tr("The graph cannot be drawn: %1").arg(sentence));
  });
}

void GraphView::connectCanvas() {
  connect(m_canvas, &GraphCanvas::sceneChanged, this, &GraphView::arrive);
  connect(m_canvas, &GraphCanvas::viewChanged, m_overlays, &GraphOverlays::place);
  connect(m_canvas, &GraphCanvas::boxActivated, this, &GraphView::activate);
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

void GraphView::connectSearch() {
  GraphSearch* search = &m_overlays->search();
  connect(search, &GraphSearch::wordsChanged, this, &GraphView::setSearch);
  connect(search, &GraphSearch::nextRequested, this, &GraphView::findNext);
  connect(search, &GraphSearch::previousRequested, this, &GraphView::findPrevious);
  connect(search, &GraphSearch::closed, this, [this] { m_canvas->setFocus(); });
}

QList<QAction*> GraphView::graphActions() const {
  return m_actions->all();
}

void GraphView::addTool(QAction* action, const QString& title) {
  m_overlays->toolbar().addTool(action, title);
}

int GraphView::layoutsBegun() const {
  return m_loader->requests();
}

// The canvas shows the newest layout that was asked for.
bool GraphView::newestIsShown() const {
  return scene() && !m_loader->busy() && m_canvas->content().scene == scene();
}

bool GraphView::settled() const {
  return newestIsShown() && m_canvas->sharp();
}

bool GraphView::drawingIsCurrent() const {
  return snapshot() && newestIsShown() && m_loader->isOfLayers(*snapshot());
}

bool GraphView::showsTheSame(const AnalysisSnapshot& shown, const AnalysisSnapshot& next) const {
  return SnapshotView::showsTheSame(shown, next) && shown.detected == next.detected;
}

void GraphView::showSnapshot() {
  m_subjects.setSnapshot(snapshot());
  if (!snapshot()) return clear();
  if (m_loader->isOfLayers(*snapshot())) return;
  if (!m_loader->isOfGraph(*snapshot())) {
    m_byDefault = true;
    m_arrival.showBeginning();
    m_arrival.keepNothing();
  }
  layOut();
}

void GraphView::clear() {
  m_loader->cancel();
  m_contents.setScene(nullptr);
  m_subjects.setScene(nullptr);
  m_arrival.keepNothing();
  m_canvas->clear();
  m_overlays->hideAll();
}

void GraphView::setDrawingOptions(const DrawingOptions& options) {
  if (options == m_drawing) return m_arrival.keepNothing();
  // Nearly everything moves: there is no place to keep.
  const bool others = !m_arrival.keepsPlace() && !m_centreOnArrival;
  m_arrival.fit(others && options.collapsed != m_drawing.collapsed);
  if (options.leftToRight != m_drawing.leftToRight) m_arrival.showBeginning();
  // Before the first drawing is ready, the model has not had its say.
  if (scene() && !m_loader->busy()) m_byDefault = false;
  m_drawing = options;
  if (snapshot() && m_loader->isOfGraph(*snapshot())) layOut();
}

QByteArray GraphView::saveState() const {
  QByteArray state = kStateTag;
  if (m_actions->leftToRight->isChecked()) state += " left-to-right";
  if (m_actions->constants->isChecked()) state += " constants";
  if (!m_actions->observers->isChecked()) state += " no-observers";
  return state;
}

// The actions tell the drawing.
bool GraphView::restoreState(const QByteArray& state) {
  const QList<QByteArray> words = state.split(' ');
  if (words.constFirst() != kStateTag) return false;
  m_actions->leftToRight->setChecked(words.contains("left-to-right"));
  m_actions->constants->setChecked(words.contains("constants"));
  m_actions->observers->setChecked(!words.contains("no-observers"));
  return true;
}

void GraphView::layOut() {
  m_overlays->showHintSoon(tr("Laying out…"));
  m_loader->load(snapshot(), m_drawing, m_byDefault, font());
}

void GraphView::takeScene(const GraphScenePtr& scene) {
  m_overlays->hideHint();
  m_contents.setScene(scene);
  m_subjects.setScene(scene);
  m_drawing = scene->options();
  recolour();
}

void GraphView::showOptions() {
  if (!snapshot()) return;
  m_overlays->legend().show(*snapshot()->result, options(), m_actions->observers->isChecked());
  m_subjects.countFindings(m_dismissed);
  search();
  m_overlays->place();
  recolour();
}

void GraphView::setDismissed(const Dismissed& dismissed) {
  if (dismissed == m_dismissed) return;
  m_dismissed = dismissed;
  refresh();
}

// Colours follow the newest snapshot; a scene of other layers waits for its successor.
void GraphView::recolour() {
  if (!scene() || !snapshot() || m_loader->busy() || !m_loader->isOfLayers(*snapshot())) return;
  if (!m_contents.recolour(m_subjects, options(), m_actions->observers->isChecked(),
                           Theme::of(palette()), font())) {
    return;
  }
  highlight();
  m_overlays->minimap().setContent(m_contents.content());
  m_overlays->place();
  m_pointer->refresh();
}

void GraphView::highlight() {
  if (!scene()) return;
  if (m_contents.highlight(m_subjects.boxesOf(selection().current()),
                           m_subjects.boxesOf(m_matches.matches()))) {
    m_canvas->setContent(m_contents.content());
  }
}

// The canvas shows the newest scene.
void GraphView::arrive() {
  if (m_arrival.arrive(*m_canvas, m_subjects)) takeFocus();
  const Selected& selected = selection().current();
  m_canvas->setSelected(m_subjects.boxesOf(selected), m_subjects.frameOf(selected));
  m_overlays->showTools();
  m_overlays->place();
  if (std::exchange(m_centreOnArrival, false)) centreSelected();
  Q_EMIT drawn();
}

// The keys work at once, unless the user types elsewhere.
void GraphView::takeFocus() {
  const QWidget* now = window()->focusWidget();
  if (now == nullptr || qobject_cast<const QAbstractButton*>(now) != nullptr) m_canvas->setFocus();
}

void GraphView::showSelection() {
  if (!drawingIsCurrent()) return;
  const Selected& selected = selection().current();
  const std::vector<std::size_t> boxes = m_subjects.boxesOf(selected);
  m_canvas->setSelected(boxes, m_subjects.frameOf(selected));
  highlight();
  // Asked for while the graph could not be seen.
  if (m_centreOnArrival) centreSelected();
  if (boxes.empty()) return;
  const DrawnBox& box = scene()->boxes()[boxes.front()];
  showOnce(box.rect);
  m_canvas->setAccessibleDescription(
      spokenWords(box, *snapshot(), options(), m_subjects.findings().sum(box.layers)));
}

// Makes a selection from elsewhere visible once: the next result does not move the view
// again.
void GraphView::showOnce(const QRectF& area) {
  const Selected& selected = selection().current();
  const bool same = selected.node == m_lastShown.node && selected.scope == m_lastShown.scope &&
                    selected.value == m_lastShown.value;
  m_lastShown = selected;
  if (!same && !m_canvas->camera().visible().intersects(area)) m_canvas->centreOn(area.center());
}

void GraphView::activate(std::size_t i) {
  if (!drawingIsCurrent()) return;
  const DrawnBox& box = scene()->boxes()[i];
  if (canExpand(box)) return expand(box);
  selection().select(m_subjects.selectedBy(box));
  m_canvas->centreOn(box.rect.center(), std::max(m_canvas->camera().scale(), kReadable));
}

void GraphView::expand(const DrawnBox& box) {
  DrawingOptions options = m_drawing;
  if (box.kind == DrawnBox::Kind::Body) {
    options.openBodies.insert(box.owner);
  } else {
    options.collapsed.erase(box.scope);
  }
  m_arrival.keep({box.scope, box.owner, m_canvas->camera().toView(box.rect.topLeft())});
  setDrawingOptions(options);
}

void GraphView::collapse(const DrawnFrame& frame) {
  DrawingOptions options = m_drawing;
  if (frame.owner.valid()) {
    options.openBodies.erase(frame.owner);
  } else {
    options.collapsed.insert(frame.scope);
  }
  m_arrival.keep({frame.scope, frame.owner, m_canvas->camera().toView(frame.rect.topLeft())});
  setDrawingOptions(options);
}

// Opens the scopes that hide the selection. False if none had to be opened.
bool GraphView::revealSelected() {
  const auto layer = m_subjects.layerOf(selection().current().node);
  if (!layer) return false;
  const DrawingOptions options = revealing(m_drawing, *snapshot(), *layer);
  if (options == m_drawing) return false;
  setDrawingOptions(options);
  return true;
}

// A closed card does not show what its layer is like.
void GraphView::openSelected() {
  if (!isVisible() || !drawingIsCurrent()) return;
  const auto layer = m_subjects.layerOf(selection().current().node);
  if (layer && revealing(m_drawing, *snapshot(), *layer) != m_drawing) centreSelected();
}

void GraphView::centreSelected() {
  m_centreOnArrival = true;
  if (!isVisible() || !scene() || !snapshot()) return;
  if (revealSelected() || !newestIsShown()) return;
  m_centreOnArrival = false;
  const double scale = std::max(m_canvas->camera().scale(), kReadable);
  const Selected& selected = selection().current();
  const std::vector<std::size_t> boxes = m_subjects.boxesOf(selected);
  if (!boxes.empty()) {
    m_canvas->centreOn(scene()->boxes()[boxes.front()].rect.center(), scale);
  } else if (const auto frame = m_subjects.frameOf(selected)) {
    const QRectF& rect = scene()->frames()[*frame].rect;
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
    case Qt::Key_Enter: {
      const auto boxes =
          scene() ? m_subjects.boxesOf(selection().current()) : std::vector<std::size_t>();
      if (!boxes.empty()) return activate(boxes.front());
      break;
    }
    default:
      break;
  }
  SnapshotView::keyPressEvent(event);
}

// Without a selection the walk begins at the box nearest to the middle.
void GraphView::walkTo(WalkDirection direction) {
  if (!drawingIsCurrent() || scene()->boxes().empty()) return;
  const std::vector<DrawnBox>& boxes = scene()->boxes();
  const std::vector<std::size_t> selected = m_subjects.boxesOf(selection().current());
  std::optional<std::size_t> next;
  if (selected.empty()) {
    const QPointF middle = m_canvas->camera().centre();
    const auto distance = [&](const DrawnBox& box) {
      return (box.rect.center() - middle).manhattanLength();
    };
    next = static_cast<std::size_t>(std::ranges::min_element(boxes, {}, distance) - boxes.begin());
  } else {
    next = walk(*scene(), selected.front(), direction);
  }
  if (!next) return;
  selection().select(m_subjects.selectedBy(boxes[*next]));
  m_canvas->reveal(boxes[*next].rect);
}

void GraphView::focusSearch() {
  m_overlays->search().open();
  m_overlays->place();
}

void GraphView::setSearch(const QString& words) {
  if (!m_matches.setWords(words)) return;
  m_overlays->search().setWords(words);
  search();
  highlight();
}

void GraphView::search() {
  m_matches.search(snapshot(), m_subjects.findings());
  showMatch();
}

void GraphView::showMatch() {
  m_overlays->search().setCount(m_matches.position(), m_matches.matches().size());
  m_overlays->place();
}

void GraphView::goToMatch(int by) {
  const std::optional<SearchMatch> match = m_matches.step(by);
  if (!match) return;
  showMatch();
  selection().select(match->selected);
  if (!match->finding.empty()) Q_EMIT findingFound(match->finding);
  centreSelected();
}

void GraphView::resizeEvent(QResizeEvent* event) {
  SnapshotView::resizeEvent(event);
  m_overlays->place();
}

// A canvas that was not seen learns its size only now, and shows other boxes from then on.
void GraphView::showEvent(QShowEvent* event) {
  const Selected& selected = selection().current();
  const bool another = m_left && selected != *m_left && !selected.empty();
  m_left.reset();
  if (another) m_centreOnArrival = true;
  SnapshotView::showEvent(event);
  m_overlays->place();
  if (another && m_centreOnArrival) centreSelected();
}

// What is selected in other views meanwhile comes into sight with the graph.
void GraphView::hideEvent(QHideEvent* event) {
  SnapshotView::hideEvent(event);
  if (!event->spontaneous() && scene()) m_left = selection().current();
}

void GraphView::changeEvent(QEvent* event) {
  SnapshotView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) recolour();
}

}  // namespace quantscope
