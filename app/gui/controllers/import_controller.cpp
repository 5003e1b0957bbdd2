#include "import_controller.h"

#include <QFileInfo>
#include <utility>

#include "base/number_text.h"
#include "jobs/import_configuration.h"
#include "widgets/look/text.h"

namespace quantscope {

ImportController::ImportController(Session& session, MessageBar& messages,
                                   std::shared_ptr<Dialogs> dialogs, QWidget* window)
    : QObject(window),
      m_session(session),
      m_messages(messages),
      m_dialogs(std::move(dialogs)),
      m_window(window),
      m_job(session.queue(), "import") {
  m_job.watch(this);
}

bool ImportController::canImport() const {
  return m_session.snapshot() != nullptr;
}

bool ImportController::looksImportable(const QString& path) {
  const QString ending = QFileInfo(path).suffix().toLower();
  return ending == QStringLiteral("json") || ending == QStringLiteral("encodings") ||
         ending == QStringLiteral("cache");
}

void ImportController::open() {
  if (!canImport()) return;
  const std::filesystem::path& model = m_session.snapshot()->model.file;
  const QString chosen = m_dialogs->chooseImport(m_window, text(model.parent_path().string()));
  if (!chosen.isEmpty()) importFile(chosen);
}

void ImportController::importFile(const QString& path) {
  if (!canImport()) return;
  m_name = QFileInfo(path).fileName();
  m_job.start([this, shown = m_session.snapshot(), file = path.toStdString()](JobContext& job) {
    job.beginStage("Importing", 0);
    const ImportedConfiguration imported = importConfiguration(file, shown->model);
    job.throwIfCancelled();
    m_job.tell([shown, imported](ImportController& self) { self.adopt(shown, imported); });
  });
}

void ImportController::adopt(const SnapshotPtr& of, const ImportedConfiguration& imported) {
  const SnapshotPtr& now = m_session.snapshot();
  if (!now || now->model.graph != of->model.graph) return m_messages.dismiss("import");
  m_session.setConfig(imported.config, tr("import %1").arg(m_name));
  QStringList notices;
  for (const std::string& notice : imported.notices) notices << text(notice);
  const QString sentence =
      tr("%1: %2, %3 with types of their own.")
          .arg(m_name, text(counted(imported.encodings, "encoding")),
               text(counted(imported.config.precision->nodes.size(), "layer")));
  const QString hint = notices.isEmpty() ? tr("Everything was taken over.")
                       : notices.size() == 1
                           ? tr("Not taken over: %1").arg(notices.front())
                           : tr("Not taken over: %1 and %2 more; copy the message to see all.")
                                 .arg(notices.front())
                                 .arg(notices.size() - 1);
  QString details = sentence;
  for (const QString& notice : notices) details += u'\n' + notice;
  tell({.severity = notices.isEmpty() ? Message::Severity::Info : Message::Severity::Warning,
        .sentence = sentence,
        .hint = hint,
        .details = details,
        .passing = notices.isEmpty()});
}

void ImportController::showProgress(const Progress& progress) {
  tell({.sentence = tr("%1 %2…").arg(text(progress.stage), m_name),
        .remedies = {{tr("Cancel"), [this] { Q_EMIT cancelRequested(); }}}});
}

void ImportController::showError(const QString& what) {
  tell({.severity = Message::Severity::Error,
        .sentence = tr("%1 was not imported: %2").arg(m_name, what)});
}

void ImportController::showCancelled() {
  tell({.sentence = tr("The import of %1 was cancelled; nothing has changed.").arg(m_name),
        .passing = true});
}

void ImportController::tell(Message message) {
  message.topic = QStringLiteral("import");
  m_messages.tell(message);
}

}  // namespace quantscope
