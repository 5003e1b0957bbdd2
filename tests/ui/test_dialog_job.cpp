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

/// A job that begins, waits until it is cancelled, and says that it was.
class EndlessWork {
 public:
  // The job holds what it writes to: it may outlive a test that fails.
  DialogJob<JobDialog>::Work work() const {
    return [state = m_state](const JobContext& job) {
      state->begun.count_down();
      try {
        while (true) job.throwIfCancelled();
      } catch (const Cancelled&) {
        state->cancelled = true;
        throw;
      }
    };
  }
  void waitUntilItRuns() const { m_state->begun.wait(); }
  bool cancelled() const { return m_state->cancelled; }

 private:
  struct State {
    std::latch begun{1};
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
  m_job->start(work.work());
  work.waitUntilItRuns();
  Q_EMIT dialog.cancelRequested();
  QTRY_COMPARE(dialog.told(), QString("cancelled"));
}

void DialogJobTest::itEndsWithTheDialog() {
  EndlessWork work;
  auto dialog = std::make_unique<JobDialog>();
  m_job->watch(dialog.get());
  m_job->start(work.work());
  work.waitUntilItRuns();
  dialog.reset();
  QTRY_VERIFY(work.cancelled());
  QVERIFY(m_job->dialog() == nullptr);
}

void DialogJobTest::itEndsWithAClosedDialog() {
  EndlessWork work;
  auto* const dialog = new JobDialog;
  m_job->take(dialog);
  dialog->show();
  m_job->start(work.work());
  work.waitUntilItRuns();
  dialog->close();
  QTRY_VERIFY(work.cancelled());
  QTRY_VERIFY(m_job->dialog() == nullptr);
}

// The end of the dialog before has nothing to do with the job of the next one.
void DialogJobTest::anotherDialogTakesThePlace() {
  EndlessWork first;
  auto before = std::make_unique<JobDialog>();
  m_job->watch(before.get());
  m_job->start(first.work());
  first.waitUntilItRuns();
  JobDialog next;
  m_job->watch(&next);
  QVERIFY(first.cancelled());
  EndlessWork second;
  m_job->start(second.work());
  second.waitUntilItRuns();
  Q_EMIT before->cancelRequested();
  before.reset();
  QVERIFY(m_job->dialog() == &next);
  // What is told of the second job comes to its dialog: it was not cancelled before.
  QTest::qWait(20);
  QVERIFY(!second.cancelled());
  m_job->cancel();
  QTRY_COMPARE(next.told(), QString("cancelled"));
}

QUANTSCOPE_TEST(DialogJobTest)
#include "test_dialog_job.moc"
