#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "base/job_context.h"

namespace quantscope {

/// A job inside of another one that is also asked to stop when a time is over, or somebody stops
/// it.
class TimeLimit {
 public:
  /// `outer` must outlive it. `stop`: true ends it; may be empty. Asked several times a second, by
  /// several threads at once; throws nothing. The time begins with start().
  TimeLimit(JobContext& outer, std::function<bool()> stop);
  ~TimeLimit();

  /// Counts from now on.
  void start(double seconds);
  JobContext& job() { return m_job; }
  /// Until the time is over; none where none was set.
  std::optional<double> secondsLeft() const;
  /// True once the time is over or it was stopped.
  bool over() const;
  bool stopped() const { return m_stop && m_stop(); }

 private:
  void watch();

  JobContext& m_outer;
  std::function<bool()> m_stop;
  std::optional<std::chrono::steady_clock::time_point> m_deadline;
  std::string m_stage;  // last stage reported to the outer job
  JobContext m_job;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  bool m_finished = false;
  std::thread m_watcher;
};

}  // namespace quantscope
