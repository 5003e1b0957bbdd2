#include "app/gui/projects/project_controller.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <utility>

#include "app/gui/comparison.h"
#include "app/gui/files/recent_files.h"
#include "app/gui/projects/ordered_work.h"
#include "app/gui/projects/unsaved_work.h"
#include "app/gui/window/error_message.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kStatePauseMs = 400;
const QString kTopic = QStringLiteral("project");
// Goes when the next change is on disk, whatever else was told.
const QString kFailureTopic = QStringLiteral("project failure");
const QString kPutAside = QStringLiteral("put aside");
const QString kCrashed = QStringLiteral("crashed work");

}  // namespace

ProjectController::ProjectController(const Parts& parts)
    : m_parts(parts),
      m_keeper(parts.session),
      m_opener(parts.session, m_keeper, parts.messages, parts.dialogs, parts.window),
      m_state(parts.session, parts.views, parts.layout, parts.comparison) {
  m_stateTimer.setSingleShot(true);
  m_stateTimer.setInterval(kStatePauseMs);
  const auto noteState = [this] { m_keeper.setWindowState(m_state.save().toStdString()); };
  connect(&m_stateTimer, &QTimer::timeout, this, noteState);
  connect(&m_keeper, &ProjectKeeper::ending, this, noteState);
  connect(&m_state, &WindowState::changed, &m_stateTimer, qOverload<>(&QTimer::start));
  connect(&parts.comparison, &Comparison::changed, this,
          [this] { m_keeper.setCompared(m_parts.comparison.kept()); });
  connect(&parts.session, &Session::documentEnding, &m_state, &WindowState::forget);
  connect(&m_opener, &ProjectOpener::opened, this, [this](const QString& name) {
    m_state.restore(QByteArray::fromStdString(m_keeper.windowState()));
    if (!name.isEmpty()) RecentFiles::instance().add(name);
    tellUnsavedLater();
  });
  connectKeeper();
}

ProjectController::~ProjectController() {
  blockSignals(true);
  m_keeper.close();
}

void ProjectController::connectKeeper() {
  connect(&m_keeper, &ProjectKeeper::changed, this, &ProjectController::titleChanged);
  connect(&m_keeper, &ProjectKeeper::failureChanged, this, &ProjectController::tellFailure);
  connect(&m_keeper, &ProjectKeeper::savingFailed, this, &ProjectController::tellSavingFailed);
  connect(&m_keeper, &ProjectKeeper::closed, this, &ProjectController::noteClosed);
  connect(&m_keeper, &ProjectKeeper::saved, this, [this](const QString& path) {
    if (path.isEmpty()) return;
    RecentFiles::instance().add(path);
    m_parts.messages.tell({.sentence = tr("Saved to %1.").arg(QFileInfo(path).fileName()),
                           .hint = tr("From now on every change is written there as it happens."),
                           .topic = kTopic,
                           .passing = true});
    tellUnsavedLater();
  });
  connect(&m_keeper, &ProjectKeeper::keptBeside, this, [this](const QString& path) {
    m_parts.messages.tell({.sentence = tr("%1 can only be read.").arg(QFileInfo(path).fileName()),
                           .hint = tr("What you change is kept as unsaved work."),
                           .remedies = {{tr("Save Project As…"), [this] { saveAs(); }}},
                           .topic = kTopic});
  });
}

void ProjectController::open(const QString& file) {
  if (mayLeave()) m_opener.open(file);
}

void ProjectController::save() {
  m_keeper.path().isEmpty() ? saveAs() : m_keeper.save();
}

void ProjectController::saveAs() {
  QString proposed = m_keeper.path();
  if (proposed.isEmpty()) {
    const QFileInfo model(text(m_parts.session.request().model.string()));
    const QDir folder(model.absoluteDir());
    const bool writable = QFileInfo(folder.path()).isWritable();
    proposed = (writable ? folder : QDir::home()).filePath(model.completeBaseName()) +
               QStringLiteral(".quantscope");
  }
  const QString path = m_parts.dialogs->chooseProject(m_parts.window, proposed);
  if (!path.isEmpty()) saveAs(path);
}

