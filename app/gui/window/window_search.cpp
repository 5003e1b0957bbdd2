#include "window_search.h"

#include <QLineEdit>
#include <QTabWidget>
#include <algorithm>

#include "app/gui/controllers/findings_controller.h"
#include "app/gui/layer_order.h"
#include "tool_bar.h"
#include "widgets/controls/search_results.h"
#include "widgets/graph/graph_view.h"
#include "widgets/look/text.h"
#include "widgets/words/finding_groups.h"
#include "window_views.h"

namespace quantscope {
namespace {

SearchResults::Row rowOf(const AnalysisSnapshot& snapshot, const SearchMatch& match) {
  if (!match.finding.empty()) {
    const std::vector<Finding>& findings = snapshot.detected->findings;
    const auto found = std::ranges::find(findings, match.finding, &Finding::id);
    if (found != findings.end()) {
      return {text(found->text), detectorTitle(found->detector), QStringLiteral("warning")};
    }
  }
  if (match.selected.value.valid()) {
    return {text(snapshot.graph()[match.selected.value].name), {}, QStringLiteral("data")};
  }
  const Node& node = snapshot.graph()[match.selected.node];
  const QString scope = text(scopeOf(node.name));
  return {text(shortName(node.name)),
          scope.isEmpty() ? text(node.op) : text(node.op) + QStringLiteral(" · ") + scope,
          QStringLiteral("layers")};
}

}  // namespace

WindowSearch::WindowSearch(Session& session, WindowViews& views, FindingsController& findings,
                           ToolBar& toolBar, MessageBar& messages, QWidget* parent)
    : QObject(parent),
      m_session(session),
      m_views(views),
      m_findings(findings),
      m_toolBar(toolBar),
      m_messages(messages),
      m_results(new SearchResults(toolBar.search(), parent)) {
  connect(&views.tabs(), &QTabWidget::currentChanged, this, &WindowSearch::mark);
  connect(&toolBar, &ToolBar::searchChanged, this, &WindowSearch::mark);
  connect(&toolBar, &ToolBar::searchChanged, this, &WindowSearch::list);
  connect(&toolBar, &ToolBar::nextRequested, this, &WindowSearch::findNext);
  connect(&session.controller(), &AnalysisController::snapshotChanged, this, [this] {
    const bool shown = m_results->isVisible();
    list();  // names of another model, findings of another configuration
    m_results->setVisible(shown);
  });
  connect(&session.selection(), &Selection::changed, this, &WindowSearch::markCurrent);
  connect(m_results, &SearchResults::chosen, this,
          [this](int row) { goTo(m_matches[static_cast<std::size_t>(row)]); });
}

void WindowSearch::list() {
  const SnapshotPtr& snapshot = m_session.snapshot();
  const QString words = m_toolBar.search()->text();
  m_matches.clear();
  if (snapshot) {
    const LayerIndex layers(*snapshot->result);
    m_matches =
        findMatches(*snapshot, LayerFindings(*snapshot, layers, m_session.dismissed()), words);
  }
  QList<SearchResults::Row> rows;
  for (const SearchMatch& match : m_matches) rows << rowOf(*snapshot, match);
  m_results->setRows(rows);
}

// Marks the current match, also after Enter.
void WindowSearch::markCurrent() {
  if (!m_results->isVisible()) return;
  const Selected& selected = m_session.selection().current();
  const auto found = std::ranges::find_if(m_matches, [&](const SearchMatch& match) {
    return match.selected.node == selected.node && match.selected.value == selected.value;
  });
  if (found != m_matches.end()) m_results->setCurrent(static_cast<int>(found - m_matches.begin()));
}

// The graph marks matches only while it is visible.
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
