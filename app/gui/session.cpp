#include "session.h"

#include <utility>

#include "base/error.h"
#include "detectors/apply_changes.h"

namespace quantscope {

class Session::ConfigCommand : public QUndoCommand {
 public:
  ConfigCommand(Session& session, PrecisionConfig config, const QString& what)
      : QUndoCommand(what),
        m_session(session),
        m_before(session.m_request.config),
        m_after(std::move(config)) {}

  void undo() override { m_session.applyConfig(m_before); }
  void redo() override { m_session.applyConfig(m_after); }

 private:
  Session& m_session;
  PrecisionConfig m_before;
  PrecisionConfig m_after;
};

class Session::DismissCommand : public QUndoCommand {
 public:
  DismissCommand(Session& session, std::string finding, bool dismissed)
      : QUndoCommand(dismissed ? tr("dismiss a finding") : tr("bring a finding back")),
        m_session(session),
        m_finding(std::move(finding)),
        m_dismissed(dismissed) {}

  void undo() override { put(!m_dismissed); }
  void redo() override { put(m_dismissed); }

 private:
  void put(bool aside) {
    if (aside) {
      m_session.m_dismissed.insert(m_finding);
    } else {
      m_session.m_dismissed.erase(m_finding);
    }
    Q_EMIT m_session.dismissedChanged();
  }

  Session& m_session;
  std::string m_finding;
  bool m_dismissed;
};

Session::Session(QObject* parent) : QObject(parent) {}

Session::~Session() {
  m_background.waitForDone();
}

bool Session::stale() const {
  const SnapshotPtr& shown = snapshot();
  if (!shown) return false;
  return !sameData(shown->request, m_request) ||
         toJson(shown->request.config) != toJson(m_request.config);
}

void Session::open(const AnalysisRequest& request) {
  m_request = request;
  forgetDismissed();
  m_undoStack.clear();
  m_selection.reset();
  m_controller.start(m_request, true);
  Q_EMIT requestChanged();
}

void Session::forgetDismissed() {
  m_dismissed.clear();
  Q_EMIT dismissedChanged();
}

void Session::closeModel() {
  m_request = {};
  forgetDismissed();
  m_undoStack.clear();
  m_selection.reset();
  m_controller.close();
  Q_EMIT requestChanged();
}

void Session::setData(const AnalysisRequest& request) {
  PrecisionConfig config = std::move(m_request.config);
  m_request = request;
  m_request.config = std::move(config);
  m_controller.start(m_request);
  Q_EMIT requestChanged();
}

void Session::setConfig(const PrecisionConfig& config, const QString& what) {
  if (toJson(config) == toJson(m_request.config)) return;
  m_undoStack.push(new ConfigCommand(*this, config, what));
}

void Session::applyChanges(const std::vector<ConfigChange>& changes, const QString& what) {
  if (snapshot()) setConfig(withChanges(m_request.config, snapshot()->graph(), changes), what);
}

void Session::acceptAllSuggestions() {
  if (m_accepting || !snapshot() || !snapshot()->detected) return;
  DetectorReport report = *snapshot()->detected;
  std::erase_if(report.findings,
                [this](const Finding& finding) { return m_dismissed.contains(finding.id); });
  m_accepting = true;
  m_background.start([this, shown = snapshot(), of = m_request, report = std::move(report)] {
    std::optional<AcceptedConfig> accepted;
    try {
      accepted = acceptAll(*shown->model.engine, of.config, report);
    } catch (const Error&) {
      // What is asked for does not fit the model: the analysis of it says so.
    }
    QMetaObject::invokeMethod(this, [this, of, accepted] { takeAccepted(of, accepted); });
  });
}

void Session::takeAccepted(const AnalysisRequest& of,
                           const std::optional<AcceptedConfig>& accepted) {
  m_accepting = false;
  const int before = m_undoStack.index();
  const bool current = sameData(of, m_request) && of.config == m_request.config;
  if (accepted && current) setConfig(accepted->config, tr("accept all suggestions"));
  Q_EMIT suggestionsAccepted(m_undoStack.index() != before,
                             accepted ? accepted->leftOut.size() : 0);
}

void Session::setThresholds(const DetectorThresholds& thresholds, const QString& what) {
  PrecisionConfig config = m_request.config;
  config.detectors = thresholds;
  setConfig(config, what);
}

void Session::setSharing(const HandSharing& sharing, const QString& what) {
  if (!snapshot()) return;
  PrecisionConfig config = m_request.config;
  config.groups = sharing;
  findObserverGroups(*snapshot()->model.engine, config);
  setConfig(config, what);
}

void Session::setDismissed(const std::string& finding, bool dismissed) {
  if (m_dismissed.contains(finding) == dismissed) return;
  m_undoStack.push(new DismissCommand(*this, finding, dismissed));
}

void Session::restart() {
  if (hasModel()) m_controller.start(m_request, true);
}

void Session::keepWhatIsShown() {
  if (!snapshot()) {
    m_request = {};
  } else if (snapshot()->request.model != m_request.model) {
    m_request = snapshot()->request;
  } else {
    PrecisionConfig config = std::move(m_request.config);  // its changes can be undone
    m_request = snapshot()->request;
    m_request.config = std::move(config);
  }
  Q_EMIT requestChanged();
}

void Session::applyConfig(const PrecisionConfig& config) {
  m_request.config = config;
  m_controller.start(m_request);
  Q_EMIT requestChanged();
}

}  // namespace quantscope
