#pragma once

#include <QObject>
#include <QPointer>
#include <QThreadPool>
#include <functional>

namespace quantscope {

/// Work on project files in the background, one after the other in the order of the requests, for
/// all windows of the process: a closed project is written completely before it can be opened
/// again. Used from the windows' thread.
class OrderedWork : public QObject {
  Q_OBJECT

 public:
  /// Handles a result on the windows' thread; may be empty.
  using Answer = std::function<void()>;

  /// Once there is an application; all work is done before that ends.
  static OrderedWork& instance();

  /// `work` must not throw. Its answer is dropped if `receiver` no longer exists.
  void start(QObject* receiver, std::function<Answer()> work);
  /// Calls `action` on the windows' thread if `receiver` still exists; from any thread.
  void tell(const QPointer<QObject>& receiver, Answer action);
  /// Waits until all work is done.
  void finish() { m_pool.waitForDone(); }

 private:
  OrderedWork();

  QThreadPool m_pool;
};

}  // namespace quantscope
