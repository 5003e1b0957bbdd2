#include "analysis_controller.h"

#include <chrono>
#include <new>

#include "jobs/analyze_in_steps.h"

namespace quantscope {
namespace {

// As often as a progress bar is worth painting.
constexpr std::chrono::milliseconds kProgressPace{40};

// The last good result stays until there is a better one.
bool isStepBack(const AnalysisSnapshot& next, const SnapshotPtr& shown) {
  using Stage = AnalysisSnapshot::Stage;
  if (!shown || shown->stage != Stage::Complete || next.stage == Stage::Complete) return false;
  if (shown->request.model != next.request.model || next.request.data.empty()) return false;
  return next.stage == Stage::Structure || sameData(shown->request, next.request);
}

}  // namespace

struct AnalysisController::Job {
  explicit Job(const Workers& workers, JobContext::ProgressSink sink)
      : context(workers, std::move(sink)) {}

  AnalysisRequest request;
  SnapshotPtr previous;
  JobContext context;
  std::chrono::steady_clock::time_point lastProgress;
  std::string lastStage;
};

AnalysisController::AnalysisController(QObject* parent) : QObject(parent) {
  m_thread.setMaxThreadCount(1);
}

AnalysisController::~AnalysisController() {
  cancel();
  m_thread.waitForDone();
}

void AnalysisController::start(const AnalysisRequest& request, bool fresh) {
  const bool wasRunning = running();
  if (wasRunning) m_job->context.requestCancel();
  // The sink lives inside the job that it reports on, so a plain pointer does.
  const auto self = std::make_shared<Job*>(nullptr);
  const auto job = std::make_shared<Job>(m_workers, [this, self](const Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    Job& of = **self;
    const bool last = progress.done == progress.total;
    if (progress.stage == of.lastStage && !last && now - of.lastProgress < kProgressPace) return;
    of.lastStage = progress.stage;
    of.lastProgress = now;
    QMetaObject::invokeMethod(this, [this, progress, which = *self] {
      if (m_job.get() == which) Q_EMIT progressChanged(progress);
    });
  });
  *self = job.get();
  job->request = request;
  if (!fresh) job->previous = m_snapshot;
  job->context.setMemoryBudget(m_memoryBudget);
  m_job = job;
  m_thread.start([this, job] { run(job); });
  if (!wasRunning) Q_EMIT runningChanged();
  Q_EMIT started();
}

// On the job's thread. Whatever it has to say goes to the window's thread, which drops the words
// of a job that is no longer the newest.
void AnalysisController::run(const std::shared_ptr<Job>& job) {
  const auto tell = [this, &job](auto action) {
    QMetaObject::invokeMethod(this, [this, job, action = std::move(action)]() mutable {
      if (m_job == job) action();
    });
  };
  const auto fail = [&](const Error& error) {
    tell([this, job, error] {
      finish(job);
      fallBack();
      Q_EMIT failed(error);
    });
  };
  try {
    lowerThreadPriority();
    job->context.throwIfCancelled();
    analyzeInSteps(job->request, job->previous, m_memory, job->context, [&](SnapshotPtr snapshot) {
      tell([this, snapshot = std::move(snapshot)] {
        if (isStepBack(*snapshot, m_snapshot)) return;
        show(snapshot);
      });
    });
    tell([this, job] {
      finish(job);
      Q_EMIT finished();
    });
  } catch (const Cancelled&) {
    tell([this, job] {
      finish(job);
      fallBack();
      Q_EMIT cancelled();
    });
  } catch (const Error& error) {
    fail(error);
  } catch (const std::bad_alloc&) {
    fail(Error(ErrorCode::InsufficientData, "there is not enough memory for this analysis",
               {.file = job->request.model.string(), .node = {}, .value = {}},
               "analyse fewer samples, or lower the memory budget"));
  } catch (const std::exception& error) {
    fail(Error(ErrorCode::InvalidModel, std::string("the analysis failed: ") + error.what(),
               {.file = job->request.model.string(), .node = {}, .value = {}},
               "please report this with the model"));
  }
}

void AnalysisController::finish(const std::shared_ptr<Job>& job) {
  if (m_job != job) return;
  m_job.reset();
  Q_EMIT runningChanged();
}

void AnalysisController::show(const SnapshotPtr& snapshot) {
  m_snapshot = snapshot;
  if (snapshot->stage == AnalysisSnapshot::Stage::Complete) {
    m_complete = snapshot;
  } else if (m_complete && m_complete->request.model != snapshot->request.model) {
    m_complete.reset();
  }
  Q_EMIT snapshotChanged();
}

// Half a result of other data is not what anybody asked to keep.
void AnalysisController::fallBack() {
  if (!m_snapshot || !m_complete || m_snapshot == m_complete) return;
  if (m_snapshot->request.model == m_complete->request.model) show(m_complete);
}

void AnalysisController::setMemoryBudget(std::size_t bytes) {
  m_memoryBudget = bytes;
  m_memory.setBudget(bytes == 0 ? defaultMemoryBudget() : bytes);
}

void AnalysisController::cancel() {
  if (m_job) m_job->context.requestCancel();
}

void AnalysisController::close() {
  cancel();
  const bool wasRunning = running();
  m_job.reset();
  m_snapshot.reset();
  m_complete.reset();
  if (wasRunning) Q_EMIT runningChanged();
  Q_EMIT snapshotChanged();
}

}  // namespace quantscope
