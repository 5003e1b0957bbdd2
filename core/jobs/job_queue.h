#pragma once

#include <compare>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "analysis/analysis_memory.h"
#include "base/job_context.h"
#include "base/memory_budget.h"
#include "base/workers.h"

namespace quantscope {

/// The purpose of a job. At most one job of each tag runs.
struct JobTag {
  enum class Priority {
    Edit,   ///< the user waits for it
    Sweep,  ///< goes on below the edits, with what they leave of the processors
  };
  std::string name;
  Priority priority = Priority::Edit;

  auto operator<=>(const JobTag&) const = default;
};

/// Runs jobs on threads of its own: one queue for a process, with one memory budget, however many
/// windows ask. A newer job takes the place of the older one of its tag, which is cancelled and has
/// ended before the newer begins; jobs of different tags run beside each other. May be used from
/// any thread.
class JobQueue {
 public:
  struct Job {
    /// Runs on a thread of the queue. An exception is handed to `ended`.
    std::function<void(JobContext&)> work;
    JobContext::ProgressSink progress = {};
    /// Runs on the same thread, after the work; a null pointer = no exception. Must not throw. Not
    /// called for a job that was replaced before it began.
    std::function<void(const std::exception_ptr& failure)> ended = {};
  };

  /// `threads` 0 = one per available core.
  explicit JobQueue(int threads = 0);
  /// Cancels all jobs and waits for them.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  /// The newest job of its tag. One that still waits does not run any more.
  void start(const JobTag& tag, Job job);
  /// Asks the jobs of the tag to end; a waiting job is started, too, and sees at once that it is
  /// cancelled.
  void cancel(const JobTag& tag);
  /// Cancels the jobs of the tag, drops those that wait, and returns when none runs: then nothing
  /// that they were given is used any more. Not from a job of the tag.
  void stop(const JobTag& tag);
  /// True until the newest job of the tag has ended.
  bool busy(const JobTag& tag) const;

  /// Bytes of tensors that all jobs together may keep, shared out evenly among those that run.
  /// 0 = no limit; then the memory has the default budget.
  std::size_t memoryBudget() const;
  void setMemoryBudget(std::size_t bytes);
  /// The memory of earlier jobs, of any tag.
  AnalysisMemory& memory() { return m_memory; }
  /// The workers for jobs of a priority.
  const Workers& workers(JobTag::Priority priority) const;

 private:
  struct Entry {
    Entry(const Workers& workers, Job what)
        : job(std::move(what)), context(workers, job.progress) {}
    Job job;
    JobContext context;
  };
  struct Lane {
    std::shared_ptr<Entry> running;
    std::shared_ptr<Entry> waiting;
    bool active = false;  // its thread will look once more for a waiting job
    std::jthread thread;
  };
  void run(Lane& lane, JobTag::Priority priority);
  bool takeNext(Lane& lane);
  void shareBudget();

  Workers m_workers;
  Workers m_lowWorkers;
  AnalysisMemory m_memory{defaultMemoryBudget()};
  mutable std::mutex m_mutex;  // guards what follows
  std::size_t m_memoryBudget = 0;
  std::map<JobTag, Lane> m_lanes;
};

}  // namespace quantscope
