#include "model_opener.h"

#include <QDir>
#include <QFileInfo>
#include <utility>

#include "app/gui/controllers/import_controller.h"
#include "app/gui/projects/project_opener.h"
#include "app/gui/window/error_message.h"
#include "data_of_model.h"
#include "recent_files.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

const QString kDataTopic = QStringLiteral("data");
const QString kOtherModelTopic = QStringLiteral("other model");

}  // namespace

ModelOpener::ModelOpener(Session& session, MessageBar& messages, std::shared_ptr<Dialogs> dialogs,
                         QWidget* window)
    : QObject(window),
      m_session(session),
      m_messages(messages),
      m_dialogs(std::move(dialogs)),
      m_window(window) {
  AnalysisController& controller = session.controller();
  connect(&controller, &AnalysisController::failed, this, &ModelOpener::fail);
  connect(&controller, &AnalysisController::snapshotChanged, this, &ModelOpener::noteSuccess);
  connect(&controller, &AnalysisController::started, this,
          [this] { m_messages.dismiss(QStringLiteral("error")); });
}

bool ModelOpener::canOpen(const QString& path) const {
  const bool model = path.endsWith(QStringLiteral(".onnx"), Qt::CaseInsensitive);
  if (model || looksLikeProject(path)) return true;
  return m_session.hasModel() && (looksLikeData(path) || ImportController::looksImportable(path));
}

void ModelOpener::openPath(const QString& path) {
  if (m_session.hasModel() && ImportController::looksImportable(path)) {
    Q_EMIT importChosen(path);
  } else if (!looksLikeData(path)) {
    openModel(path);
  } else if (m_session.hasModel()) {
    AnalysisRequest request = m_session.request();
    request.data = QFileInfo(path).absoluteFilePath().toStdString();
    request.calibration.clear();
    request.labels.clear();
    // The user, who sees the images, chooses how they become inputs.
    if (sourceKind(request.data) == SourceKind::Images) return askAbout(request);
    useData(request);
  } else {
    m_messages.tell(
        {.severity = Message::Severity::Info,
         .sentence = tr("%1 holds samples, and no model is open.").arg(QFileInfo(path).fileName()),
         .hint = tr("Open the model first, then drop its data."),
         .remedies = {{tr("Open Model…"), [this] { askForModel(); }}},
         .topic = kDataTopic});
  }
}

void ModelOpener::openModel(const QString& path) {
  if (looksLikeProject(path)) return Q_EMIT projectChosen(path);
  if (!m_mayLeave()) return;
  m_messages.dismissAll();
  openProposed(proposeRequest(path));
}

// What was found beside the model was not chosen: it is looked for again next time.
void ModelOpener::openProposed(const ProposedRequest& proposed) {
  m_session.open(proposed.request);
  if (proposed.origin != DataOrigin::Beside) return;
  m_remembered = m_session.request();
  tellOrigin(fileName(proposed.request.data));
}

void ModelOpener::openCommandLine(const CommandLine& line) {
  const QString path = text(line.request.model.string());
  if (looksLikeProject(path)) return Q_EMIT projectChosen(path);
  ProposedRequest proposed;
  if (line.request.data.empty()) {
    proposed = proposeRequest(text(line.request.model.string()));
  } else {
    proposed.request = line.request;
  }
  try {
    if (!line.preprocessing.empty()) {
      proposed.request.source.preprocessing = readPreprocessing(line.preprocessing);
    }
    if (!line.config.empty()) proposed.request.config = readConfiguration(line.config);
  } catch (const Error& error) {
    const ErrorRemedies remedies{.retry = [this, line] { openCommandLine(line); }};
    return m_messages.tell(errorMessage(error, remedies));
  }
  openProposed(proposed);
}

void ModelOpener::askForModel() {
  const QStringList recent = RecentFiles::instance().paths();
  const QString folder =
      recent.isEmpty() ? QDir::homePath() : QFileInfo(recent.constFirst()).absolutePath();
  const QString path = m_dialogs->chooseModel(m_window, folder);
  if (!path.isEmpty()) openModel(path);
}

bool ModelOpener::canAskForData() const {
  return m_session.snapshot() != nullptr && m_session.hasModel();
}

void ModelOpener::askForData() {
  askAbout(m_session.request());
}

void ModelOpener::askAbout(const AnalysisRequest& start) {
  if (!canAskForData()) return;
  const auto request = m_dialogs->chooseData(m_window, m_session.snapshot()->model, start);
  if (request) useData(*request);
}

void ModelOpener::useData(const AnalysisRequest& request) {
  m_messages.dismiss(kDataTopic);
  m_session.setData(request);
}

void ModelOpener::tellOrigin(const QString& data) {
  m_messages.tell({.severity = Message::Severity::Info,
                   .sentence = tr("Analysed with %1, found beside the model.").arg(data),
                   .remedies = {{tr("Choose Data…"), [this] { askForData(); }}},
                   .topic = kDataTopic,
                   .passing = true});
}

void ModelOpener::inviteData() {
  m_messages.tell({.severity = Message::Severity::Info,
                   .sentence = tr("This is only the structure of the model."),
                   .hint = tr("Choose samples to see its ranges and errors."),
                   .remedies = {{tr("Choose Data…"), [this] { askForData(); }}},
                   .topic = kDataTopic});
}

void ModelOpener::noteSuccess() {
  const SnapshotPtr& snapshot = m_session.snapshot();
  if (!snapshot) return;
  if (snapshot->stage == AnalysisSnapshot::Stage::Complete) noteData(snapshot->request);
  if (snapshot->stage != AnalysisSnapshot::Stage::Structure) return;
  RecentFiles::instance().add(text(snapshot->request.model.string()));
  if (m_session.request().data.empty()) inviteData();
}

// What could be analysed, chosen or gone back to.
void ModelOpener::noteData(const AnalysisRequest& request) {
  if (request.data.empty() || sameData(request, m_remembered)) return;
  m_remembered = request;
  rememberData(request);
}

void ModelOpener::fail(const Error& error) {
  const AnalysisRequest failed = m_session.request();
  const bool loaded = m_session.snapshot() && m_session.snapshot()->request.model == failed.model;
  m_messages.dismiss(kDataTopic);
  m_session.keepWhatIsShown();  // which may take the last step back
  ErrorRemedies remedies;
  remedies.openFolder = [this](const QString& folder) { m_dialogs->openFolder(folder); };
  if (m_session.undoStack().canUndo()) {
    remedies.undo = [this] { m_session.undoStack().undo(); };
  }
  if (loaded) {
    remedies.chooseData = [this] { askForData(); };
    remedies.showNode = [this](const std::string& node) { showNode(node); };
    remedies.retry = [this, failed] { m_session.setData(failed); };
  } else {
    remedies.retry = [this, failed] {
      m_messages.dismiss(kOtherModelTopic);
      m_session.open(failed);
    };
  }
  Message message = errorMessage(error, remedies);
  if (!loaded && m_session.hasModel()) {
    // Work on the previous model must not dismiss this message.
    message.topic = kOtherModelTopic;
    Q_EMIT fellBack();
  }
  m_messages.tell(message);
}

void ModelOpener::showNode(const std::string& node) {
  const NodeId found = m_session.snapshot()->graph().findNode(node);
  if (!found.valid()) return;
  m_session.selection().selectNode(found);
  m_session.selection().requestCentre();
}

}  // namespace quantscope
