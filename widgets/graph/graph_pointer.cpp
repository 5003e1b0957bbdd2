#include "widgets/graph/graph_pointer.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QToolTip>
#include <algorithm>
#include <utility>

#include "widgets/graph/canvas/graph_canvas.h"
#include "widgets/graph/graph_actions.h"
#include "widgets/graph/graph_legend.h"
#include "widgets/graph/graph_subjects.h"
#include "widgets/graph/graph_words.h"
#include "widgets/look/text.h"
#include "widgets/precision/precision_menu.h"
#include "widgets/words/finding_words.h"

namespace quantscope {
namespace {

constexpr int kRestMs = 350;

}  // namespace

GraphPointer::GraphPointer(GraphCanvas* canvas, const GraphActions* actions,
                           const GraphSubjects& subjects, const GraphLegend& legend,
                           const ViewContext& context, std::function<bool()> current)
    : QObject(canvas),
      m_canvas(canvas),
      m_actions(actions),
      m_subjects(subjects),
      m_legend(legend),
      m_context(context),
      m_current(std::move(current)) {
  m_rest.setSingleShot(true);
  m_rest.setInterval(kRestMs);
  connect(&m_rest, &QTimer::timeout, this, &GraphPointer::explain);
  connect(canvas, &GraphCanvas::hovered, this, [this](const QPoint& place) {
    m_place = place;
    QToolTip::hideText();
    m_rest.start();
  });
  connect(canvas, &GraphCanvas::viewChanged, this, &GraphPointer::leavePlace);
  connect(canvas, &GraphCanvas::menuRequested, this, &GraphPointer::openMenu);
  connectClicks();
}

void GraphPointer::connectClicks() {
  Selection* selection = m_context.selection;
  const auto box = [this](std::size_t i) -> const DrawnBox& {
    return m_subjects.scene()->boxes()[i];
  };
  const auto frame = [this](std::size_t i) -> const DrawnFrame& {
    return m_subjects.scene()->frames()[i];
  };
  connect(m_canvas, &GraphCanvas::boxClicked, this, [this, selection, box](std::size_t i) {
    if (m_current()) selection->select(m_subjects.selectedBy(box(i)));
  });
  connect(m_canvas, &GraphCanvas::boxToggled, this, [this, selection, box](std::size_t i) {
    if (!m_current()) return;
    const Selected of = m_subjects.selectedBy(box(i));
    if (of.node.valid()) selection->toggleNode(of.node);
  });
  connect(m_canvas, &GraphCanvas::frameClicked, this, [this, selection, frame](std::size_t i) {
    if (m_current()) selection->select(GraphSubjects::selectedBy(frame(i)));
  });
  connect(m_canvas, &GraphCanvas::edgeClicked, this, [this, selection](std::size_t i) {
    if (m_current()) selection->select(m_subjects.selectedBy(m_subjects.scene()->edges()[i]));
  });
  connect(m_canvas, &GraphCanvas::backgroundClicked, selection, &Selection::clear);
  connect(m_canvas, &GraphCanvas::badgeClicked, this, [this, box](std::size_t i) {
    if (m_current()) Q_EMIT findingsRequested(m_subjects.placeOf(box(i)));
  });
  connect(m_canvas, &GraphCanvas::expandRequested, this, [this, box](std::size_t i) {
    if (m_current()) Q_EMIT expandRequested(box(i));
  });
  connect(m_canvas, &GraphCanvas::collapseRequested, this, [this, frame](std::size_t i) {
    if (m_current()) Q_EMIT collapseRequested(frame(i));
  });
}

void GraphPointer::explain() {
  m_said = m_current() ? words() : QString();
  if (!m_said.isEmpty()) QToolTip::showText(m_canvas->mapToGlobal(m_place), m_said, m_canvas);
}

// Something else is under the pointer when the view moves.
void GraphPointer::leavePlace() {
  m_rest.stop();
  if (!m_said.isEmpty() && QToolTip::text() == m_said) QToolTip::hideText();
  m_said.clear();
}

// A tip that is read stays up to date.
void GraphPointer::refresh() {
  if (!QToolTip::isVisible() || m_said.isEmpty() || QToolTip::text() != m_said) return;
  if (m_current() && words() == m_said) return;
  QToolTip::hideText();
  explain();
}

// The words for the item under the pointer.
QString GraphPointer::words() const {
  const GraphScene& scene = *m_subjects.scene();
  const AnalysisSnapshot& snapshot = *m_subjects.snapshot();
  if (const auto badge = m_canvas->badgeAt(m_place))
    return sentencesOf(m_subjects.findingsOf(scene.boxes()[*badge]));
  if (const auto box = m_canvas->boxAt(m_place)) {
    return boxWords(scene.boxes()[*box], snapshot, *m_context.options,
                    m_subjects.findings().sum(scene.boxes()[*box].layers));
  }
  if (const auto edge = m_canvas->edgeAt(m_place))
    return edgeWords(scene.edges()[*edge], scene.boxes(), snapshot);
  return {};
}

void GraphPointer::openMenu(const QPoint& position) {
  if (!m_current()) return;
  // A pending tool tip would cover the menu.
  m_rest.stop();
  QToolTip::hideText();
  QMenu menu(m_canvas->parentWidget());
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

// The menu keeps its own copy of its subject: the drawing may change while it is open.
void GraphPointer::addBoxActions(QMenu& menu, std::size_t i) {
  const GraphScene& scene = *m_subjects.scene();
  const DrawnBox& box = scene.boxes()[i];
  const std::vector<std::size_t>& selected = m_canvas->selectedBoxes();
  // If several layers are selected, the menu applies to all.
  if (selected.size() < 2 || std::ranges::find(selected, i) == selected.end()) {
    m_context.selection->select(m_subjects.selectedBy(box));
  }
  addPrecisionMenu(menu, m_context.precision);
  const std::size_t findings = m_canvas->content().looks->boxes[i].findings.count;
  if (findings > 0) {
    menu.addAction(
        findings == 1 ? tr("Show Its &Finding") : tr("Show Its %1 &Findings").arg(findings), this,
        [this, place = m_subjects.placeOf(box)] { Q_EMIT findingsRequested(place); });
  }
  menu.addAction(tr("Copy &Name"), this,
                 [name = m_subjects.nameOf(box)] { QGuiApplication::clipboard()->setText(name); });
  menu.addAction(tr("C&entre"), this, &GraphPointer::centreRequested);
  if (canExpand(box))
    menu.addAction(tr("E&xpand"), this, [this, box] { Q_EMIT expandRequested(box); });
  if (const auto frame = scene.frameOfScope(box.scope); frame && !canExpand(box)) {
    menu.addAction(tr("Collapse %1").arg(scene.frames()[*frame].title), this,
                   [this, of = scene.frames()[*frame]] { Q_EMIT collapseRequested(of); });
  }
  menu.addSeparator();
}

void GraphPointer::addFrameActions(QMenu& menu, std::size_t i) {
  const DrawnFrame& frame = m_subjects.scene()->frames()[i];
  m_context.selection->select(GraphSubjects::selectedBy(frame));
  addPrecisionMenu(menu, m_context.precision);
  menu.addAction(tr("Copy &Name"), this,
                 [name = text(frame.scope)] { QGuiApplication::clipboard()->setText(name); });
  menu.addAction(tr("Co&llapse"), this, [this, frame] { Q_EMIT collapseRequested(frame); });
  menu.addSeparator();
}

ViewPicture GraphPointer::picture() const {
  const GraphContent content = m_canvas->content();
  if (content.empty()) return {};
  constexpr double kMargin = 24;
  const QRectF area = content.scene->bounds().adjusted(-kMargin, -kMargin, kMargin, kMargin);
  ViewPicture picture;
  picture.name = text(m_subjects.snapshot()->model.file.stem().string()) + QStringLiteral("-graph");
  const QSize legend = m_legend.wholeSize();
  const QSizeF size(std::max<double>(area.width(), legend.width()),
                    area.height() + legend.height());
  picture.size = size;
  picture.paint = [this, content, area, size](QPainter& painter) {
    painter.fillRect(QRectF(QPointF(), size), content.looks->theme.surface);
    painter.save();
    painter.translate((size.width() - area.width()) / 2 - area.left(), -area.top());
    paintGraph(painter, content, area, 1);
    painter.restore();
    painter.translate(0, area.height());
    m_legend.paintWhole(painter);
  };
  return picture;
}

}  // namespace quantscope
