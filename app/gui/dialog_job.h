#pragma once

#include <QObject>
#include <QPointer>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "error_message.h"
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
    m_dialog = dialog;
    QObject::connect(dialog, &Dialog::cancelRequested, &m_context, [this] { cancel(); });
    QObject::connect(dialog, &QObject::destroyed, &m_context, [this] {
      // A newer dialog's job must not be cancelled.
      if (!m_dialog) m_queue->cancel(m_tag);
    });
  }

  void cancel() { m_queue->cancel(m_tag); }

  /// Replaces the running job.
  void start(const Work& work) {
    const auto progress = [this](const Progress& now) {
      tell([now](Dialog& dialog) { dialog.showProgress(now); });
    };
    const auto ended = [this](const std::exception_ptr& failure) {
      if (!failure) return;
      if (isCancelled(failure)) return tell([](Dialog& dialog) { dialog.showCancelled(); });
      tell([words = failureWords(failure)](Dialog& dialog) { dialog.showError(words); });
    };
    m_queue->start(m_tag, {.work = work, .progress = progress, .ended = ended});
  }

  /// Called from any thread: runs `action` on the window's thread if the dialog is still open then.
  void tell(std::function<void(Dialog&)> action) {
    QMetaObject::invokeMethod(&m_context, [this, action = std::move(action)] {
      if (m_dialog) action(*m_dialog);
    });
  }

 private:
  std::shared_ptr<JobQueue> m_queue;
  JobTag m_tag;
  QPointer<Dialog> m_dialog;
  QObject m_context;  // pending calls to the dialog end with it
};

}  // namespace quantscope
