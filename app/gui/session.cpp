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
      : QUndoCommand((dismissed ? tr("dismiss %1") : tr("bring %1 back"))
                         .arg(QString::fromStdString(finding))),
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
  stopAccepting();
  m_background.waitForDone();
}

bool Session::stale() const {
  const SnapshotPtr& shown = snapshot();
  if (!shown) return false;
  return !sameData(shown->request, m_request) ||
         toJson(shown->request.config) != toJson(m_request.config);
}

void Session::open(const AnalysisRequest& request) {
  stopAccepting();
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
  stopAccepting();
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
  m_accepting = std::make_shared<JobContext>(m_controller.workers());
  m_background.start(
      [this, job = m_accepting, shown = snapshot(), of = m_request, aside = m_dismissed] {
        std::optional<AcceptedConfig> accepted;
        try {
          accepted = acceptAll(*shown->model.engine, of.config, *shown->detected, *job, aside);
        } catch (const Cancelled&) {
        } catch (const std::exception& error) {
          const QString why = QString::fromUtf8(error.what());
          QMetaObject::invokeMethod(this, [this, why] {
            endAccepting();
            Q_EMIT acceptingFailed(why);
          });
          return;
        }
        QMetaObject::invokeMethod(this, [this, of, accepted] { takeAccepted(of, accepted); });
      });
  Q_EMIT acceptingChanged();
}

void Session::stopAccepting() {
  if (m_accepting) m_accepting->requestCancel();
}

void Session::endAccepting() {
  m_accepting.reset();
  Q_EMIT acceptingChanged();
}

void Session::takeAccepted(const AnalysisRequest& of,
                           const std::optional<AcceptedConfig>& accepted) {
  endAccepting();
  const bool current = sameData(of, m_request) && of.config == m_request.config;
  if (!accepted || !current) {
    Q_EMIT suggestionsAccepted(Accepted::Overtaken, 0);
    return;
  }
  const int before = m_undoStack.index();
  setConfig(accepted->config, tr("accept all suggestions"));
  const bool changed = m_undoStack.index() != before;
  Q_EMIT suggestionsAccepted(changed ? Accepted::Changed : Accepted::Nothing,
                             accepted->leftOut.size());
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
