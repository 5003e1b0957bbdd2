#pragma once

#include <QTimer>
#include <QWidget>

#include "base/job_context.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace quantscope {

/// The progress of a running job: stage, count, bar, remaining time, and a way to stop it. It does
/// not appear for jobs of less than half a second.
class ProgressStrip : public QWidget {
  Q_OBJECT

 public:
  explicit ProgressStrip(QWidget* parent = nullptr);

  void setRunning(bool running);
  void setProgress(const Progress& progress);

 Q_SIGNALS:
  void cancelRequested();

 private:
  QLabel* m_stage;
  QProgressBar* m_bar;
  QLabel* m_remaining;
  QToolButton* m_cancel;
  QTimer m_patience;
};

}  // namespace quantscope
