#include "findings_controller.h"

#include <QAction>

#include "app/gui/window/window_views.h"
#include "widgets/findings/findings_view.h"
#include "widgets/graph/graph_view.h"

namespace quantscope {
namespace {

constexpr int kRunningPatienceMs = 250;

}  // namespace

FindingsController::FindingsController(Session& session, WindowViews& views, Actions& actions,
                                       QObject* parent)
    : QObject(parent), m_session(session), m_views(views), m_actions(actions) {
  connectList();
  connectGraph();
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

}  // namespace quantscope
