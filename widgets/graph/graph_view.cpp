#include "widgets/graph/graph_view.h"

#include <QAbstractButton>
#include <QEvent>
#include <QLabel>
#include <algorithm>

#include "widgets/graph/graph_actions.h"
#include "widgets/graph/graph_canvas.h"
#include "widgets/graph/graph_legend.h"
#include "widgets/graph/graph_loader.h"
#include "widgets/graph/graph_looks.h"
#include "widgets/graph/graph_search.h"
#include "widgets/graph/graph_toolbar.h"
#include "widgets/graph/graph_words.h"
#include "widgets/graph/minimap.h"

namespace quantscope {
namespace {

constexpr int kHintDelayMs = 500;
constexpr int kExplainDelayMs = 350;
constexpr int kViewMargin = 12;
constexpr QSize kLargestMinimap{200, 320};
constexpr int kLeastForMinimap = 200;  // of the canvas' height: in less it hides what it helps find
constexpr char kStateTag[] = "graph1";

}  // namespace

GraphView::GraphView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_canvas(new GraphCanvas(this)),
      m_loader(new GraphLoader(this)),
      m_minimap(new GraphMinimap(m_canvas, this)),
      m_legend(new GraphLegend(this)),
      m_search(new GraphSearch(this)),
      m_actions(new GraphActions(this)),
      m_toolbar(new GraphToolbar(m_actions->all(), this)),
      m_hint(new QLabel(this)) {
  setFocusProxy(m_canvas);
  m_minimap->hide();
  m_legend->hide();
  m_toolbar->hide();
  m_hint->hide();
  m_hint->setAutoFillBackground(true);
  m_hint->setMargin(8);
  m_hint->setAttribute(Qt::WA_TransparentForMouseEvents);
  m_hintDelay.setSingleShot(true);
  m_hintDelay.setInterval(kHintDelayMs);
  connect(&m_hintDelay, &QTimer::timeout, this, [this] { showHint(tr("Laying out…")); });
  m_explainDelay.setSingleShot(true);
  m_explainDelay.setInterval(kExplainDelayMs);
  connect(&m_explainDelay, &QTimer::timeout, this, &GraphView::explain);
  connect(m_loader, &GraphLoader::ready, this, &GraphView::takeScene);
  connect(m_loader, &GraphLoader::failed, this, [this](const QString& sentence) {
    m_hintDelay.stop();
    showHint(tr("The graph cannot be drawn: %1").arg(sentence));
  });
  connect(context.selection, &Selection::centreRequested, this, &GraphView::centreSelected);
  connectCanvas();
  connectActions();
  connectSearch();
}

QList<QAction*> GraphView::graphActions() const {
  return m_actions->all();
}

bool GraphView::settled() const {
  return m_scene && !m_loader->busy() && m_canvas->content().scene == m_scene && m_canvas->sharp();
}

// Layouts depend on which layers there are, and on no figure: another configuration may fuse
// other patterns.
bool GraphView::sameLayers() const {
  if (!m_laidOut || m_laidOut->model.graph != snapshot()->model.graph) return false;
  return std::ranges::equal(m_laidOut->result->layers, snapshot()->result->layers,
                            [](const LayerResult& a, const LayerResult& b) {
                              return a.members == b.members && a.dataMover == b.dataMover;
                            });
}

bool GraphView::drawingIsCurrent() const {
  return snapshot() && m_scene && m_canvas->content().scene == m_scene && !m_loader->busy() &&
         sameLayers();
}

void GraphView::showSnapshot() {
  if (!snapshot()) {
    m_loader->cancel();
    m_hintDelay.stop();
    m_laidOut.reset();
    m_scene.reset();
    m_looks.reset();
    m_marks.reset();
    m_shown = {};
    m_anchor.reset();
    m_canvas->clear();
    for (QWidget* overlay :
         std::initializer_list<QWidget*>{m_minimap, m_legend, m_hint, m_search, m_toolbar})
      overlay->hide();
    return;
  }
  m_layerOfNode = LayerIndex(*snapshot()->result);
  if (sameLayers()) return;
  if (!m_laidOut || m_laidOut->model.graph != snapshot()->model.graph) {
    m_byDefault = true;
    m_fromTheTop = true;
    m_anchor.reset();
  }
  layOut();
}

void GraphView::setDrawingOptions(const DrawingOptions& options) {
  if (options == m_drawing) {
    m_anchor.reset();
    return;
  }
  // Nearly everything moves: there is no place to keep.
  const bool others = !m_anchor && !m_centreOnArrival;
  m_fitOnArrival = others && options.collapsed != m_drawing.collapsed;
  if (options.leftToRight != m_drawing.leftToRight) m_fromTheTop = true;
  // Before the first drawing is ready, the model has not had its say.
  if (m_scene && !m_loader->busy()) m_byDefault = false;
  m_drawing = options;
  if (snapshot() && m_laidOut) layOut();
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
  m_laidOut = snapshot();
  ++m_layouts;
  m_hint->hide();
  m_hintDelay.start();
  m_loader->load(snapshot(), m_drawing, m_byDefault, font());
}

void GraphView::takeScene(const GraphScenePtr& scene) {
  m_hintDelay.stop();
  m_hint->hide();
  m_scene = scene;
  m_looks.reset();
  m_marks.reset();
  m_drawing = scene->options();
  recolour();
}

void GraphView::showOptions() {
  if (!snapshot()) return;
  m_legend->show(*snapshot()->result, options(), m_actions->observers->isChecked());
  m_findings = LayerFindings(*snapshot(), m_layerOfNode, m_dismissed);
  search();
  placeOverlays();
  recolour();
}

void GraphView::setDismissed(const Dismissed& dismissed) {
  if (dismissed == m_dismissed) return;
  m_dismissed = dismissed;
  refresh();
}

// Colours follow the newest snapshot; a scene of other layers waits for its successor.
void GraphView::recolour() {
  if (!m_scene || !snapshot() || !sameLayers() || m_loader->busy()) return;
  const GraphLooksPtr looks =
      makeLooks(*m_scene, *snapshot()->result, m_findings, options(), Theme::of(palette()), font());
  const bool marked = m_actions->observers->isChecked();
  const ObserverMarksPtr marks = marked ? makeObserverMarks(*m_scene, *snapshot()) : nullptr;
  // To paint everything anew takes longer than to see that nothing has changed.
  const bool sameMarks = marks && m_marks ? *marks == *m_marks : marks == m_marks;
  if (m_looks && *looks == *m_looks && sameMarks) return;
  m_looks = looks;
  m_marks = marks;
  highlight();
  m_minimap->setContent(m_shown);
  placeOverlays();
}

void GraphView::highlight() {
  if (!m_scene || !m_looks || m_looks->boxes.size() != m_scene->boxes().size()) return;
  GraphHighlightPtr highlight = makeHighlight(*m_scene, selectedBoxes(), matchedBoxes());
  const bool same = m_shown.scene == m_scene && m_shown.looks == m_looks &&
                    m_shown.marks == m_marks && m_shown.highlight &&
                    *m_shown.highlight == *highlight;
  if (same) return;
  m_shown = {m_scene, m_looks, std::move(highlight), m_marks};
  m_canvas->setContent(m_shown);
}

// The canvas shows the newest scene.
void GraphView::arrive() {
  if (m_fromTheTop) {
    m_canvas->showBeginning();
    m_fromTheTop = false;
    m_anchor.reset();
    takeFocus();
  } else if (std::exchange(m_fitOnArrival, false)) {
    m_canvas->fit();
  } else if (!keepAnchor()) {
    const GraphCamera& camera = m_canvas->camera();
    m_canvas->setView(camera.centre(), camera.scale());
  }
  m_canvas->setSelected(selectedBoxes(), selectedFrame());
  m_toolbar->show();
  placeOverlays();
  if (std::exchange(m_centreOnArrival, false)) centreSelected();
  Q_EMIT drawn();
}

// The keys work at once, but for somebody who is typing elsewhere.
void GraphView::takeFocus() {
  const QWidget* now = window()->focusWidget();
  if (now == nullptr || qobject_cast<const QAbstractButton*>(now) != nullptr) m_canvas->setFocus();
}

bool GraphView::keepAnchor() {
  if (!m_anchor) return false;
  const Anchor anchor = *std::exchange(m_anchor, std::nullopt);
  const std::optional<QPointF> corner = cornerOf(anchor);
  if (!corner) return false;
  const GraphCamera& camera = m_canvas->camera();
  const QPointF shift = camera.toScene(anchor.position) - *corner;
  m_canvas->setView(camera.centre() - shift, camera.scale());
  return true;
}

std::optional<QPointF> GraphView::cornerOf(const Anchor& anchor) const {
  const auto frame = anchor.owner.valid() ? m_scene->frameOfBody(anchor.owner)
                                          : m_scene->frameOfScope(anchor.scope);
  if (frame) return m_scene->frames()[*frame].rect.topLeft();
  const auto layer = m_layerOfNode.find(anchor.owner);
  if (layer) {
    const auto box = m_scene->boxOfLayer(*layer);
    return box ? std::optional(m_scene->boxes()[*box].rect.topLeft()) : std::nullopt;
  }
  const std::vector<std::size_t> cards = m_scene->boxesOfScope(anchor.scope);
  if (cards.empty()) return std::nullopt;
  return m_scene->boxes()[cards.front()].rect.topLeft();
}

void GraphView::showSelection() {
  if (!drawingIsCurrent()) return;
  m_canvas->setSelected(selectedBoxes(), selectedFrame());
  highlight();
  // Asked for while the graph could not be seen.
  if (m_centreOnArrival) centreSelected();
  const std::vector<std::size_t> boxes = selectedBoxes();
  if (boxes.empty()) return;
  const DrawnBox& box = m_scene->boxes()[boxes.front()];
  showOnce(box.rect);
  m_canvas->setAccessibleDescription(
      spokenWords(box, *snapshot(), options(), m_findings.sum(box.layers)));
}

// What was selected elsewhere comes into sight, once: who moves on is not called back by the next
// result.
void GraphView::showOnce(const QRectF& area) {
  const Selected& selected = selection().current();
  const bool same = selected.node == m_lastShown.node && selected.scope == m_lastShown.scope &&
                    selected.value == m_lastShown.value;
  m_lastShown = selected;
  if (!same && !m_canvas->camera().visible().intersects(area)) m_canvas->centreOn(area.center());
}

std::vector<std::size_t> GraphView::selectedBoxes() const {
  const Selected& selected = selection().current();
  std::optional<std::size_t> box;
  if (selected.node.valid()) {
    if (const auto layer = m_layerOfNode.find(selected.node)) box = m_scene->boxOfLayer(*layer);
  } else if (!selected.scope.empty()) {
    return m_scene->boxesOfScope(selected.scope);
  } else if (selected.value.valid()) {
    box = m_scene->boxOfValue(selected.value);
  }
  return box ? std::vector{*box} : std::vector<std::size_t>{};
}

std::optional<std::size_t> GraphView::selectedFrame() const {
  const Selected& selected = selection().current();
  if (selected.node.valid()) return m_scene->frameOfBody(selected.node);
  return selected.scope.empty() ? std::nullopt : m_scene->frameOfScope(selected.scope);
}

void GraphView::showHint(const QString& words) {
  m_hint->setText(words);
  m_hint->adjustSize();
  m_hint->show();
  m_hint->raise();
  placeOverlays();
}

// On a low canvas they step aside for the graph.
void GraphView::placeOverlays() {
  m_canvas->setGeometry(rect());
  m_minimap->setMostSize(kLargestMinimap.boundedTo({width() / 5, 2 * height() / 5}));
  const bool mapped = height() >= kLeastForMinimap && m_minimap->useful();
  const int besideMap = mapped ? m_minimap->width() + kViewMargin : 0;
  m_legend->setMost({width() - 2 * kViewMargin - besideMap, height() / 4});
  m_legend->move(kViewMargin, height() - m_legend->height() - kViewMargin);
  m_legend->setVisible(!m_canvas->content().empty() && m_legend->fits());
  m_minimap->move(width() - m_minimap->width() - kViewMargin,
                  height() - m_minimap->height() - kViewMargin);
  m_minimap->setVisible(mapped);
  m_search->adjustSize();
  m_toolbar->move(kViewMargin, kViewMargin);
  const int searchLeft = width() - m_search->width() - kViewMargin;
  const bool besideTools = searchLeft > m_toolbar->geometry().right() + kViewMargin;
  m_search->move(searchLeft,
                 besideTools ? kViewMargin : m_toolbar->geometry().bottom() + kViewMargin);
  const int below = m_legend->isHidden() ? 0 : m_legend->height() + kViewMargin;
  m_canvas->setInsets(QMarginsF(0, m_toolbar->height() + kViewMargin, 0, below));
  m_hint->move((width() - m_hint->width()) / 2, kViewMargin);
}

void GraphView::resizeEvent(QResizeEvent* event) {
  SnapshotView::resizeEvent(event);
  placeOverlays();
}

void GraphView::changeEvent(QEvent* event) {
  SnapshotView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) recolour();
}

}  // namespace quantscope
