// How findings reach the rest of the window: the graph, the search, the scheme.

#include <QDockWidget>
#include <QLineEdit>
#include <QTimer>

#include "layer_order.h"
#include "main_window.h"
#include "widgets/findings/findings_view.h"
#include "widgets/graph/graph_view.h"

namespace quantscope {

void MainWindow::connectFindings() {
  connect(m_findings, &FindingsView::applyRequested, &m_session, &Session::applyChanges);
  connect(m_findings, &FindingsView::acceptAllRequested, m_actions->at(ActionId::AcceptAll),
          &QAction::trigger);
  connect(&m_session, &Session::acceptingChanged, this, &MainWindow::tellAccepting);
  connect(&m_session, &Session::suggestionsAccepted, this, &MainWindow::tellAccepted);
  connect(&m_session, &Session::acceptingFailed, this, [this](const QString& why) {
    m_messages->tell({.severity = Message::Severity::Error,
                      .sentence = tr("The suggestions could not be accepted: %1.").arg(why),
                      .hint = tr("The scheme is as it was."),
                      .topic = QStringLiteral("suggestions")});
  });
  connect(m_findings, &FindingsView::dismissRequested, &m_session, &Session::setDismissed);
  connect(m_findings, &FindingsView::thresholdsRequested, &m_session, &Session::setThresholds);
  connect(m_findings, &FindingsView::dataRequested, m_actions->at(ActionId::ChooseData),
          &QAction::trigger);
  connect(m_findings, &FindingsView::runRequested, m_actions->at(ActionId::Run), &QAction::trigger);
  connect(&m_session, &Session::dismissedChanged, this, [this] {
    m_findings->setDismissed(m_session.dismissed());
    m_graph->setDismissed(m_session.dismissed());
  });
  connect(&m_session.controller(), &AnalysisController::runningChanged, m_findings,
          [this] { m_findings->setRunning(m_session.controller().running()); });
  connect(m_graph, &GraphView::findingsRequested, this, [this](const FindingsPlace& place) {
    raiseFindings();
    m_findings->showPlace(place);
  });
  connect(m_graph, &GraphView::findingFound, this, &MainWindow::showFinding);
}

void MainWindow::raiseFindings() {
  m_findingsPanel->show();
  m_findingsPanel->raise();
}

void MainWindow::showFinding(const std::string& id) {
  raiseFindings();
  m_findings->choose(id);
}

void MainWindow::stepFinding(int by) {
  raiseFindings();
  m_findings->step(by);
}

// Where it takes its time.
void MainWindow::tellAccepting() {
  constexpr int kPatienceMs = 500;
  const QString topic = QStringLiteral("accepting");
  m_actions->refresh();
  if (!m_session.accepting()) return m_messages->dismiss(topic);
  QTimer::singleShot(kPatienceMs, this, [this, topic] {
    if (!m_session.accepting()) return;
    m_messages->tell({.sentence = tr("Looking for the suggestions that can be had together…"),
                      .remedies = {{tr("Cancel"), [this] { m_session.stopAccepting(); }}},
                      .topic = topic});
  });
}

void MainWindow::tellAccepted(Session::Accepted outcome, std::size_t leftOut) {
  const bool changed = outcome == Session::Accepted::Changed;
  if (outcome == Session::Accepted::Overtaken || (changed && leftOut == 0)) return;
  m_messages->tell(
      {.severity = Message::Severity::Info,
       .sentence =
           changed ? tr("Suggestions that would lose precision by themselves were left out: %1.")
                         .arg(leftOut)
                   : tr("No suggestion is left that helps, that the scheme can hold and that the "
                        "backend can run."),
       .topic = QStringLiteral("suggestions"),
       .passing = true});
}

// The graph marks what it finds; it does so only while it can be seen.
void MainWindow::search() {
  if (m_graph->isVisible()) m_graph->setSearch(m_toolBar->search()->text());
}

void MainWindow::findNext(const QString& words, bool forward) {
  if (!m_session.snapshot()) return;
  if (m_graph->isVisible() && m_graph->matchCount() > 0) {
    forward ? m_graph->findNext() : m_graph->findPrevious();
    return;
  }
  const AnalysisSnapshot& snapshot = *m_session.snapshot();
  const LayerIndex layers(*snapshot.result);
  const std::vector<SearchMatch> matches =
      findMatches(snapshot, LayerFindings(snapshot, layers, m_session.dismissed()), words);
  const Selected& selected = m_session.selection().current();
  const bool moved =
      selected.node != m_lastFound.selected.node || selected.value != m_lastFound.selected.value;
  if (moved) {
    m_lastFound = {};
    m_lastFound.selected.node = selected.node;
    m_lastFound.selected.value = selected.value;
  }
  if (const auto match = matchAfter(matches, m_lastFound, layers, forward)) return goTo(*match);
  if (words.isEmpty()) return;
  m_messages->tell(
      {.severity = Message::Severity::Info,
       .sentence = tr("No layer's name, operator or scope and no finding holds “%1”.").arg(words),
       .topic = QStringLiteral("search"),
       .passing = true});
}

void MainWindow::goTo(const SearchMatch& match) {
  m_lastFound = match;
  m_session.selection().select(match.selected);
  if (!match.finding.empty()) showFinding(match.finding);
  m_session.selection().requestCentre();
}

}  // namespace quantscope
