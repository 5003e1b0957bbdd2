#include "project/storage/write_queue.h"

#include <algorithm>
#include <utility>

namespace quantscope {

WriteQueue::WriteQueue(Database& database, std::mutex& use, StateSink sink)
    : m_database(database), m_use(use), m_sink(std::move(sink)), m_thread([this] { loop(); }) {}

WriteQueue::~WriteQueue() {
  {
    const std::lock_guard lock(m_mutex);
    m_ending = true;
    m_tryAgain = true;
  }
  m_wanted.notify_all();
  m_thread.join();
}

void WriteQueue::push(Lane lane, const std::string& slot, Task task) {
  {
    const std::lock_guard lock(m_mutex);
    std::deque<Entry>& queue = lane == Lane::Work ? m_work : m_results;
    if (!slot.empty()) std::erase_if(queue, [&](const Entry& e) { return e.slot == slot; });
    queue.push_back({slot, std::move(task)});
    m_tryAgain = true;
  }
  m_wanted.notify_all();
}

void WriteQueue::flush() {
  std::unique_lock lock(m_mutex);
  m_tryAgain = true;
  m_wanted.notify_all();
  m_changed.wait(lock,
                 [this] { return !m_writing && (!anyWaits() || (m_failure && !m_tryAgain)); });
  if (m_failure) throw Error(*m_failure);
}

bool WriteQueue::workWaits() const {
  const std::lock_guard lock(m_mutex);
  return !m_work.empty() || (m_writing && m_writesWork);
}

void WriteQueue::whilePaused(const std::function<void()>& action) {
  const std::lock_guard use(m_use);
  action();
  const std::lock_guard lock(m_mutex);
  m_tryAgain = true;
  m_wanted.notify_all();
}

void WriteQueue::loop() {
  std::unique_lock lock(m_mutex);
  while (true) {
    m_wanted.wait(lock, [this] { return m_ending || (anyWaits() && (!m_failure || m_tryAgain)); });
    if (anyWaits() && (!m_failure || m_tryAgain)) {
      writeNext(lock);
    } else if (m_ending) {
      return;
    }
  }
}

void WriteQueue::writeNext(std::unique_lock<std::mutex>& lock) {
  m_tryAgain = false;
  m_writesWork = !m_work.empty();
  std::deque<Entry>& queue = m_writesWork ? m_work : m_results;
  m_writing = std::move(queue.front());
  queue.pop_front();
  lock.unlock();
  const std::optional<Error> outcome = write(m_writing->task);
  lock.lock();
  Entry entry = *std::exchange(m_writing, std::nullopt);
  // Results that are no good are not kept for ever; a newer one of the same slot is better anyway.
  const bool stays = outcome && (m_writesWork || outcome->code() == ErrorCode::Io);
  const bool replaced = !entry.slot.empty() && std::ranges::any_of(queue, [&](const Entry& e) {
    return e.slot == entry.slot;
  });
  if (stays && !replaced) {
    queue.push_front(std::move(entry));
  } else if (outcome) {
    m_tryAgain = true;
  }
  note(outcome, lock);
  m_changed.notify_all();
}

std::optional<Error> WriteQueue::write(const Task& task) {
  try {
    const std::lock_guard use(m_use);
    Transaction transaction(m_database);
    task(m_database);
    transaction.commit();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::exception&) {
    return Error(ErrorCode::Io, "there is not enough memory to write the project",
                 {.file = m_database.file().string(), .node = {}, .value = {}},
                 "close other programs");
  }
}

void WriteQueue::note(const std::optional<Error>& outcome, std::unique_lock<std::mutex>& lock) {
  const bool news = outcome.has_value() != m_failure.has_value() ||
                    (outcome && m_failure && outcome->sentence() != m_failure->sentence());
  m_failure = outcome;
  if (!news || !m_sink) return;
  lock.unlock();
  m_sink(outcome);
  lock.lock();
}

}  // namespace quantscope
