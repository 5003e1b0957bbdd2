#include <sched.h>

#include <QtTest>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "base/workers.h"
#include "support/test_main.h"

using quantscope::Workers;

class WorkersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyItemRunsOnce_data();
  void everyItemRunsOnce();
  void denormalsAreFlushed();
  void firstExceptionComesBack();
  void boundToOneCoreThereIsOneThread();
};

void WorkersTest::everyItemRunsOnce_data() {
  QTest::addColumn<int>("threads");
  for (const int threads : {1, 2, 7}) QTest::addRow("%d threads", threads) << threads;
}

void WorkersTest::everyItemRunsOnce() {
  QFETCH(int, threads);
  const Workers workers(threads);
  QCOMPARE(workers.threads(), threads);
  std::vector<int> runs(1000, 0);
  workers.forEach(runs.size(), [&](std::size_t i) { ++runs[i]; });
  QVERIFY(std::ranges::all_of(runs, [](int n) { return n == 1; }));
  workers.forEach(0, [](std::size_t) { QFAIL("no item, no call"); });
}

void WorkersTest::denormalsAreFlushed() {
  const Workers workers(3);
  std::vector<int> flushed(64, 0);
  workers.forEach(flushed.size(), [&](std::size_t i) {
    volatile float tiny = std::numeric_limits<float>::min();
    volatile float half = 0.5F;
    flushed[i] = (tiny * half == 0.0F) ? 1 : 0;
  });
  QCOMPARE(std::accumulate(flushed.begin(), flushed.end(), 0), 64);

  volatile float tiny = std::numeric_limits<float>::min();
  volatile float half = 0.5F;
  QVERIFY2(tiny * half != 0.0F, "the caller's own setting comes back");
}

void WorkersTest::firstExceptionComesBack() {
  const Workers workers(2);
  QVERIFY_EXCEPTION_THROWN(workers.forEach(100,
                                           [](std::size_t i) {
                                             if (i == 57) throw std::runtime_error("57");
                                           }),
                           std::runtime_error);
}

void WorkersTest::boundToOneCoreThereIsOneThread() {
  cpu_set_t before;
  QCOMPARE(sched_getaffinity(0, sizeof(before), &before), 0);
  QCOMPARE(Workers::availableCores(), CPU_COUNT(&before));
  int core = 0;
  while (!CPU_ISSET(core, &before)) ++core;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  QCOMPARE(sched_setaffinity(0, sizeof(one), &one), 0);
  const int bound = Workers::availableCores();
  QCOMPARE(sched_setaffinity(0, sizeof(before), &before), 0);
  QCOMPARE(bound, 1);
}

QUANTSCOPE_TEST(WorkersTest)
#include "test_workers.moc"
