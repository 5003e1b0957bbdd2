#pragma once

#include <QObject>
#include <QTimer>

#include "app/gui/comparison.h"

class QLabel;
class QStatusBar;

namespace quantscope {

class ProgressStrip;

/// The items of the status bar: the running analysis, of A or else of B, memory, and whether the
/// data is synthetic.
class StatusStrip : public QObject {
  Q_OBJECT

 public:
  StatusStrip(QStatusBar& bar, Session& session, Comparison& comparison);

 private:
  void follow(AnalysisController& controller);
  /// The one whose progress is shown; null = nothing runs.
  AnalysisController* running() const;
  void showRunning();
  void showMemory();
  void showSynthetic();

  Session& m_session;
  Comparison& m_comparison;
  AnalysisController* m_shown = nullptr;  // whose progress it is
  ProgressStrip* m_progress;
  QLabel* m_memory;
  QLabel* m_synthetic;
  QTimer m_tick;
};

}  // namespace quantscope
