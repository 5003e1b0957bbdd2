#include "session.h"

#include <algorithm>
#include <utility>

#include "detectors/changes/apply_changes.h"
#include "jobs/analysis/keep_analysis.h"
#include "precision/edits/edit_precision.h"
#include "precision/edits/voided_encodings.h"
#include "precision/sharing/observer_groups.h"
#include "project/linked_files.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

// As the document's references have them.
AnalysisRequest withWholePaths(AnalysisRequest request) {
  request.model = wholePath(request.model.string());
  request.data = wholePath(request.data);
  request.calibration = wholePath(request.calibration);
  request.labels = wholePath(request.labels.string());
  return request;
}

// By what is most of a change.
QString choiceWords(const ChosenData& before, const ChosenData& after) {
  const QString data = fileName(after.data);
  if (after.data != before.data) return Session::tr("use %1 as data").arg(data);
  if (after.labels != before.labels) {
    return after.labels.empty() ? Session::tr("use no labels")
                                : Session::tr("use %1 as labels").arg(fileName(after.labels));
  }
  if (after.calibration != before.calibration) {
    return Session::tr("calibrate with %1")
        .arg(after.calibration.empty() ? data : fileName(after.calibration));
  }
  const std::optional<std::size_t> samples = after.settings.source.samples;
  if (samples == before.settings.source.samples) return Session::tr("read %1 anew").arg(data);
  return samples ? Session::tr("use %1 samples of %2").arg(*samples).arg(data)
                 : Session::tr("use all samples of %1").arg(data);
}

}  // namespace

/// One edit of the document; the stack follows the document's journal step by step.
class Session::JournalCommand : public QUndoCommand {
 public:
  JournalCommand(Session& session, const QString& what) : QUndoCommand(what), m_session(session) {}

  void undo() override {
    const bool drops = m_session.m_dropping;
    drops ? m_session.m_document.dropLast() : m_session.m_document.undo();
    setObsolete(drops);
    m_session.showDocument();
  }
  // The first time it has been done already.
  void redo() override {
    if (m_done) m_session.m_document.redo();
    m_done = true;
    m_session.showDocument();
  }

 private:
  Session& m_session;
  bool m_done = false;
};

Session::Session(std::shared_ptr<JobQueue> queue, QObject* parent)
    : QObject(parent), m_queue(std::move(queue)), m_controller(m_queue) {
  connect(this, &Session::requestChanged, this,
          [this] { m_precision.setConfig(m_request.config); });
  connect(&m_controller, &AnalysisController::snapshotChanged, this,
          [this] { m_precision.setSnapshot(snapshot()); });
  connect(&m_precision, &PrecisionEditor::edited, this, &Session::apply);
}

bool Session::stale() const {
  const SnapshotPtr& shown = snapshot();
  if (!shown) return false;
  return !sameData(shown->request, m_request) || shown->request.config != m_request.config;
}

bool Session::settled() const {
  const SnapshotPtr& shown = snapshot();
  return shown && shown->stage == AnalysisSnapshot::Stage::Complete && !stale();
}

void Session::open(const AnalysisRequest& request) {
  beginWork(request);
  m_controller.start(m_request, true);
  Q_EMIT requestChanged();
}

void Session::beginWork(const AnalysisRequest& request) {
  Q_EMIT documentEnding();
  m_request = withWholePaths(request);
  startDocument();
  m_selection.reset();
}

void Session::startDocument() {
  m_document = Document(m_request.config);
  m_undoStack.clear();
  noteFiles();
  showHistory();
}

void Session::resume(const Document& document, const std::shared_ptr<const ProjectFile>& project,
                     Resumed what) {
  Q_EMIT documentEnding();
  m_request = requestOf(document);
  m_document = document;
  m_selection.reset();
  showHistory();
  AnalysisRequest structure = m_request;
  structure.data.clear();
  if (what == Resumed::All) m_controller.resume(m_request, project);
  if (what == Resumed::Structure) m_controller.start(structure, true);
  if (what == Resumed::Nothing) m_controller.close();
  Q_EMIT requestChanged();
}

// Shows the journal on the undo stack and in the views.
void Session::showHistory() {
  m_takingUp = true;
  const Document document = m_document;
  m_undoStack.clear();
  for (const Document::Edit& edit : document.journal()) {
    m_undoStack.push(new JournalCommand(*this, QString::fromStdString(sentenceOf(edit))));
  }
  m_undoStack.setIndex(static_cast<int>(document.position()));
  m_document = document;  // as it stands, whatever undoing on the stack has made of it
  m_takingUp = false;
  m_shownDismissed = m_document.dismissed();
  m_shownNames = m_document.named();
  Q_EMIT documentChanged();
  Q_EMIT dismissedChanged();
  Q_EMIT namedChanged();
}

