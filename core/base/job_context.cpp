#include "base/job_context.h"

#include <utility>

#include "base/error.h"

namespace quantscope {
namespace {

// A stage with a number in its name: what remains of it is not what remains of the job.
bool isOneOfMany(const std::string& stage) {
  return stage.find_first_of("0123456789") != std::string::npos;
}

}  // namespace

JobContext::JobContext(const Workers& workers, ProgressSink sink)
    : m_workers(&workers), m_sink(std::move(sink)) {}

void JobContext::throwIfCancelled() const {
  if (cancelled()) throw Cancelled();
}

void JobContext::beginStage(std::string stage, std::size_t total, std::string unit) {
  m_progress =
      Progress{.stage = std::move(stage), .done = 0, .total = total, .unit = std::move(unit)};
  m_stageStart = std::chrono::steady_clock::now();
  if (m_sink) m_sink(m_progress);
}

void JobContext::advance(std::size_t done) {
  m_progress.done = done;
  m_progress.elapsed = std::chrono::steady_clock::now() - m_stageStart;
  if (done > 0 && m_progress.total >= done && !isOneOfMany(m_progress.stage)) {
    m_progress.remaining = m_progress.elapsed * (static_cast<double>(m_progress.total - done) /
                                                 static_cast<double>(done));
  }
  if (m_sink) m_sink(m_progress);
}

LentWorkers::LentWorkers(JobContext& job, const Workers& workers)
    : m_job(job), m_own(std::exchange(job.m_workers, &workers)) {}

LentWorkers::~LentWorkers() {
  m_job.m_workers = m_own;
}

}  // namespace quantscope
