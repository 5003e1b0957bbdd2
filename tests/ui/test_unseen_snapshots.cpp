#include <QtTest>

#include "app/gui/unseen_snapshots.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

SnapshotPtr ofStage(AnalysisSnapshot::Stage stage) {
  auto snapshot = std::make_shared<AnalysisSnapshot>();
  snapshot->stage = stage;
  return snapshot;
}

}  // namespace

class UnseenSnapshotsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theLastOfCompleteOnesIsKept();
  void nothingOvertakes();
};

void UnseenSnapshotsTest::theLastOfCompleteOnesIsKept() {
  UnseenSnapshots unseen;
  QVERIFY(unseen.put(ofStage(AnalysisSnapshot::Stage::Complete)));
  const SnapshotPtr last = ofStage(AnalysisSnapshot::Stage::Complete);
  QVERIFY(!unseen.put(last));
  QCOMPARE(unseen.take(), last);
  // What was seen is not replaced.
  QVERIFY(unseen.put(last));
}

// A window that is busy sees a kept result, the first outputs of an edit and the result of that.
void UnseenSnapshotsTest::nothingOvertakes() {
  UnseenSnapshots unseen;
  const SnapshotPtr kept = ofStage(AnalysisSnapshot::Stage::Complete);
  const SnapshotPtr first = ofStage(AnalysisSnapshot::Stage::Partial);
  const SnapshotPtr second = ofStage(AnalysisSnapshot::Stage::Partial);
  const SnapshotPtr whole = ofStage(AnalysisSnapshot::Stage::Complete);
  for (const SnapshotPtr& each : {kept, first, second, whole}) QVERIFY(unseen.put(each));
  for (const SnapshotPtr& each : {kept, first, second, whole}) QCOMPARE(unseen.take(), each);
}

QUANTSCOPE_TEST(UnseenSnapshotsTest)
#include "test_unseen_snapshots.moc"
