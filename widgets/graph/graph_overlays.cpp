#include "widgets/graph/graph_overlays.h"

#include <QLabel>

#include "widgets/graph/canvas/graph_canvas.h"
#include "widgets/graph/canvas/minimap.h"
#include "widgets/graph/graph_legend.h"
#include "widgets/graph/graph_search.h"
#include "widgets/graph/graph_toolbar.h"

namespace quantscope {
namespace {

constexpr int kHintDelayMs = 500;
constexpr int kMargin = 12;
constexpr QSize kLargestMinimap{200, 320};
// A lower canvas has its legend, as a bar of colours, in a row with the tools.
constexpr int kLeastForLegend = 480;
constexpr int kLeastForAny = 140;
constexpr int kLeastForMinimap = 200;  // of the view's height: in less it hides what it helps find

}  // namespace

GraphOverlays::GraphOverlays(GraphCanvas* canvas, const QList<QAction*>& tools, QWidget* view)
    : QObject(view),
      m_view(view),
      m_canvas(canvas),
      m_minimap(new GraphMinimap(canvas, view)),
      m_legend(new GraphLegend(view)),
      m_search(new GraphSearch(view)),
      m_toolbar(new GraphToolbar(tools, view)),
      m_hint(new QLabel(view)) {
  m_minimap->hide();
  m_legend->hide();
  m_toolbar->hide();
  m_hint->hide();
  m_hint->setAutoFillBackground(true);
  m_hint->setMargin(8);
  m_hint->setAttribute(Qt::WA_TransparentForMouseEvents);
  m_hintDelay.setSingleShot(true);
  m_hintDelay.setInterval(kHintDelayMs);
  connect(&m_hintDelay, &QTimer::timeout, this, [this] { showHint(m_soon); });
}

void GraphOverlays::place() {
  const int width = m_view->width();
  m_canvas->setGeometry(m_view->rect());
  placeMinimap();
  const int besideMap = m_minimap->isHidden() ? 0 : m_minimap->width() + kMargin;
  placeLegend(width - 2 * kMargin - besideMap);
  m_search->adjustSize();
  const int searchLeft = width - m_search->width() - kMargin;
  const int taken = legendIsAbove() ? m_legend->geometry().right() : m_toolbar->geometry().right();
  const bool besideTools = searchLeft > taken + kMargin;
  m_search->move(searchLeft, besideTools ? kMargin : m_toolbar->geometry().bottom() + kMargin);
  const int below = m_legend->isHidden() || legendIsAbove() ? 0 : m_legend->height() + kMargin;
  m_canvas->setInsets(QMarginsF(0, m_toolbar->height() + kMargin, 0, below));
  m_hint->move((width - m_hint->width()) / 2, kMargin);
}

// As small, down to half of the largest, as it has to be to cover no box at the beginning.
void GraphOverlays::placeMinimap() {
  const int width = m_view->width();
  const int height = m_view->height();
  const bool mapped = height >= kLeastForMinimap && m_minimap->useful();
  m_minimap->setVisible(mapped);
  if (!mapped) return;
  const QSize largest = kLargestMinimap.boundedTo({width / 5, 2 * height / 5});
  const auto inCorner = [&](const QSize& size) {
    const QPoint corner(width - size.width() - kMargin, height - size.height() - kMargin);
    return QRect(corner, size);
  };
  if (m_canvas->atBeginning()) {
    const auto covers = [&](double share) {
      return m_canvas->hasBoxIn(inCorner(m_minimap->sizeWithin(largest * share)));
    };
    m_minimapShare = 1;
    while (m_minimapShare > 0.5 && covers(m_minimapShare)) m_minimapShare -= 0.125;
  }
  m_minimap->setMostSize(largest * m_minimapShare);
  m_minimap->move(inCorner(m_minimap->size()).topLeft());
}

bool GraphOverlays::legendIsAbove() const {
  return m_legend->isVisible() && m_legend->y() == kMargin;
}

void GraphOverlays::placeLegendBelow(const QSize& most) {
  m_legend->setMost(most);
  m_legend->move(kMargin, m_view->height() - m_legend->height() - kMargin);
}

// It stays where it was put at the beginning, whatever the user moves below it.
void GraphOverlays::placeLegend(int most) {
  const int height = m_view->height();
  m_toolbar->move(kMargin, kMargin);
  const QRect tools = m_toolbar->geometry();
  const int lowest = tools.height() + kMargin;
  placeLegendBelow({most, height / 3});
  if (m_canvas->atBeginning()) m_boxesBelow = m_canvas->hasBoxIn(m_legend->geometry());
  if (height < kLeastForLegend || m_boxesBelow) {
    m_legend->setMost({m_view->width() - tools.right() - 2 * kMargin, lowest});
    m_legend->move(tools.right() + kMargin, kMargin);
    if (height >= kLeastForLegend && !m_legend->fits()) placeLegendBelow({most, lowest});
  }
  m_legend->setVisible(!m_canvas->content().empty() && m_legend->fits() && height >= kLeastForAny);
}

void GraphOverlays::showTools() {
  m_toolbar->show();
}

void GraphOverlays::hideAll() {
  hideHint();
  for (QWidget* overlay : std::initializer_list<QWidget*>{m_minimap, m_legend, m_search, m_toolbar})
    overlay->hide();
}

void GraphOverlays::showHint(const QString& words) {
  m_hintDelay.stop();
  m_hint->setText(words);
  m_hint->adjustSize();
  m_hint->show();
  m_hint->raise();
  place();
}

void GraphOverlays::showHintSoon(const QString& words) {
  m_soon = words;
  m_hint->hide();
  m_hintDelay.start();
}

void GraphOverlays::hideHint() {
  m_hintDelay.stop();
  m_hint->hide();
}

}  // namespace quantscope
