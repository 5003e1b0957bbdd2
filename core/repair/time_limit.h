#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "base/job_context.h"

namespace quantscope {

/// A job inside of another one that is also asked to stop when a time is over.
class TimeLimit {
 public:
  /// `outer` must outlive it. Until start() only the outer job ends it.
  explicit TimeLimit(JobContext& outer);
  ~TimeLimit();

  /// Counts from now on.
  void start(double seconds);
  JobContext& job() { return m_job; }
  /// True once the time is over.
  bool over() const;

 private:
  void watch();

  JobContext& m_outer;
  std::optional<std::chrono::steady_clock::time_point> m_deadline;
  std::string m_stage;  // last stage reported to the outer job
  JobContext m_job;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  bool m_finished = false;
  std::thread m_watcher;
};

}  // namespace quantscope
