#include "analysis_controller.h"

#include <atomic>
#include <chrono>
#include <new>
#include <utility>

#include "app/gui/freed_in_background.h"
#include "app/gui/unseen_snapshots.h"
#include "jobs/analysis/analyze_in_steps.h"
#include "jobs/analysis/keep_analysis.h"

namespace quantscope {
namespace {

// Progress is reported as often as a progress bar is worth painting.
constexpr std::chrono::milliseconds kProgressPace{40};

// Lets through the progress that is worth painting: new stages, the end of each, and some between.
class ProgressPace {
 public:
  bool worthPainting(const Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    const bool last = progress.done == progress.total;
    if (progress.stage == m_stage && !last && now - m_last < kProgressPace) return false;
    m_stage = progress.stage;
    m_last = now;
    return true;
  }

 private:
  std::chrono::steady_clock::time_point m_last;
  std::string m_stage;
};

// How many complete results are kept, for undo and redo.
constexpr std::size_t kMostSeen = 8;

// The last good result stays until there is a better one.
bool isStepBack(const AnalysisSnapshot& next, const SnapshotPtr& shown) {
  using Stage = AnalysisSnapshot::Stage;
  if (!shown || shown->stage != Stage::Complete || next.stage == Stage::Complete) return false;
  if (shown->request.model != next.request.model || next.request.data.empty()) return false;
  if (next.edited != AnalysisSnapshot::Edited::All) return false;
  return next.stage == Stage::Structure || sameData(shown->request, next.request);
}

}  // namespace

struct AnalysisController::Job {
  void run(AnalysisMemory& memory, JobContext& context, const SnapshotSink& publish,
           const BesideSink& publishBeside) const {
    if (project) {
      resumeAnalysis(request, *project, memory, context, publish, publishBeside);
    } else {
      analyzeInSteps(request, previous, memory, context, publish, seen);
    }
  }

  AnalysisRequest request;
  SnapshotPtr previous;
  std::vector<SnapshotPtr> seen = {};
  std::shared_ptr<const ProjectFile> project = {};
};

AnalysisController::AnalysisController(std::shared_ptr<JobQueue> queue, QObject* parent)
    : QObject(parent), m_queue(std::move(queue)) {
  // Windows share the queue.
  static std::atomic<int> controllers{0};
  m_analysis.name = "window " + std::to_string(++controllers) + ": analysis";
}

AnalysisController::~AnalysisController() {
  m_queue->stop(m_analysis);
}

void AnalysisController::start(const AnalysisRequest& request, bool fresh) {
  // The first snapshot after an edit mixes two configurations, so the next run starts from the last
  // complete one.
  const bool mixed = m_snapshot && m_snapshot->edited != AnalysisSnapshot::Edited::All;
  if (fresh) m_seen.clear();
  begin(std::make_shared<Job>(request, fresh ? nullptr : mixed ? m_complete : m_snapshot, m_seen));
}

void AnalysisController::resume(const AnalysisRequest& request,
                                std::shared_ptr<const ProjectFile> project) {
  m_complete.reset();
  m_before.reset();
  m_seen.clear();
  begin(std::make_shared<Job>(request, nullptr, m_seen, std::move(project)));
  m_resuming = true;
}

void AnalysisController::begin(const JobPtr& job) {
  const bool wasRunning = running();
  m_job = job;
  m_resuming = false;
  analyze(m_job);
  if (!wasRunning) Q_EMIT runningChanged();
  Q_EMIT started();
}

void AnalysisController::analyze(const JobPtr& job) {
  const auto work = [this, job](JobContext& context) {
    const auto unseen = std::make_shared<UnseenSnapshots>();
    const auto showNext = [this, unseen] {
      const SnapshotPtr snapshot = unseen->take();
      if (!isStepBack(*snapshot, m_snapshot)) show(snapshot);
    };
    const auto publish = [&](const SnapshotPtr& published) {
      if (unseen->put(freedInBackground(published))) tell(job, showNext);
    };
    job->run(m_queue->memory(), context, publish,
             [this, &job](const KeptBeside& kept) { tell(job, [this, kept] { takeUp(kept); }); });
  };
  const auto report = [this, job, pace = ProgressPace()](const Progress& progress) mutable {
    if (!pace.worthPainting(progress)) return;
    tell(job, [this, progress] { Q_EMIT progressChanged(progress); });
  };
  const auto ended = [this, job](const std::exception_ptr& failure) {
    tell(job, [this, job, failure] { end(job, failure); });
  };
  m_queue->start(m_analysis, {.work = work, .progress = report, .ended = ended});
}

// Runs an action of a job on the window's thread, unless a newer job has started by
// then.
void AnalysisController::tell(const JobPtr& job, std::function<void()> action) {
  QMetaObject::invokeMethod(this, [this, job, action = std::move(action)] {
    if (m_job == job) action();
  });
}

void AnalysisController::end(const JobPtr& job, const std::exception_ptr& failure) {
  m_job.reset();
  Q_EMIT runningChanged();
  if (m_resuming) endResuming(nullptr);
  if (!failure) {
    Q_EMIT finished();
    return;
  }
  fallBack();
  const auto fail = [this, &job](ErrorCode code, const std::string& what, const std::string& hint) {
    Q_EMIT failed(
        Error(code, what, {.file = job->request.model.string(), .node = {}, .value = {}}, hint));
  };
  try {
    std::rethrow_exception(failure);
  } catch (const Cancelled&) {
    Q_EMIT cancelled();
  } catch (const Error& error) {
    Q_EMIT failed(error);
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::InsufficientData, "there is not enough memory for this analysis",
         "analyse fewer samples, or lower the memory budget");
  } catch (const std::exception& error) {
    fail(ErrorCode::InvalidModel, std::string("the analysis failed: ") + error.what(),
         "please report this with the model");
  }
}