// Files with an unchanged path keep their known content id.
void Session::noteFiles() {
  DocumentFiles files = m_document.files();
  const auto note = [](FileReference& file, const std::string& path) {
    if (file.path != path) file = {path, {}, {}};
  };
  note(files.model, m_request.model.string());
  note(files.data, m_request.data);
  note(files.calibration, m_request.calibration);
  note(files.labels, m_request.labels.string());
  m_document.setSettings(settingsOf(m_request));
  setFiles(files);
}

void Session::setFiles(const DocumentFiles& files) {
  m_document.setFiles(files);
  Q_EMIT documentChanged();
}

void Session::closeModel() {
  beginWork({});
  m_controller.close();
  Q_EMIT requestChanged();
}

void Session::setData(const AnalysisRequest& chosen) {
  const AnalysisRequest request = withWholePaths(chosen);
  const ChosenData before = m_document.data();
  const ChosenData after = chosenData(request);
  const bool sameModel = request.model == m_request.model;
  if (sameModel && !before.data.empty() && !after.data.empty() && before != after) {
    note(DataChoice{choiceWords(before, after).toStdString(), before, after});
    return;
  }
  m_request = request;
  m_request.config = m_document.configuration();
  noteFiles();
  m_controller.start(m_request);
  Q_EMIT requestChanged();
}

void Session::apply(const ConfigEdit& edit) {
  requireSharing(edit);
  note(edit);
}

// Sharing by hand may contradict itself or the backend.
void Session::requireSharing(const ConfigEdit& edit) const {
  const bool shares = std::ranges::any_of(
      edit.steps, [](const ConfigStep& step) { return step.place == ConfigStep::Entry::Groups; });
  if (!shares || !snapshot()) return;
  findObserverGroups(*snapshot()->model.engine, *edit.apply(m_document.configuration()).precision);
}

bool Session::note(const Document::Edit& edit) {
  if (!m_document.apply(edit)) return false;
  m_undoStack.push(new JournalCommand(*this, QString::fromStdString(sentenceOf(edit))));
  return true;
}

// Shows the document's state on screen and in the request.
void Session::showDocument() {
  if (m_takingUp) return;
  Q_EMIT documentChanged();
  if (m_shownDismissed != m_document.dismissed()) {
    m_shownDismissed = m_document.dismissed();
    Q_EMIT dismissedChanged();
  }
  if (m_shownNames != m_document.named()) {
    m_shownNames = m_document.named();
    Q_EMIT namedChanged();
  }
  followRequest();
}

void Session::followRequest() {
  const bool same =
      chosenData(m_request) == m_document.data() && m_request.config == m_document.configuration();
  if (same) return;
  m_request = requestOf(m_document);
  m_controller.start(m_request);
  Q_EMIT requestChanged();
}

void Session::setConfig(const Configuration& config, const QString& what) {
  note(editBetween(m_document.configuration(), config, what.toStdString()));
}

void Session::applyChanges(const std::vector<ConfigChange>& changes, const QString& what) {
  if (!snapshot()) return;
  const Configuration& config = m_document.configuration();
  note(voidingEncodings(editOf(config, snapshot()->graph(), changes, what.toStdString()),
                        *snapshot()->model.engine, config));
}

void Session::setThresholds(const DetectorThresholds& thresholds, const QString& what) {
  ConfigEdit edit = quantscope::setThresholds(thresholds);
  edit.sentence = what.toStdString();
  note(edit);
}

void Session::decideRepairs(const DecidedRepairs& repairs, const QString& what) {
  if (repairs != m_document.repairs()) note(RepairDecision{what.toStdString(), repairs});
}

std::uint64_t Session::lastEdit() const {
  const std::size_t position = m_document.position();
  return position == 0 ? 0 : m_document.serials()[position - 1];
}

