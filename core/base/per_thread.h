#pragma once

#include <cstddef>
#include <memory>

namespace quantscope {

/// A number that no other thread has at the same time, the smallest that is free when the thread
/// first asks.
std::size_t threadNumber();

/// As many threads as PerThread serves: one per core, and some that wait for them.
std::size_t numberedThreads();

/// One T for each thread, which needs no lock and shares no cache line with another thread's. A
/// thread that takes over the number of one that has ended takes over its T.
template <class T>
class PerThread {
 public:
  PerThread() : m_slots(std::make_unique<Slot[]>(numberedThreads())) {}

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
