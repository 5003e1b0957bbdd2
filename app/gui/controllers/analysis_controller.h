#pragma once

#include <QObject>
#include <exception>
#include <functional>
#include <memory>

#include "base/error.h"
#include "jobs/analysis_snapshot.h"
#include "jobs/job_queue.h"

namespace quantscope {

class ProjectFile;
struct KeptBeside;

/// Runs analyses in the background, one at a time: the newest request wins, and the last good
/// snapshot stays until a better one is there. All signals come on the window's thread.
class AnalysisController : public QObject {
  Q_OBJECT

 public:
  explicit AnalysisController(std::shared_ptr<JobQueue> queue, QObject* parent = nullptr);
  /// Stops the running job and waits for it.
  ~AnalysisController() override;

  /// Starts; whatever is running is cancelled first. `fresh`: loads the model anew.
  void start(const AnalysisRequest& request, bool fresh = false);
  /// Likewise, from the kept result of a project: see resumeAnalysis().
  void resume(const AnalysisRequest& request, std::shared_ptr<const ProjectFile> project);
  /// What the project keeps beside what is shown is still to come; resumed() says when it is there.
  bool resuming() const { return m_resuming; }
  /// More of a result that is shown or that of the state before; nothing happens where it is
  /// neither.
  void refine(const std::shared_ptr<const AnalysisResult>& shown,
              const std::shared_ptr<const AnalysisResult>& refined);
  void cancel();
  bool running() const { return m_job != nullptr; }
  /// Null until a model was loaded.
  const SnapshotPtr& snapshot() const { return m_snapshot; }
  /// The result that the shown figures are compared with: the last complete result of the same data
  /// under another configuration; null if there is none.
  SnapshotPtr before() const;
  /// Spares start() what another controller has loaded and calibrated already.
  void adopt(const SnapshotPtr& snapshot) { m_snapshot = m_complete = snapshot; }
  /// A complete result, of another controller say, that need not be computed where it is asked for.
  void remember(const SnapshotPtr& complete);
  /// Forgets the model.
  void close();

 Q_SIGNALS:
  void snapshotChanged();
  void runningChanged();
  void progressChanged(const quantscope::Progress& progress);
  /// The state before is what the project kept. `compared`: what it kept for comparing with; may be
  /// null.
  void resumed(const quantscope::SnapshotPtr& compared);
  /// A job was asked for; one that still ran gives way to it.
  void started();
  /// The job is complete.
  void finished();
  /// The job ended with an error; the earlier result stays.
  void failed(const quantscope::Error& error);
  void cancelled();

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;
  void begin(const JobPtr& job);
  void analyze(const JobPtr& job);
  void end(const JobPtr& job, const std::exception_ptr& failure);
  void tell(const JobPtr& job, std::function<void()> action);
  void show(const SnapshotPtr& snapshot);
  void takeUp(const KeptBeside& kept);
  void endResuming(const SnapshotPtr& compared);
  void fallBack();

  std::shared_ptr<JobQueue> m_queue;
  JobTag m_analysis;
  JobPtr m_job;  // the newest one, while it runs
  SnapshotPtr m_snapshot;
  SnapshotPtr m_complete;           // the last one that was, of the model that is open
  SnapshotPtr m_before;             // the last one that was under another configuration
  std::vector<SnapshotPtr> m_seen;  // complete ones of the data that is open, the newest first
  bool m_resuming = false;
};

}  // namespace quantscope
