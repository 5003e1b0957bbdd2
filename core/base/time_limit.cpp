#include "base/time_limit.h"

#include <algorithm>

#include "base/workers.h"

namespace quantscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kGlance{20};

}  // namespace

TimeLimit::TimeLimit(JobContext& outer, std::function<bool()> stop)
    : m_outer(outer),
      m_stop(std::move(stop)),
      m_job(outer.workers(), [this](const Progress& progress) {
        // One stage may follow another of its name.
        if (progress.stage != m_stage || progress.done == 0) {
          m_outer.beginStage(m_stage = progress.stage, progress.total, progress.unit);
        }
        m_outer.advance(progress.done);
      }) {
  m_job.setMemoryBudget(outer.memoryBudget());
  m_watcher = std::thread([this] { watch(); });
}

void TimeLimit::start(double seconds) {
  const std::lock_guard lock(m_mutex);
  m_deadline = Clock::now() +
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

TimeLimit::~TimeLimit() {
  {
    const std::lock_guard lock(m_mutex);
    m_finished = true;
  }
  m_wake.notify_one();
  m_watcher.join();
}

std::optional<double> TimeLimit::secondsLeft() const {
  if (!m_deadline) return std::nullopt;
  return std::max(0.0, std::chrono::duration<double>(*m_deadline - Clock::now()).count());
}

bool TimeLimit::over() const {
  if (stopped()) return true;
  return m_deadline && Clock::now() >= *m_deadline;
}

// The outer job may be stopped from a signal handler, which cannot wake a thread: so it is polled.
void TimeLimit::watch() {
  std::unique_lock lock(m_mutex);
  while (!m_finished) {
    if (over() || m_outer.cancelled()) return m_job.requestCancel();
    m_job.setMemoryBudget(m_outer.memoryBudget());
    m_wake.wait_for(lock, kGlance);
  }
}

}  // namespace quantscope
