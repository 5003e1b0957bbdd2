#pragma once

#include <QObject>
#include <memory>

#include "app/gui/session.h"
#include "app/gui/window/dialogs.h"
#include "dialog_job.h"
#include "export/foreign/foreign_configuration.h"
#include "widgets/shell/message_bar.h"

namespace quantscope {

/// Takes over what another tool has made for the open model as its configuration: AIMET's
/// encodings, a TensorRT cache, a QDQ model, or a configuration of our own.
class ImportController : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  ImportController(Session& session, MessageBar& messages, std::shared_ptr<Dialogs> dialogs,
                   QWidget* window);

  /// A model is open.
  bool canImport() const;
  /// True for a file that may hold such a configuration, by its name; models are not among them.
  static bool looksImportable(const QString& path);
  /// Asks for the file.
  void open();
  /// One step that can be undone; what was not taken over is in the message.
  void importFile(const QString& path);

  void showProgress(const Progress& progress);
  void showError(const QString& what);
  void showCancelled();

 Q_SIGNALS:
  void cancelRequested();

 private:
  void adopt(const SnapshotPtr& of, const ImportedConfiguration& imported);
  void tell(Message message);

  Session& m_session;
  MessageBar& m_messages;
  std::shared_ptr<Dialogs> m_dialogs;
  QWidget* m_window;
  QString m_name;  // of the file that is read
  DialogJob<ImportController> m_job;
};

}  // namespace quantscope
