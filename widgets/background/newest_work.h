#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace quantscope {

/// Work beside the window of which only the newest matters: a request takes the place of the one
/// before, whose answer nobody hears. Used from one thread, the window's, where all answers come.
class NewestWork {
  struct Shared;

 public:
  /// What the owner does with a result; may destroy the NewestWork.
  using Answer = std::function<void()>;

  /// What work in progress knows of the request that it belongs to.
  class Turn {
   public:
    /// Something else is asked for by now, or nothing: the answer will not be heard.
    bool outdated() const;
    /// A part of the result: `answer` is called on the window's thread unless outdated by then.
    void tell(Answer answer) const;

   private:
    friend class NewestWork;
    Turn(std::shared_ptr<Shared> shared, std::uint64_t generation)
        : m_shared(std::move(shared)), m_generation(generation) {}
    std::shared_ptr<Shared> m_shared;
    std::uint64_t m_generation;
  };

  /// Runs on another thread; what it returns is called on the window's. It touches only what it
  /// was given, since nothing says that the owner is still there, and must not throw.
  using Work = std::function<Answer(const Turn&)>;
  struct Item {
    QString name;
    Work work;
  };

  /// Whether the next request and the destructor wait for work whose answer nobody hears any more.
  enum class Outdated {
    Wait,   ///< for work that needs the application
    LetGo,  ///< for work that may hang on a slow disk
  };

  /// At most so many items that are not let go are in work at a time.
  explicit NewestWork(int threads = 1, Outdated outdated = Outdated::Wait);
  ~NewestWork();
  NewestWork(const NewestWork&) = delete;
  NewestWork& operator=(const NewestWork&) = delete;

  /// In the place of all that was asked for before. What is in work ends unheard.
  void start(Work work);
  /// In the place of what still waits, in this order; what is in work goes on and is heard, and an
  /// item of the same name is not begun again.
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
