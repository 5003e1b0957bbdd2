#pragma once

#include <QObject>
#include <QPointer>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "app/gui/window/error_message.h"
#include "jobs/job_queue.h"

namespace quantscope {

/// Runs the jobs of a dialog or a view in the background, one after the other. Results reach it on
/// the window's thread while it is there. The dialog has a signal cancelRequested(), and
/// showProgress(), showError() and showCancelled().
template <class Dialog>
class DialogJob {
 public:
  using Work = std::function<void(JobContext&)>;

  /// `what` tells the jobs of a window apart.
  DialogJob(std::shared_ptr<JobQueue> queue, const std::string& what,
            JobTag::Priority priority = JobTag::Priority::Edit)
      : m_queue(std::move(queue)) {
    static std::atomic<int> jobs{0};
    m_tag.priority = priority;
    m_tag.name = what + " " + std::to_string(++jobs);
  }
  ~DialogJob() { m_queue->stop(m_tag); }
  DialogJob(const DialogJob&) = delete;
  DialogJob& operator=(const DialogJob&) = delete;

  /// take() makes further jobs those of `dialog`, which is deleted when it is closed. Null while no
  /// dialog is open.
  Dialog* dialog() const { return m_dialog; }
  void take(Dialog* dialog) {
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    watch(dialog);
  }
  /// The same for a view that stays.
  void watch(Dialog* dialog) {
    m_queue->stop(m_tag);
    // What becomes of the one before has nothing to do with the jobs of this one.
    if (m_dialog) QObject::disconnect(m_dialog, nullptr, &m_context, nullptr);
    m_dialog = dialog;
    QObject::connect(dialog, &Dialog::cancelRequested, &m_context, [this] { cancel(); });
    QObject::connect(dialog, &QObject::destroyed, &m_context, [this] { cancel(); });
  }

  void cancel() { m_queue->cancel(m_tag); }
  /// The same, and nothing more is heard of it.
  void drop() {
    ++m_newest;
    cancel();
  }

  /// Replaces the running job.
  void start(const Work& work) {
    const int number = ++m_newest;
    const auto run = [this, number, work](JobContext& job) {
      m_running = number;
      work(job);
    };
    const auto progress = [this, number](const Progress& now) {
      tell(number, [now](Dialog& dialog) { dialog.showProgress(now); });
    };
    const auto ended = [this, number](const std::exception_ptr& failure) {
      if (!failure) return;
      if (isCancelled(failure)) return tell(number, [](Dialog& dialog) { dialog.showCancelled(); });
      tell(number, [words = failureWords(failure)](Dialog& dialog) { dialog.showError(words); });
    };
    m_queue->start(m_tag, {.work = run, .progress = progress, .ended = ended});
  }

  /// Called from any thread of the running job: runs `action` on the window's thread, unless the
  /// dialog is gone then, or another job has taken the place of this one.
  void tell(std::function<void(Dialog&)> action) { tell(m_running, std::move(action)); }

 private:
  void tell(int number, std::function<void(Dialog&)> action) {
    QMetaObject::invokeMethod(&m_context, [this, number, action = std::move(action)] {
      if (m_dialog && number == m_newest) action(*m_dialog);
    });
  }

  std::shared_ptr<JobQueue> m_queue;
  JobTag m_tag;
  QPointer<Dialog> m_dialog;
  int m_newest = 0;                // counts the jobs; on the window's thread
  std::atomic<int> m_running = 0;  // jobs of a tag run one after the other
  QObject m_context;               // pending calls to the dialog end with it
};

}  // namespace quantscope
