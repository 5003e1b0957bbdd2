#include <QtTest>
#include <algorithm>
#include <atomic>
#include <vector>

#include "base/time_limit.h"
#include "base/workers.h"
#include "support/test_main.h"

using namespace quantscope;

/// A job inside of another one that time or a request ends.
class TimeLimitTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void progressIsPassedOn();
  void isStoppedWithoutTheOuterJob();
  void endsWithTheOuterJob();

 private:
  Workers m_workers{2};
};

void TimeLimitTest::progressIsPassedOn() {
  std::vector<Progress> seen;
  JobContext outer(m_workers, [&](const Progress& progress) { seen.push_back(progress); });
  TimeLimit limit(outer, {});
  limit.job().beginStage("measuring", 8);
  limit.job().advance(8);
  // Another stage of the same name has a length of its own.
  limit.job().beginStage("measuring", 2);
  limit.job().advance(1);
  QCOMPARE(seen.back().total, std::size_t{2});
  QCOMPARE(seen.back().done, std::size_t{1});
  QVERIFY(std::ranges::all_of(seen, [](const Progress& each) { return each.done <= each.total; }));
}

void TimeLimitTest::isStoppedWithoutTheOuterJob() {
  JobContext outer(m_workers);
  std::atomic<bool> stop{false};
  TimeLimit limit(outer, [&] { return stop.load(); });
  QVERIFY(!limit.over() && !limit.stopped());
  stop = true;
  QTRY_VERIFY(limit.job().cancelled());
  QVERIFY(limit.over() && limit.stopped());
  QVERIFY(!outer.cancelled());
}

void TimeLimitTest::endsWithTheOuterJob() {
  JobContext outer(m_workers);
  TimeLimit limit(outer, {});
  outer.requestCancel();
  QTRY_VERIFY(limit.job().cancelled());
  QVERIFY(!limit.over());
}

QUANTSCOPE_TEST(TimeLimitTest)
#include "test_time_limit.moc"
