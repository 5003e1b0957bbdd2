#pragma once

#include <QObject>
#include <QTimer>

#include "app/gui/session.h"

class QLabel;
class QStatusBar;

namespace quantscope {

class ProgressStrip;

/// The items of the status bar: the running job, memory, and whether the data is synthetic.
class StatusStrip : public QObject {
  Q_OBJECT

 public:
  StatusStrip(QStatusBar& bar, Session& session);

 private:
  void showMemory();
  void showSynthetic();

  Session& m_session;
  ProgressStrip* m_progress;
  QLabel* m_memory;
  QLabel* m_synthetic;
  QTimer m_tick;
};

}  // namespace quantscope
