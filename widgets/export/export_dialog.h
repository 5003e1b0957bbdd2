#pragma once

#include <QDialog>

#include "base/job_context.h"
#include "jobs/export/export_model.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace quantscope {

struct ExportTarget;

/// Asks which part of the quantized model is written and where, and shows the losses of the target
/// and the agreement of the written file. It requests the work and does none itself.
class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  /// `name`: of the files, without their suffix; they go to `folder` unless the user says
  /// otherwise.
  ExportDialog(const QString& name, const QString& folder, QWidget* parent = nullptr);

  /// The request as the dialog shows it now.
  ExportRequest request() const;
  /// What is to be known of the model that is written, whatever the target; empty = nothing.
  void setNotice(const QString& words);
  /// Chooses a target by its name on the command line.
  void choose(const std::string& format);

  /// The answers; those to another format or opset than the chosen one are dropped.
  void showLosses(const ExportRequest& request, const ExportLosses& losses);
  void showProgress(const Progress& progress);
  void showReport(const ExportReport& report);
  /// `what`: the whole message. Nothing was written.
  void showError(const QString& what);
  void showCancelled();

 Q_SIGNALS:
  void checkRequested(const quantscope::ExportRequest& request);
  void exportRequested(const quantscope::ExportRequest& request);
  void cancelRequested();
  void folderRequested(const QString& folder);

 protected:
  /// A closing dialog stops its request.
  void done(int result) override;

 private:
  QWidget* makeTargets();
  void addTarget(std::size_t index);
  const ExportTarget& chosen() const;
  QWidget* makeRight();
  QLayout* makeFileRow();
  QWidget* makeOpsetRow();
  QLayout* makeButtons();
  void showTarget();
  void check();
  void showFile();
  void browse();
  void start();
  void setBusy(bool busy);
  void say(const QString& heading, const QString& words);

  QString m_name;
  QString m_folder;
  QListWidget* m_targets;  // the targets' indices in Qt::UserRole
  QLabel* m_notice;
  QLabel* m_definition;
  QLineEdit* m_file;
  QLabel* m_warning;
  QComboBox* m_opset;  // opsets in Qt::UserRole; none = as needed
  QWidget* m_opsetRow = nullptr;
  QLabel* m_heading;
  QPlainTextEdit* m_words;
  QProgressBar* m_progress;
  QPushButton* m_copy = nullptr;
  QPushButton* m_open = nullptr;
  QPushButton* m_cancel = nullptr;
  QPushButton* m_export = nullptr;
  bool m_busy = false;
};

}  // namespace quantscope