void Session::decideRepairs(const DecidedRepairs& repairs, const QString& what,
                            std::uint64_t last) {
  const auto& serials = m_document.serials();
  const auto found = std::ranges::find(serials, last);
  const auto place = static_cast<std::size_t>(found - serials.begin()) + 1;
  const bool isThere = last == 0 || found != serials.end();
  const std::size_t after = last == 0 ? 0 : place;
  // Where the edit was undone meanwhile, or repairs were decided after it, this is the newest step.
  const auto& journal = m_document.journal();
  const std::size_t position = m_document.position();
  const bool isDone = isThere && after <= position;
  const auto isDecision = [](const Document::Edit& edit) {
    return std::holds_alternative<RepairDecision>(edit);
  };
  if (!isDone || after == position ||
      std::any_of(journal.begin() + static_cast<std::ptrdiff_t>(after),
                  journal.begin() + static_cast<std::ptrdiff_t>(position), isDecision)) {
    return decideRepairs(repairs, what);
  }
  insert(RepairDecision{what.toStdString(), repairs}, after);
}

// The edits after it are done again, as far as they were.
void Session::insert(const Document::Edit& edit, std::size_t place) {
  const std::vector<Document::Edit> journal = m_document.journal();
  const std::size_t position = m_document.position();
  m_document.moveTo(place);
  m_document.apply(edit);
  for (std::size_t i = place; i < journal.size(); ++i) m_document.apply(journal[i]);
  m_document.moveTo(position < place ? position : position + 1);
  showHistory();
}

void Session::keepCheckpoint(const StoppedTraining& checkpoint) {
  DecidedRepairs repairs = m_document.repairs();
  if (repairs.unfinished == checkpoint) return;
  repairs.unfinished = checkpoint;
  m_document.setRepairs(repairs);
  Q_EMIT documentChanged();
}

void Session::setDismissed(const std::string& finding, bool dismissed) {
  note(Dismissal{finding, dismissed});
}

void Session::keepConfiguration(const QString& name) {
  noteNames(tr("keep %1").arg(name), {{name.toStdString(), m_document.configuration()}});
}

void Session::keepConfigurationFor(const Configuration& next, const QString& name,
                                   const QString& what) {
  noteNames(what, {{name.toStdString(), m_document.configuration()}},
            editBetween(m_document.configuration(), next, what.toStdString()));
}

void Session::renameConfiguration(const QString& name, const QString& newName) {
  const auto& named = m_document.named();
  const auto found = named.find(name.toStdString());
  if (found == named.end() || named.contains(newName.toStdString())) return;
  noteNames(tr("rename %1 to %2").arg(name, newName),
            {{name.toStdString(), std::nullopt}, {newName.toStdString(), found->second}});
}

void Session::copyConfiguration(const QString& name, const QString& newName) {
  const auto& named = m_document.named();
  const auto found = named.find(name.toStdString());
  if (found == named.end() || named.contains(newName.toStdString())) return;
  noteNames(tr("copy %1 to %2").arg(name, newName), {{newName.toStdString(), found->second}});
}

void Session::forgetConfiguration(const QString& name) {
  if (!m_document.named().contains(name.toStdString())) return;
  noteNames(tr("delete %1").arg(name), {{name.toStdString(), std::nullopt}});
}

void Session::noteNames(const QString& what, const Naming::Names& after, const ConfigEdit& change) {
  Naming naming{what.toStdString(), {}, after, change};
  for (const auto& [name, config] : after) {
    const auto found = m_document.named().find(name);
    const bool there = found != m_document.named().end();
    naming.before.emplace(name, there ? std::optional(found->second) : std::nullopt);
  }
  note(naming);
}

// The step to data that cannot be read is no step.
void Session::leaveFailedData() {
  const std::size_t position = m_document.position();
  if (position == 0 || m_document.canRedo()) return;
  const auto* choice = std::get_if<DataChoice>(&m_document.journal()[position - 1]);
  const ChosenData failed = chosenData(m_request);
  const bool fails =
      choice != nullptr && choice->after == failed && chosenData(snapshot()->request) != failed;
  if (!fails) return;
  m_takingUp = m_dropping = true;
  m_undoStack.undo();
  m_takingUp = m_dropping = false;
}

void Session::restart() {
  if (hasModel()) m_controller.start(m_request, true);
}

void Session::keepWhatIsShown() {
  const bool loaded = snapshot() && snapshot()->request.model == m_request.model;
  if (!loaded && !m_document.journal().empty()) {
    m_controller.close();  // the work waits for its model
  } else if (!loaded) {
    Q_EMIT documentEnding();
    m_request = snapshot() ? snapshot()->request : AnalysisRequest();
    startDocument();
  } else {
    leaveFailedData();
    m_request = snapshot()->request;
    m_request.config = m_document.configuration();  // its changes can be undone
    noteFiles();
  }
  Q_EMIT requestChanged();
}

}  // namespace quantscope
