#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "project/storage/database.h"

namespace quantscope {

/// Writes tasks on a thread of its own, each in a transaction: work in its order, and results,
/// which may be large and can be computed again, while no work waits.
///
/// A task that cannot be written stays in the queue and is tried again with the next one.
class WriteQueue {
 public:
  enum class Lane : std::uint8_t { Work, Results };
  using Task = std::function<void(Database&)>;
  /// Told, on the thread of the queue, when writing begins to fail, and with nothing when it works
  /// again.
  using StateSink = std::function<void(const std::optional<Error>&)>;

  /// All users of the database lock `use` first; both must outlive the queue.
  WriteQueue(Database& database, std::mutex& use, StateSink sink);
  /// Writes what waits, as far as that is possible.
  ~WriteQueue();
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  /// `slot`: takes the place of a waiting task of the same slot; an empty one takes none.
  void push(Lane lane, const std::string& slot, Task task);
  /// Waits until all is written. Throws the Error where something cannot be.
  void flush();
  /// True where work waits that is not on disk yet; results do not count.
  bool workWaits() const;
  /// Runs `action` while nothing is being written; used to exchange the database.
  void whilePaused(const std::function<void()>& action);

 private:
  struct Entry {
    std::string slot;
    Task task;
  };

  bool anyWaits() const { return !m_work.empty() || !m_results.empty(); }
  void loop();
  void writeNext(std::unique_lock<std::mutex>& lock);
  std::optional<Error> write(const Task& task);
  void note(const std::optional<Error>& outcome, std::unique_lock<std::mutex>& lock);

  Database& m_database;
  std::mutex& m_use;
  StateSink m_sink;
  mutable std::mutex m_mutex;
  std::condition_variable m_wanted;
  std::condition_variable m_changed;
  std::deque<Entry> m_work;
  std::deque<Entry> m_results;
  std::optional<Entry> m_writing;
  bool m_writesWork = false;
  std::optional<Error> m_failure;
  bool m_tryAgain = false;
  bool m_ending = false;
  std::thread m_thread;
};

}  // namespace quantscope
