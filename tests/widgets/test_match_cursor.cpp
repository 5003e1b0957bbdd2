#include <QtTest>

#include "support/test_main.h"
#include "widgets/look/text.h"
#include "widgets/made_findings.h"
#include "widgets/words/match_cursor.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

void search(MatchCursor& cursor, const SnapshotPtr& snapshot, const Dismissed& dismissed = {}) {
  cursor.search(snapshot, LayerFindings(*snapshot, LayerIndex(*snapshot->result), dismissed));
}

QString stepTo(MatchCursor& cursor, int by) {
  const auto match = cursor.step(by);
  return match ? text(match->finding) : QStringLiteral("none");
}

}  // namespace

class MatchCursorTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void goesAroundTheEnd();
  void goesBackFromTheEnd();
  void staysWithItsMatch();
  void beginsAnewWithoutItsMatch();
  void nothingIsFound();
};

// "sentence" finds c1 a1 b1 b2, in this order.
void MatchCursorTest::goesAroundTheEnd() {
  MatchCursor cursor;
  QVERIFY(cursor.setWords("sentence"));
  QVERIFY(!cursor.setWords("sentence"));
  search(cursor, snapshotWith(fourFindings()));
  QCOMPARE(cursor.matches().size(), std::size_t{4});
  QStringList way;
  for (int i = 0; i < 5; ++i) way << stepTo(cursor, 1);
  QCOMPARE(way.join(u' '), QStringLiteral("c1 a1 b1 b2 c1"));
  QCOMPARE(cursor.position(), std::size_t{0});
}

void MatchCursorTest::goesBackFromTheEnd() {
  MatchCursor cursor;
  cursor.setWords("sentence");
  search(cursor, snapshotWith(fourFindings()));
  QCOMPARE(stepTo(cursor, -1), QStringLiteral("b2"));
  QCOMPARE(cursor.position(), std::size_t{3});
  QCOMPARE(stepTo(cursor, -1), QStringLiteral("b1"));
}

// A newer result, or other words, find more or less before it.
void MatchCursorTest::staysWithItsMatch() {
  const SnapshotPtr snapshot = snapshotWith(fourFindings());
  MatchCursor cursor;
  cursor.setWords("sentence");
  search(cursor, snapshot);
  cursor.step(1);
  cursor.step(1);
  QCOMPARE(stepTo(cursor, 1), QStringLiteral("b1"));
  search(cursor, snapshot, {"a1"});
  QCOMPARE(cursor.position(), std::size_t{1});
  QCOMPARE(stepTo(cursor, 1), QStringLiteral("b2"));
  cursor.setWords("sentence OF b");
  search(cursor, snapshot);
  QCOMPARE(cursor.position(), std::size_t{1});
}

void MatchCursorTest::beginsAnewWithoutItsMatch() {
  const SnapshotPtr snapshot = snapshotWith(fourFindings());
  MatchCursor cursor;
  cursor.setWords("sentence");
  search(cursor, snapshot);
  cursor.step(1);
  QCOMPARE(stepTo(cursor, 1), QStringLiteral("a1"));
  search(cursor, snapshot, {"a1"});
  QCOMPARE(stepTo(cursor, 1), QStringLiteral("c1"));
}

void MatchCursorTest::nothingIsFound() {
  MatchCursor cursor;
  QCOMPARE(stepTo(cursor, 1), QStringLiteral("none"));
  cursor.setWords("nowhere to be seen");
  search(cursor, snapshotWith(fourFindings()));
  QCOMPARE(stepTo(cursor, 1), QStringLiteral("none"));
  QCOMPARE(stepTo(cursor, -1), QStringLiteral("none"));
  cursor.search(nullptr, {});
  QVERIFY(cursor.matches().empty());
}

QUANTSCOPE_TEST(MatchCursorTest)
#include "test_match_cursor.moc"
