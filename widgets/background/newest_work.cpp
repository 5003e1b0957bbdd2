#include "widgets/background/newest_work.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace quantscope {

// Outlives the NewestWork while threads still work. A generation ends with every request that takes
// the place of all before it; answers of an older one are dropped on the window's thread, so that
// none comes after the request that replaces it.
struct NewestWork::Shared : std::enable_shared_from_this<NewestWork::Shared> {
  Shared(QObject* owner, int most, bool letsGo)
      : letsOutdatedGo(letsGo), mostThreads(most), receiver(owner) {}

  const bool letsOutdatedGo;
  const int mostThreads;
  std::atomic<std::uint64_t> generation{0};
  std::mutex mutex;  // guards what follows
  QObject* receiver;
  std::deque<Item> waiting;
  std::vector<QString> inWork;  // of this generation, until its answer is heard
  int threads = 0;              // number that take waiting work; without outdated ones

  // The caller holds the mutex.
  void outdateAll() {
    ++generation;
    if (letsOutdatedGo) threads = 0;
    waiting.clear();
    inWork.clear();
  }

  void post(std::uint64_t of, Answer answer) {
    const std::lock_guard lock(mutex);
    if (receiver == nullptr) return;
    QMetaObject::invokeMethod(receiver,
                              [self = shared_from_this(), of, answer = std::move(answer)] {
                                if (of == self->generation) answer();
                              });
  }

  // A thread begins in a generation and ends with it where it is let go. It counts itself out under
  // the same lock under which it finds nothing to do, so that a request never waits for a thread
  // that is about to leave.
  std::optional<std::pair<Item, std::uint64_t>> next(std::uint64_t begunIn) {
    const std::lock_guard lock(mutex);
    if (letsOutdatedGo && begunIn != generation) return std::nullopt;
    if (waiting.empty()) {
      --threads;
      return std::nullopt;
    }
    std::pair<Item, std::uint64_t> item{std::move(waiting.front()), generation};
    waiting.pop_front();
    inWork.push_back(item.first.name);
    return item;
  }

  void forget(const QString& name) {
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(inWork, name);
    if (found != inWork.end()) inWork.erase(found);
  }

  void run(std::uint64_t begunIn) {
    while (auto item = next(begunIn)) {
      const auto& [work, of] = *item;
      Answer answer = work.work(Turn(shared_from_this(), of));
      post(of, [self = shared_from_this(), name = work.name, answer = std::move(answer)] {
        self->forget(name);
        if (answer) answer();
      });
    }
  }
};

bool NewestWork::Turn::outdated() const {
  return m_generation != m_shared->generation;
}

void NewestWork::Turn::tell(Answer answer) const {
  m_shared->post(m_generation, std::move(answer));
}

NewestWork::NewestWork(int threads, Outdated outdated)
    : m_shared(std::make_shared<Shared>(&m_receiver, threads, outdated == Outdated::LetGo)) {
  m_own.setMaxThreadCount(threads);
}

NewestWork::~NewestWork() {
  {
    const std::lock_guard lock(m_shared->mutex);
    m_shared->receiver = nullptr;
    m_shared->outdateAll();
  }
  m_own.waitForDone();
}

void NewestWork::start(Work work) {
  const std::lock_guard lock(m_shared->mutex);
  m_shared->outdateAll();
  m_shared->waiting.push_back({{}, std::move(work)});
  startThreads();
}

void NewestWork::replaceWaiting(std::vector<Item> items) {
  const std::lock_guard lock(m_shared->mutex);
  m_shared->waiting.clear();
  for (Item& item : items) {
    if (std::ranges::find(m_shared->inWork, item.name) == m_shared->inWork.end())
      m_shared->waiting.push_back(std::move(item));
  }
  startThreads();
}

void NewestWork::cancel() {
  const std::lock_guard lock(m_shared->mutex);
  m_shared->outdateAll();
}

bool NewestWork::busy() const {
  const std::lock_guard lock(m_shared->mutex);
  return !m_shared->waiting.empty() || !m_shared->inWork.empty();
}

// The caller holds the mutex. A thread that the owner waits for goes on from outdated to new work.
void NewestWork::startThreads() {
  QThreadPool& pool = m_shared->letsOutdatedGo ? *QThreadPool::globalInstance() : m_own;
  const auto wanted = static_cast<int>(std::min<std::size_t>(m_shared->waiting.size(), 64));
  const int most = std::min(m_shared->mostThreads, m_shared->threads + wanted);
  for (; m_shared->threads < most; ++m_shared->threads)
    pool.start([shared = m_shared, in = m_shared->generation.load()] { shared->run(in); });
}

}  // namespace quantscope
