#pragma once

#include <cstddef>
#include <memory>

namespace quantscope {

/// The number of the calling thread: the smallest number that was free at its first call. No two
/// living threads share one.
std::size_t threadNumber();

/// Number of threads that PerThread serves: one per core and a few that wait for them.
std::size_t numberedThreads();

/// One T per thread, used without a lock and on cache lines of its own. A thread that reuses the
/// number of an ended thread reuses its T.
template <class T>
class PerThread {
 public:
  PerThread() : m_slots(std::make_unique<Slot[]>(numberedThreads())) {}

  /// The memory that all of them take, without what a T holds elsewhere.
  static std::size_t bytes() { return numberedThreads() * sizeof(Slot); }

  /// The calling thread's own; nullptr where there are more threads than numberedThreads().
  T* mine() const {
    const std::size_t number = threadNumber();
    return number < numberedThreads() ? &m_slots[number].value : nullptr;
  }

 private:
  struct alignas(64) Slot {
    T value;
  };
  std::unique_ptr<Slot[]> m_slots;
};

}  // namespace quantscope
