#include <QWidget>
#include <QtTest>
#include <atomic>
#include <latch>
#include <memory>

#include "app/gui/controllers/dialog_job.h"
#include "support/test_main.h"

using namespace quantscope;

class JobDialog : public QWidget {
  Q_OBJECT

 public:
  void showProgress(const Progress& /*now*/) {}
  void showError(const QString& words) { m_told = words; }
  void showCancelled() { m_told = "cancelled"; }
  QString told() const { return m_told; }

 Q_SIGNALS:
  void cancelRequested();

 private:
  QString m_told;
};

namespace {

/// A job that runs until it is cancelled, which it says, or may end.
class EndlessWork {
 public:
  /// Starts it for a dialog, and waits until it runs.
  void start(DialogJob<JobDialog>& jobs) const {
    // The job holds what it writes to: it may outlive a test that fails.
    jobs.start([state = m_state](const JobContext& job) {
      state->begun.count_down();
      try {
        while (!state->mayEnd) job.throwIfCancelled();
        job.throwIfCancelled();
      } catch (const Cancelled&) {
        state->cancelled = true;
        throw;
      }
      state->ended = true;
    });
    m_state->begun.wait();
  }
  void mayEnd() const { m_state->mayEnd = true; }
  bool ended() const { return m_state->ended; }
  bool cancelled() const { return m_state->cancelled; }

 private:
  struct State {
    std::latch begun{1};
    std::atomic<bool> mayEnd{false};
    std::atomic<bool> ended{false};
    std::atomic<bool> cancelled{false};
  };
  std::shared_ptr<State> m_state = std::make_shared<State>();
};

}  // namespace

class DialogJobTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    m_queue = std::make_shared<JobQueue>(1);
    m_job = std::make_unique<DialogJob<JobDialog>>(m_queue, "test");
  }
  void cleanup() {
    m_job.reset();
    m_queue.reset();
  }

  void cancelIsTold();
  void itEndsWithTheDialog();
  void itEndsWithAClosedDialog();
  void anotherDialogTakesThePlace();

 private:
  std::shared_ptr<JobQueue> m_queue;
  std::unique_ptr<DialogJob<JobDialog>> m_job;
};

void DialogJobTest::cancelIsTold() {
  EndlessWork work;
  JobDialog dialog;
  m_job->watch(&dialog);
  work.start(*m_job);
  Q_EMIT dialog.cancelRequested();
  QTRY_COMPARE(dialog.told(), QString("cancelled"));
}

void DialogJobTest::itEndsWithTheDialog() {
  EndlessWork work;
  auto dialog = std::make_unique<JobDialog>();
  m_job->watch(dialog.get());
  work.start(*m_job);
  dialog.reset();
  QTRY_VERIFY(work.cancelled());
  QVERIFY(m_job->dialog() == nullptr);
}

void DialogJobTest::itEndsWithAClosedDialog() {
  EndlessWork work;
  auto* const dialog = new JobDialog;
  m_job->take(dialog);
  dialog->show();
  work.start(*m_job);
  dialog->close();
  QTRY_VERIFY(work.cancelled());
  QTRY_VERIFY(m_job->dialog() == nullptr);
}

// The end of the dialog before has nothing to do with the job of the next one.
void DialogJobTest::anotherDialogTakesThePlace() {
  EndlessWork first;
  auto before = std::make_unique<JobDialog>();
  m_job->watch(before.get());
  first.start(*m_job);
  JobDialog next;
  m_job->watch(&next);
  QVERIFY(first.cancelled());
  EndlessWork second;
  second.start(*m_job);
  Q_EMIT before->cancelRequested();
  before.reset();
  QVERIFY(m_job->dialog() == &next);
  second.mayEnd();
  QTRY_VERIFY(second.ended() || second.cancelled());
  QVERIFY(!second.cancelled());
  QCOMPARE(next.told(), QString());
}

QUANTSCOPE_TEST(DialogJobTest)
#include "test_dialog_job.moc"
