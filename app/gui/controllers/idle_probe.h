#pragma once

#include <QObject>
#include <QTimer>
#include <functional>

#include "app/gui/session.h"

namespace quantscope {

/// Uses idle time for results that the user will need next for the shown result. Gives way at once
/// to any work that the user waits for.
class IdleProbe : public QObject {
  Q_OBJECT

 public:
  /// Runs an action on the window's thread, unless something else is asked meanwhile.
  using Tell = std::function<void(std::function<void()>)>;
  /// Runs on a thread of the queue. May throw.
  using Work = std::function<void(JobContext&, const Tell&)>;
  /// Returns the work for a complete result; null = none.
  using Prepare = std::function<Work(const SnapshotPtr& shown)>;

  /// `what` tells probes of a window apart. The session may go first.
  IdleProbe(Session& session, const char* what, Prepare prepare, QObject* parent = nullptr);
  ~IdleProbe() override;

  /// Told of the progress of what runs, on the window's thread.
  void setProgressSink(JobContext::ProgressSink sink) { m_progress = std::move(sink); }
  /// Told on the window's thread why the work has failed, in one line; not that it was cancelled.
  void setFailureSink(std::function<void(const QString& words)> sink) {
    m_failed = std::move(sink);
  }

  /// The question has changed: drops the running work, and starts again when there is time.
  void restart();

 private:
  void start();

  Session& m_session;
  std::shared_ptr<JobQueue> m_queue;  // its jobs may outlast the session
  Prepare m_prepare;
  JobTag m_tag{.name = {}, .priority = JobTag::Priority::Sweep};
  QTimer m_idle;
  JobContext::ProgressSink m_progress;
  std::function<void(const QString& words)> m_failed;
  int m_asked = 0;  // counts what was asked for
};

}  // namespace quantscope