void AnalysisController::show(const SnapshotPtr& snapshot) {
  m_snapshot = snapshot;
  if (snapshot->stage == AnalysisSnapshot::Stage::Complete) {
    const SnapshotPtr last = m_complete;
    m_complete = snapshot;
    remember(snapshot);
    if (!last || !areComparable(*last, *snapshot)) {
      m_before.reset();
    } else if (last->request.config != snapshot->request.config) {
      m_before = last;
    }
  } else if (m_complete && m_complete->request.model != snapshot->request.model) {
    m_complete.reset();
  }
  Q_EMIT snapshotChanged();
}

// Of the data that is shown: the project looked at that.
void AnalysisController::takeUp(const KeptBeside& kept) {
  if (const SnapshotPtr before = freedInBackground(kept.before)) {
    remember(before);
    if (m_complete->request.config != before->request.config) m_before = before;
  }
  const SnapshotPtr compared = freedInBackground(kept.compared);
  if (compared) remember(compared);
  endResuming(compared);
}

void AnalysisController::endResuming(const SnapshotPtr& compared) {
  m_resuming = false;
  Q_EMIT resumed(compared);
}

void AnalysisController::remember(const SnapshotPtr& complete) {
  std::erase_if(m_seen, [&](const SnapshotPtr& seen) {
    return !areComparable(*seen, *complete) ||
           (seen->request.config == complete->request.config &&
            seen->request.detectors == complete->request.detectors);
  });
  m_seen.insert(m_seen.begin(), complete);
  if (m_seen.size() > kMostSeen) m_seen.pop_back();
}

// A partial result of other data is dropped; the last complete one is shown again.
void AnalysisController::fallBack() {
  if (!m_snapshot || !m_complete || m_snapshot == m_complete) return;
  if (m_snapshot->request.model == m_complete->request.model) show(m_complete);
}

SnapshotPtr AnalysisController::before() const {
  const bool edited = m_snapshot && m_snapshot->edited != AnalysisSnapshot::Edited::All;
  const SnapshotPtr& before = edited ? m_complete : m_before;
  // Until the first complete result of other data, m_before is still that of the earlier one.
  return before && m_snapshot && areComparable(*before, *m_snapshot) ? before : nullptr;
}

void AnalysisController::refine(const std::shared_ptr<const AnalysisResult>& shown,
                                const std::shared_ptr<const AnalysisResult>& refined) {
  const auto withMore = [&](const SnapshotPtr& snapshot) -> SnapshotPtr {
    if (!snapshot || snapshot->result != shown) return nullptr;
    auto more = std::make_shared<AnalysisSnapshot>(*snapshot);
    more->result = refined;
    return freedInBackground(std::move(more));
  };
  if (const SnapshotPtr more = withMore(m_snapshot)) return show(more);
  if (const SnapshotPtr more = withMore(m_before)) {
    m_before = more;
    remember(more);
    Q_EMIT snapshotChanged();
  }
}

void AnalysisController::cancel() {
  m_queue->cancel(m_analysis);
}

void AnalysisController::close() {
  cancel();
  const bool wasRunning = running();
  m_job.reset();
  m_resuming = false;
  m_snapshot.reset();
  m_complete.reset();
  m_before.reset();
  m_seen.clear();
  if (wasRunning) Q_EMIT runningChanged();
  Q_EMIT snapshotChanged();
}

}  // namespace quantscope
