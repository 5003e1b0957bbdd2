#include "base/workers.h"

#include <omp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <algorithm>
#include <thread>

#include "base/part_loop.h"

#ifdef QUANTSCOPE_STD_THREADS
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>
#else
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#endif

namespace quantscope {
namespace {

// Flush-to-zero and denormals-are-zero: one convolution on denormal data ran 35 times slower.
constexpr unsigned kFlushDenormals = 0x8040;

// A window's thread takes nine tenths of a processor that it shares with a worker, and still leaves
// a worker enough not to starve beside other programs. With 5 instead of 10 painting took a third
// longer on two processors that both had a worker.
constexpr int kWorkerNiceness = 10;
// A third of the share of a worker of normal priority.
constexpr int kLowNiceness = 15;

int resolveThreadCount(int threads) {
  return threads > 0 ? threads : Workers::availableCores();
}

class FlushDenormalsScope {
 public:
  FlushDenormalsScope() : m_saved(_mm_getcsr()) { _mm_setcsr(m_saved | kFlushDenormals); }
  ~FlushDenormalsScope() { _mm_setcsr(m_saved); }
  FlushDenormalsScope(const FlushDenormalsScope&) = delete;
  FlushDenormalsScope& operator=(const FlushDenormalsScope&) = delete;

 private:
  unsigned m_saved;
};

}  // namespace

int Workers::availableCores() {
  // A process that a launcher has bound to some cores runs on those alone.
  cpu_set_t bound;
  CPU_ZERO(&bound);
  if (sched_getaffinity(0, sizeof(bound), &bound) == 0) return std::max(1, CPU_COUNT(&bound));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void lowerThreadPriority(Workers::Priority priority) {
  const bool low = priority == Workers::Priority::Low;
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)),
              low ? kLowNiceness : kWorkerNiceness);
}

#ifdef QUANTSCOPE_STD_THREADS

struct Workers::Implementation {};

Workers::Workers(int threads, Priority /*priority*/) : m_threads(resolveThreadCount(threads)) {}
Workers::~Workers() = default;

namespace {

// Number of threads that the parts of the current item may run on; 0 outside of items.
thread_local int t_threadsForParts = 0;

void runOnThreads(int threadCount, int threadsForParts, std::size_t count,
                  const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failureMutex;
  const auto work = [&] {
    omp_set_num_threads(1);
    const FlushDenormalsScope flush;
    const int outside = std::exchange(t_threadsForParts, threadsForParts);
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(failureMutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
    t_threadsForParts = outside;
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < threadCount; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void Workers::forEach(std::size_t count, const std::function<void(std::size_t)>& body) const {
  runOnThreads(m_threads, m_threads, count, body);
}

void forEachPart(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (count > 1 && t_threadsForParts > 1) return runOnThreads(t_threadsForParts, 0, count, body);
  for (std::size_t i = 0; i < count; ++i) body(i);
}

#else

namespace {

// Number of Workers whose loops this thread is inside of.
thread_local int t_arenas = 0;

}  // namespace

// OpenMP's thread count is a setting of each thread; it survives between TBB's tasks, unlike the
// floating-point control word, which TBB restores and which therefore travels in the context.
class WorkerSettings : public tbb::task_scheduler_observer {
 public:
  explicit WorkerSettings(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) {
    observe(true);
  }
  ~WorkerSettings() override { observe(false); }
  WorkerSettings(const WorkerSettings&) = delete;
  WorkerSettings& operator=(const WorkerSettings&) = delete;

  void on_scheduler_entry(bool isWorker) override {
    ++t_arenas;
    omp_set_num_threads(1);
    if (isWorker) lowerThreadPriority();
  }
  void on_scheduler_exit(bool /*isWorker*/) override { --t_arenas; }
};

struct Workers::Implementation {
  Implementation(int threads, Priority priority)
      : moreThanCores(threads > resolveThreadCount(0) ? allowThreads(threads) : nullptr),
        arena(threads, 1,
              priority == Priority::Low ? tbb::task_arena::priority::low
                                        : tbb::task_arena::priority::normal),
        settings(arena) {}

  static std::unique_ptr<tbb::global_control> allowThreads(int threads) {
    return std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                 static_cast<std::size_t>(threads));
  }

  // Before the others: without it TBB warns about every thread beyond the number of cores.
  std::unique_ptr<tbb::global_control> moreThanCores;
  tbb::task_arena arena;
  WorkerSettings settings;
};

Workers::Workers(int threads, Priority priority)
    : m_implementation(std::make_unique<Implementation>(resolveThreadCount(threads), priority)),
      m_threads(resolveThreadCount(threads)) {}

Workers::~Workers() = default;

void Workers::forEach(std::size_t count, const std::function<void(std::size_t)>& body) const {
  m_implementation->arena.execute([&] {
    tbb::task_group_context context(tbb::task_group_context::isolated,
                                    tbb::task_group_context::default_traits);
    {
      const FlushDenormalsScope flush;
      context.capture_fp_settings();
    }
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, 1),
        [&body](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
        },
        tbb::simple_partitioner(), context);
  });
}

void forEachPart(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (count == 1 || t_arenas == 0 || tbb::this_task_arena::max_concurrency() == 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  // Isolated: a thread that waits here must not begin another item inside this one.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, 1),
        [&body](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
        },
        tbb::simple_partitioner());
  });
}

#endif

void Workers::run(const std::function<void()>& body) const {
  forEach(1, [&body](std::size_t) { body(); });
}

}  // namespace quantscope
