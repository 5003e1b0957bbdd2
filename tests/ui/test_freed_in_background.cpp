#include <QThread>
#include <QThreadPool>
#include <QtTest>
#include <atomic>
#include <memory>

#include "app/gui/freed_in_background.h"
#include "support/test_main.h"
#include "ui/workbench.h"

using namespace quantscope;
using namespace quantscope::test;

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

// One that is wrapped already comes back as it is, with the same owner.
bool isWrapped(const SnapshotPtr& snapshot) {
  const SnapshotPtr again = freedInBackground(snapshot);
  return !again.owner_before(snapshot) && !snapshot.owner_before(again);
}

}  // namespace

class FreedInBackgroundTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anotherThreadFrees();
  void theLastHolderCounts();
  void aSnapshotIsWrappedOnce();
  void allThatTheWindowShows();
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
  QVERIFY(isWrapped(snapshot));
  snapshot.reset();
  QThreadPool::globalInstance()->waitForDone();
  QVERIFY(freedBy.load() == nullptr);
  again.reset();
  QTRY_VERIFY(freedBy.load() != nullptr);
}

void FreedInBackgroundTest::allThatTheWindowShows() {
  QVERIFY(!isWrapped(std::make_shared<AnalysisSnapshot>()));
  const Workbench bench;
  bench.waitForGains();
  const AnalysisController& controller = bench->session().controller();
  QVERIFY(isWrapped(controller.snapshot()));
  bench->session().selection().selectNode(bench.layer(bench.worstLayer()).node);
  bench->session().precision().setType(QuantType::Float32);
  bench.waitForGains();
  QVERIFY(isWrapped(controller.snapshot()));
  QVERIFY(isWrapped(controller.before()));
  // A refined result is another one.
  const SnapshotPtr plain = controller.snapshot();
  bench.action(ActionId::KindContribution)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(controller.snapshot()->result != plain->result, 60'000);
  QVERIFY(isWrapped(controller.snapshot()));
}

QUANTSCOPE_TEST(FreedInBackgroundTest)
#include "test_freed_in_background.moc"
