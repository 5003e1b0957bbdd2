#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace quantscope {

class Workers;

/// The progress of a job. `done` of `total` units of `stage`; `total` 0 = not known yet.
struct Progress {
  std::string stage;
  std::size_t done = 0;
  std::size_t total = 0;
  /// Since the stage began.
  std::chrono::duration<double> elapsed{};
  /// Estimated from the pace so far; negative while there is nothing to estimate from.
  std::chrono::duration<double> remaining{-1};
  std::string unit = {};  ///< what is counted: "samples"; empty = it is clear from the stage
};

/// The environment of a running job: the workers it runs on, the request to stop, and the receiver
/// of its progress. Outlives the job; shared by all of its threads.
class JobContext {
 public:
  using ProgressSink = std::function<void(const Progress&)>;

  explicit JobContext(const Workers& workers, ProgressSink sink = {});

  const Workers& workers() const { return *m_workers; }

  /// Bytes of tensors that a job may hold at once; 0 = no limit. A job that needs more for a single
  /// sample still runs, one sample at a time. May change while the job runs, as others begin and
  /// end; no result depends on it.
  std::size_t memoryBudget() const { return m_memoryBudget.load(std::memory_order_relaxed); }
  void setMemoryBudget(std::size_t bytes) {
    m_memoryBudget.store(bytes, std::memory_order_relaxed);
  }

  /// May be called from any thread and from a signal handler.
  void requestCancel() noexcept { m_cancelled.store(true, std::memory_order_relaxed); }
  bool cancelled() const noexcept { return m_cancelled.load(std::memory_order_relaxed); }
  /// Throws Cancelled once a stop was requested.
  void throwIfCancelled() const;

  /// Starts a stage of `total` units; see Progress::unit.
  void beginStage(std::string stage, std::size_t total, std::string unit = {});
  /// Reports that `done` units of the stage are finished. One thread at a time.
  void advance(std::size_t done);

 private:
  friend class LentWorkers;

  const Workers* m_workers;
  ProgressSink m_sink;
  std::atomic<std::size_t> m_memoryBudget{0};
  std::atomic<bool> m_cancelled{false};
  Progress m_progress;
  std::chrono::steady_clock::time_point m_stageStart;
};

/// Runs the loops that a job begins on other workers, which must outlive this. Neither its begin
/// nor its end may come while a loop of the job runs.
class LentWorkers {
 public:
  LentWorkers(JobContext& job, const Workers& workers);
  ~LentWorkers();
  LentWorkers(const LentWorkers&) = delete;
  LentWorkers& operator=(const LentWorkers&) = delete;

 private:
  JobContext& m_job;
  const Workers* m_own;
};

}  // namespace quantscope