void ProjectController::saveAs(const QString& file) {
  m_keeper.saveAs(QDir::cleanPath(QFileInfo(file).absoluteFilePath()));
}

bool ProjectController::mayLeave() {
  const QString running = m_parts.atStake();
  const bool stays =
      !running.isEmpty() && !m_parts.dialogs->mayLose(m_parts.window, running, tr("Lose It"));
  if (stays) return false;
  const std::optional<Error>& failure = m_keeper.failure();
  if (!failure) return true;
  return m_parts.dialogs->mayLose(
      m_parts.window,
      tr("The last changes are not on disk: %1. They are lost when you go on.")
          .arg(text(failure->sentence())),
      tr("Lose Them"));
}

void ProjectController::offerCrashed() {
  for (const UnsavedWork& work : findUnsavedWork()) {
    if (!work.crashed) continue;
    const auto restore = [this, file = work.file] { open(file); };
    const auto remove = [this, file = work.file] { discard(file); };
    m_parts.messages.tell(
        {.sentence = tr("Restore the work on %1 from %2?").arg(work.model, whenText(work.changed)),
         .hint = tr("Its window came to a sudden end; nothing is lost."),
         .remedies = {{tr("Restore"), restore}, {tr("Discard"), remove}},
         .topic = kCrashed});
    return;
  }
}

void ProjectController::discard(const QString& file) {
  const bool agreed =
      m_parts.dialogs->mayLose(m_parts.window, tr("The unsaved work is deleted."), tr("Delete It"));
  if (!agreed) return;
  m_parts.messages.dismiss(kCrashed);
  QFile::remove(file);
  Q_EMIT unsavedWorkChanged();
}

void ProjectController::discardUnsaved() {
  const std::vector<UnsavedWork> all = findUnsavedWork();
  const bool agreed =
      !all.empty() &&
      m_parts.dialogs->mayLose(m_parts.window,
                               tr("%L1 pieces of unsaved work are deleted.").arg(all.size()),
                               tr("Delete Them"));
  if (!agreed) return;
  for (const UnsavedWork& work : all) QFile::remove(work.file);
  m_parts.messages.dismiss(kCrashed);
  Q_EMIT unsavedWorkChanged();
}

QString ProjectController::title() const {
  const QString model = QFileInfo(text(m_parts.session.request().model.string())).fileName();
  const QString name = QFileInfo(m_keeper.path()).completeBaseName();
  return name.isEmpty() ? model : QStringLiteral("%1 – %2").arg(name, model);
}

void ProjectController::tellFailure() {
  const std::optional<Error>& failure = m_keeper.failure();
  if (!failure) return m_parts.messages.dismiss(kFailureTopic);
  Message message = errorMessage(*failure, {});
  message.topic = kFailureTopic;
  message.remedies = {{tr("Try Again"), [this] { m_keeper.save(); }},
                      {tr("Save Project As…"), [this] { saveAs(); }}};
  m_parts.messages.tell(message);
}

void ProjectController::tellSavingFailed(const QString& /*path*/, const Error& error) {
  Message message = errorMessage(error, {});
  message.topic = kFailureTopic;
  message.remedies = {{tr("Save Project As…"), [this] { saveAs(); }}};
  m_parts.messages.tell(message);
}

void ProjectController::goBack() {
  m_parts.messages.dismiss(kPutAside);
  if (!m_closed.isEmpty()) m_opener.open(m_closed, true);
}

void ProjectController::noteClosed(const QString& file, const QString& model, bool unsaved) {
  m_closed = file;
  if (!unsaved) return;
  m_parts.messages.tell(
      {.sentence = tr("Your changes on %1 are kept.").arg(QFileInfo(model).fileName()),
       .hint = tr("They are in the list of unsaved work."),
       .remedies = {{tr("Go Back to Them"), [this, file] { open(file); }}},
       .topic = kPutAside});
  tellUnsavedLater();
}

// Runs after the closing work is closed.
void ProjectController::tellUnsavedLater() {
  OrderedWork::instance().start(
      this, [this]() -> OrderedWork::Answer { return [this] { Q_EMIT unsavedWorkChanged(); }; });
}

}  // namespace quantscope
