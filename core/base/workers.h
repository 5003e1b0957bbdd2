#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace quantscope {

/// A fixed number of threads that run loops deterministically.
///
/// Work is cut into items by the caller, never by the number of threads, so a result that is
/// merged in item order is the same for any thread count. Every thread flushes denormals to zero
/// while it runs an item, runs oneDNN on itself alone, and has a lowered priority so that a
/// window stays smooth on few cores.
class Workers {
 public:
  /// Which loops go first if several sets of workers are busy: a thread of the lower priority moves
  /// to the higher one as soon as its item is done.
  enum class Priority { Normal, Low };

  /// `threads` 0 = one per available core.
  explicit Workers(int threads = 0, Priority priority = Priority::Normal);
  /// How many threads of this process can run at once.
  static int availableCores();
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const { return m_threads; }

  /// Calls body(0) … body(count − 1), each exactly once, in any order, in parallel; returns when
  /// all are done. The first exception thrown by an item is rethrown and the rest is skipped.
  void forEach(std::size_t count, const std::function<void(std::size_t)>& body) const;

  /// Runs `body` on one thread under the same floating-point settings as the items above.
  void run(const std::function<void()>& body) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> m_implementation;
  int m_threads;
};

/// Gives the calling thread the priority of such workers: for threads that run jobs beside a
/// window. It cannot be taken back.
void lowerThreadPriority(Workers::Priority priority = Workers::Priority::Normal);

}  // namespace quantscope
