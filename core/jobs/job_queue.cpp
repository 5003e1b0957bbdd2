#include "jobs/job_queue.h"

#include <algorithm>
#include <utility>

namespace quantscope {
namespace {

Workers::Priority priorityOf(JobTag::Priority priority) {
  return priority == JobTag::Priority::Edit ? Workers::Priority::Normal : Workers::Priority::Low;
}

}  // namespace

// Both sets draw on the same threads of the process: TBB hands them to the higher priority first.
JobQueue::JobQueue(int threads)
    : m_workers(threads), m_lowWorkers(threads, Workers::Priority::Low) {}

JobQueue::~JobQueue() {
  {
    const std::lock_guard lock(m_mutex);
    for (auto& [tag, lane] : m_lanes) {
      lane.waiting.reset();
      if (lane.running) lane.running->context.requestCancel();
    }
  }
  for (auto& [tag, lane] : m_lanes) {
    if (lane.thread.joinable()) lane.thread.join();
  }
}

void JobQueue::start(const JobTag& tag, Job job) {
  auto entry = std::make_shared<Entry>(workers(tag.priority), std::move(job));
  std::shared_ptr<Entry> replaced;  // freed without the mutex: a job may own a lot
  const std::lock_guard lock(m_mutex);
  Lane& lane = m_lanes[tag];
  if (lane.running) lane.running->context.requestCancel();
  replaced = std::exchange(lane.waiting, std::move(entry));
  if (lane.active) return;
  lane.active = true;
  // A thread that was there before has let go of the mutex for the last time.
  lane.thread = std::jthread([this, &lane, priority = tag.priority] { run(lane, priority); });
}

void JobQueue::cancel(const JobTag& tag) {
  const std::lock_guard lock(m_mutex);
  const auto lane = m_lanes.find(tag);
  if (lane == m_lanes.end()) return;
  for (const auto& entry : {lane->second.running, lane->second.waiting}) {
    if (entry) entry->context.requestCancel();
  }
}

void JobQueue::stop(const JobTag& tag) {
  std::jthread thread;
  std::shared_ptr<Entry> dropped;
  {
    const std::lock_guard lock(m_mutex);
    const auto lane = m_lanes.find(tag);
    if (lane == m_lanes.end()) return;
    dropped = std::exchange(lane->second.waiting, nullptr);
    if (lane->second.running) lane->second.running->context.requestCancel();
    thread = std::move(lane->second.thread);
  }
  if (thread.joinable()) thread.join();
  const std::lock_guard lock(m_mutex);
  const auto lane = m_lanes.find(tag);
  if (lane != m_lanes.end() && !lane->second.active) m_lanes.erase(lane);
}

bool JobQueue::busy(const JobTag& tag) const {
  const std::lock_guard lock(m_mutex);
  const auto lane = m_lanes.find(tag);
  return lane != m_lanes.end() && (lane->second.running || lane->second.waiting);
}

std::size_t JobQueue::memoryBudget() const {
  const std::lock_guard lock(m_mutex);
  return m_memoryBudget;
}

void JobQueue::setMemoryBudget(std::size_t bytes) {
  const std::lock_guard lock(m_mutex);
  m_memoryBudget = bytes;
  m_memory.setBudget(bytes == 0 ? defaultMemoryBudget() : bytes);
  shareBudget();
}

const Workers& JobQueue::workers(JobTag::Priority priority) const {
  return priority == JobTag::Priority::Edit ? m_workers : m_lowWorkers;
}

// The caller holds the mutex.
void JobQueue::shareBudget() {
  const auto running = std::ranges::count_if(
      m_lanes, [](const auto& lane) { return lane.second.running != nullptr; });
  for (auto& [tag, lane] : m_lanes) {
    if (!lane.running) continue;
    const std::size_t share = m_memoryBudget / static_cast<std::size_t>(running);
    // 0 would lift the limit.
    lane.running->context.setMemoryBudget(m_memoryBudget == 0 ? 0
                                                              : std::max<std::size_t>(1, share));
  }
}

bool JobQueue::takeNext(Lane& lane) {
  std::shared_ptr<Entry> ended;
  const std::lock_guard lock(m_mutex);
  ended = std::exchange(lane.running, std::exchange(lane.waiting, nullptr));
  lane.active = lane.running != nullptr;
  shareBudget();
  return lane.active;
}

void JobQueue::run(Lane& lane, JobTag::Priority priority) {
  lowerThreadPriority(priorityOf(priority));
  while (takeNext(lane)) {
    const std::shared_ptr<Entry> entry = lane.running;
    std::exception_ptr failure;
    try {
      entry->context.throwIfCancelled();
      entry->job.work(entry->context);
    } catch (...) {
      failure = std::current_exception();
    }
    if (entry->job.ended) entry->job.ended(failure);
  }
}

}  // namespace quantscope
