#include "window_search.h"

#include <QLineEdit>
#include <QTabWidget>

#include "findings_controller.h"
#include "layer_order.h"
#include "tool_bar.h"
#include "widgets/graph/graph_view.h"
#include "window_views.h"

namespace quantscope {

WindowSearch::WindowSearch(Session& session, WindowViews& views, FindingsController& findings,
                           ToolBar& toolBar, MessageBar& messages, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_views(views),
      m_findings(findings),
      m_toolBar(toolBar),
      m_messages(messages) {
  connect(&views.tabs(), &QTabWidget::currentChanged, this, &WindowSearch::mark);
  connect(&toolBar, &ToolBar::searchChanged, this, &WindowSearch::mark);
  connect(&toolBar, &ToolBar::nextRequested, this, &WindowSearch::findNext);
}

// The graph marks what it finds only while it can be seen.
void WindowSearch::mark() {
  GraphView& graph = m_views.graph();
  if (graph.isVisible()) graph.setSearch(m_toolBar.search()->text());
}

void WindowSearch::findNext(const QString& words, bool forward) {
  if (!m_session.snapshot()) return;
  GraphView& graph = m_views.graph();
  if (graph.isVisible() && graph.matchCount() > 0) {
    forward ? graph.findNext() : graph.findPrevious();
    return;
  }
  const AnalysisSnapshot& snapshot = *m_session.snapshot();
  const LayerIndex layers(*snapshot.result);
  const std::vector<SearchMatch> matches =
      findMatches(snapshot, LayerFindings(snapshot, layers, m_session.dismissed()), words);
  const Selected& selected = m_session.selection().current();
  const bool moved =
      selected.node != m_last.selected.node || selected.value != m_last.selected.value;
  if (moved) {
    m_last = {};
    m_last.selected.node = selected.node;
    m_last.selected.value = selected.value;
  }
  if (const auto match = matchAfter(matches, m_last, layers, forward)) return goTo(*match);
  if (words.isEmpty()) return;
  m_messages.tell(
      {.severity = Message::Severity::Info,
       .sentence = tr("No layer's name, operator or scope and no finding holds “%1”.").arg(words),
       .topic = QStringLiteral("search"),
       .passing = true});
}

void WindowSearch::goTo(const SearchMatch& match) {
  m_last = match;
  m_session.selection().select(match.selected);
  if (!match.finding.empty()) m_findings.show(match.finding);
  m_session.selection().requestCentre();
}

}  // namespace quantscope
