#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace quantscope {

/// Background work of which only the newest matters: a request replaces the previous one, whose
/// answer is dropped. Used from one thread, the window's, which also gets all answers.
class NewestWork {
  struct Shared;

 public:
  /// Handles a result in the owner; may destroy the NewestWork.
  using Answer = std::function<void()>;

  /// The running work's link to the request that it belongs to.
  class Turn {
   public:
    /// A newer request or a cancellation has come: the answer will be dropped.
    bool outdated() const;
    /// A part of the result: `answer` is called on the window's thread, unless outdated then.
    void tell(Answer answer) const;

   private:
    friend class NewestWork;
    Turn(std::shared_ptr<Shared> shared, std::uint64_t generation)
        : m_shared(std::move(shared)), m_generation(generation) {}
    std::shared_ptr<Shared> m_shared;
    std::uint64_t m_generation;
  };

  /// Runs on another thread; its result is called on the window's thread. It may use only its own
  /// data, since the owner may no longer exist, and must not throw.
  using Work = std::function<Answer(const Turn&)>;
  struct Item {
    QString name;
    Work work;
  };

  /// Whether the next request and the destructor wait for work whose answer is dropped.
  enum class Outdated {
    Wait,   ///< for work that needs the application
    LetGo,  ///< for work that may hang on a slow disk
  };

  /// At most `threads` items that count run at a time.
  explicit NewestWork(int threads = 1, Outdated outdated = Outdated::Wait);
  ~NewestWork();
  NewestWork(const NewestWork&) = delete;
  NewestWork& operator=(const NewestWork&) = delete;

  /// Replaces all earlier requests. The answer of running work is dropped.
  void start(Work work);
  /// Replaces the waiting items, in this order; running work goes on and is answered, and an item
  /// of the same name is not started again.
  void replaceWaiting(std::vector<Item> items);
  /// Nothing is wanted any more.
  void cancel();
  /// An answer is still to come. False while the last one is given.
  bool busy() const;

 private:
  void startThreads();

  QObject m_receiver;
  std::shared_ptr<Shared> m_shared;
  QThreadPool m_own;  // of work that is waited for
};

}  // namespace quantscope
