#pragma once

#include <QObject>
#include <QThreadPool>
#include <memory>
#include <optional>

#include "analysis/analysis_memory.h"
#include "base/error.h"
#include "base/job_context.h"
#include "base/memory_budget.h"
#include "base/workers.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// Runs analyses in the background, one at a time: the newest request wins, and the last good
/// snapshot stays until a better one is there. All signals come on the window's thread.
class AnalysisController : public QObject {
  Q_OBJECT

 public:
  explicit AnalysisController(QObject* parent = nullptr);
  /// Stops what is running and waits for it.
  ~AnalysisController() override;

  /// Starts; whatever is running is cancelled first. `fresh`: loads the model anew.
  void start(const AnalysisRequest& request, bool fresh = false);
  void cancel();
  bool running() const { return m_job != nullptr; }
  /// Null until a model was loaded.
  const SnapshotPtr& snapshot() const { return m_snapshot; }
  /// Forgets the model.
  void close();
  const Workers& workers() const { return m_workers; }
  /// Of the tensors that a job may keep at once; 0 = no limit.
  std::size_t memoryBudget() const { return m_memoryBudget; }
  void setMemoryBudget(std::size_t bytes);

 Q_SIGNALS:
  void snapshotChanged();
  void runningChanged();
  void progressChanged(const quantscope::Progress& progress);
  /// A job was asked for; one that still ran gives way to it.
  void started();
  /// The job is complete.
  void finished();
  /// The job ended with an error; what was there before stays.
  void failed(const quantscope::Error& error);
  void cancelled();

 private:
  struct Job;
  void run(const std::shared_ptr<Job>& job);
  void finish(const std::shared_ptr<Job>& job);
  void show(const SnapshotPtr& snapshot);
  void fallBack();

  Workers m_workers;
  AnalysisMemory m_memory{defaultMemoryBudget()};
  QThreadPool m_thread;        // of one thread: jobs run one after the other
  std::shared_ptr<Job> m_job;  // the newest one, while it runs
  SnapshotPtr m_snapshot;
  SnapshotPtr m_complete;  // the last one that was, of the model that is open
  std::size_t m_memoryBudget = 0;
};

}  // namespace quantscope
