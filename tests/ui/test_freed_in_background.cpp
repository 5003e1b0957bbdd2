#include <QThread>
#include <QThreadPool>
#include <QtTest>
#include <atomic>
#include <memory>

#include "app/gui/freed_in_background.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

// A snapshot whose graph notes the thread that frees it.
SnapshotPtr noting(std::atomic<Qt::HANDLE>& freedBy) {
  auto snapshot = std::make_shared<AnalysisSnapshot>();
  snapshot->model.graph = std::shared_ptr<const Graph>(new Graph, [&freedBy](const Graph* graph) {
    delete graph;
    freedBy = QThread::currentThreadId();
  });
  return snapshot;
}

}  // namespace

class FreedInBackgroundTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anotherThreadFrees();
  void theLastHolderCounts();
  void aSnapshotIsWrappedOnce();
};

void FreedInBackgroundTest::anotherThreadFrees() {
  std::atomic<Qt::HANDLE> freedBy = nullptr;
  SnapshotPtr snapshot = freedInBackground(noting(freedBy));
  QVERIFY(snapshot->model.graph != nullptr);
  snapshot.reset();
  QTRY_VERIFY(freedBy.load() != nullptr);
  QVERIFY(freedBy.load() != QThread::currentThreadId());
  QVERIFY(freedInBackground(nullptr) == nullptr);
}

void FreedInBackgroundTest::theLastHolderCounts() {
  std::atomic<Qt::HANDLE> freedBy = nullptr;
  SnapshotPtr plain = noting(freedBy);
  SnapshotPtr wrapped = freedInBackground(plain);
  QVERIFY(wrapped == plain);
  wrapped.reset();
  QThreadPool::globalInstance()->waitForDone();
  QVERIFY(freedBy.load() == nullptr);
  plain.reset();
  QVERIFY(freedBy.load() == QThread::currentThreadId());
}

void FreedInBackgroundTest::aSnapshotIsWrappedOnce() {
  std::atomic<Qt::HANDLE> freedBy = nullptr;
  SnapshotPtr snapshot = freedInBackground(noting(freedBy));
  const long held = snapshot.use_count();
  SnapshotPtr again = freedInBackground(snapshot);
  QCOMPARE(again.use_count(), held + 1);  // the same owner, no new one around it
  QVERIFY(!again.owner_before(snapshot) && !snapshot.owner_before(again));
  snapshot.reset();
  QThreadPool::globalInstance()->waitForDone();
  QVERIFY(freedBy.load() == nullptr);
  again.reset();
  QTRY_VERIFY(freedBy.load() != nullptr);
}

QUANTSCOPE_TEST(FreedInBackgroundTest)
#include "test_freed_in_background.moc"
