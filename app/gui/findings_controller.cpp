#include "findings_controller.h"

#include <QAction>
#include <QTimer>

#include "widgets/findings/findings_view.h"
#include "widgets/graph/graph_view.h"
#include "window_views.h"

namespace quantscope {
namespace {

constexpr int kRunningPatienceMs = 250;

}  // namespace

FindingsController::FindingsController(Session& session, WindowViews& views, Actions& actions,
                                       MessageBar& messages, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_views(views),
      m_actions(actions),
      m_messages(messages) {
  connectList();
  connectGraph();
  connect(&session, &Session::acceptingChanged, this, &FindingsController::tellAccepting);
  connect(&session, &Session::suggestionsAccepted, this, &FindingsController::tellAccepted);
  connect(&session, &Session::acceptingFailed, this, &FindingsController::tellFailed);
}

void FindingsController::connectList() {
  FindingsView& findings = m_views.findings();
  const auto trigger = [this](ActionId id) {
    return [action = m_actions.at(id)] { action->trigger(); };
  };
  connect(&findings, &FindingsView::applyRequested, &m_session, &Session::applyChanges);
  connect(&findings, &FindingsView::acceptAllRequested, this, trigger(ActionId::AcceptAll));
  connect(&findings, &FindingsView::dismissRequested, &m_session, &Session::setDismissed);
  connect(&findings, &FindingsView::thresholdsRequested, &m_session, &Session::setThresholds);
  connect(&findings, &FindingsView::dataRequested, this, trigger(ActionId::ChooseData));
  connect(&findings, &FindingsView::runRequested, this, trigger(ActionId::Run));
  connect(&m_session, &Session::dismissedChanged, this, [this] {
    m_views.findings().setDismissed(m_session.dismissed());
    m_views.graph().setDismissed(m_session.dismissed());
  });
  m_patience.setSingleShot(true);
  m_patience.setInterval(kRunningPatienceMs);
  connect(&m_patience, &QTimer::timeout, this, [this] { m_views.findings().setRunning(true); });
  AnalysisController& controller = m_session.controller();
  connect(&controller, &AnalysisController::runningChanged, this, &FindingsController::tellRunning);
  connect(&controller, &AnalysisController::snapshotChanged, this,
          &FindingsController::tellRunning);
}

// Findings that are there stay as they are for an analysis that is over soon.
void FindingsController::tellRunning() {
  const bool running = m_session.controller().running();
  const SnapshotPtr& snapshot = m_session.snapshot();
  if (running && snapshot && snapshot->detected) {
    if (!m_patience.isActive()) m_patience.start();
    return;
  }
  m_patience.stop();
  m_views.findings().setRunning(running);
}

void FindingsController::connectGraph() {
  connect(&m_views.graph(), &GraphView::findingsRequested, this,
          [this](const FindingsPlace& place) {
            m_views.raiseFindings();
            m_views.findings().showPlace(place);
          });
  connect(&m_views.graph(), &GraphView::findingFound, this, &FindingsController::show);
}

void FindingsController::show(const std::string& id) {
  m_views.raiseFindings();
  m_views.findings().choose(id);
}

void FindingsController::step(int by) {
  m_views.raiseFindings();
  m_views.findings().step(by);
}

bool FindingsController::hasFindings() const {
  const SnapshotPtr& snapshot = m_session.snapshot();
  return snapshot && snapshot->detected && !snapshot->detected->findings.empty();
}

// Only where it takes long.
void FindingsController::tellAccepting() {
  constexpr int kPatienceMs = 500;
  const QString topic = QStringLiteral("accepting");
  m_actions.refresh();
  if (!m_session.accepting()) return m_messages.dismiss(topic);
  QTimer::singleShot(kPatienceMs, this, [this, topic] {
    if (!m_session.accepting()) return;
    m_messages.tell({.sentence = tr("Looking for the suggestions that can be combined…"),
                     .remedies = {{tr("Cancel"), [this] { m_session.stopAccepting(); }}},
                     .topic = topic});
  });
}

void FindingsController::tellAccepted(Session::Accepted outcome, std::size_t leftOut) {
  const bool changed = outcome == Session::Accepted::Changed;
  if (outcome == Session::Accepted::Overtaken || (changed && leftOut == 0)) return;
  m_messages.tell(
      {.severity = Message::Severity::Info,
       .sentence =
           changed ? tr("Suggestions that would lose precision by themselves were left out: %1.")
                         .arg(leftOut)
                   : tr("No suggestion is left that helps, that the configuration can hold and "
                        "that the backend can run."),
       .topic = QStringLiteral("suggestions"),
       .passing = true});
}

void FindingsController::tellFailed(const QString& why) {
  m_messages.tell({.severity = Message::Severity::Error,
                   .sentence = tr("The suggestions could not be applied: %1.").arg(why),
                   .hint = tr("The configuration is as it was."),
                   .topic = QStringLiteral("suggestions")});
}

}  // namespace quantscope
