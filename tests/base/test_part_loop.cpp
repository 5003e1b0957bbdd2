#include <QtTest>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/part_loop.h"
#include "base/workers.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

void spin(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace

class PartLoopTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyPartRunsOnce_data();
  void everyPartRunsOnce();
  void piecesCoverAll_data();
  void piecesCoverAll();
  void idleThreadsTakeParts();
  void outsideOfItemsNobodyElseDoes();
  void denormalsAreFlushed();
  void aWaitingThreadBeginsNoOtherItem();
  void partsHavePartsOfTheirOwn();
  void firstExceptionComesBack();
};

void PartLoopTest::everyPartRunsOnce_data() {
  QTest::addColumn<int>("threads");
  for (const int threads : {1, 2, 7}) QTest::addRow("%d threads", threads) << threads;
}

void PartLoopTest::everyPartRunsOnce() {
  QFETCH(int, threads);
  const Workers workers(threads);
  std::vector<std::vector<int>> runs(20, std::vector<int>(50, 0));
  workers.forEach(runs.size(), [&](std::size_t item) {
    forEachPart(runs[item].size(), [&](std::size_t part) { ++runs[item][part]; });
    forEachPart(0, [](std::size_t) { QFAIL("no part, no call"); });
  });
  for (const std::vector<int>& item : runs) {
    QVERIFY(std::ranges::all_of(item, [](int n) { return n == 1; }));
  }
}

void PartLoopTest::piecesCoverAll_data() {
  QTest::addColumn<std::size_t>("count");
  QTest::addColumn<std::size_t>("grain");
  QTest::addColumn<std::size_t>("pieces");
  QTest::newRow("none") << std::size_t{0} << std::size_t{4} << std::size_t{0};
  QTest::newRow("one") << std::size_t{1} << std::size_t{4} << std::size_t{1};
  QTest::newRow("just one") << std::size_t{4} << std::size_t{4} << std::size_t{1};
  QTest::newRow("a short one behind") << std::size_t{5} << std::size_t{4} << std::size_t{2};
  QTest::newRow("single elements") << std::size_t{9} << std::size_t{1} << std::size_t{9};
}

void PartLoopTest::piecesCoverAll() {
  QFETCH(std::size_t, count);
  QFETCH(std::size_t, grain);
  QFETCH(std::size_t, pieces);
  const Workers workers(3);
  std::vector<int> met(count, 0);
  std::atomic<std::size_t> calls{0};
  workers.run([&] {
    forEachPiece(count, grain, [&](std::size_t first, std::size_t end) {
      ++calls;
      QVERIFY(first < end && end - first <= grain && first % grain == 0);
      for (std::size_t i = first; i < end; ++i) ++met[i];
    });
  });
  QCOMPARE(calls.load(), pieces);
  QVERIFY(std::ranges::all_of(met, [](int n) { return n == 1; }));
}

// Two parts that wait for each other need two threads.
void PartLoopTest::idleThreadsTakeParts() {
  const Workers workers(2);
  std::atomic<int> here{0};
  workers.run([&] {
    forEachPart(2, [&](std::size_t) {
      ++here;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (here < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    });
  });
  QCOMPARE(here.load(), 2);
}

void PartLoopTest::outsideOfItemsNobodyElseDoes() {
  const std::thread::id mine = std::this_thread::get_id();
  forEachPart(16, [&](std::size_t) { QVERIFY(std::this_thread::get_id() == mine); });
}

void PartLoopTest::denormalsAreFlushed() {
  const Workers workers(3);
  std::vector<int> flushed(64, 0);
  workers.run([&] {
    forEachPart(flushed.size(), [&](std::size_t i) {
      volatile float tiny = std::numeric_limits<float>::min();
      volatile float half = 0.5F;
      flushed[i] = (tiny * half == 0.0F) ? 1 : 0;
      spin(std::chrono::microseconds(50));
    });
  });
  QCOMPARE(std::accumulate(flushed.begin(), flushed.end(), 0), 64);
}

// An item that holds a lock around its parts would meet itself.
void PartLoopTest::aWaitingThreadBeginsNoOtherItem() {
  const Workers workers(4);
  std::mutex mutex;
  workers.forEach(64, [&](std::size_t) {
    static thread_local int depth = 0;
    ++depth;
    QCOMPARE(depth, 1);
    forEachPart(4, [&](std::size_t) { spin(std::chrono::microseconds(30)); });
    {
      const std::lock_guard lock(mutex);
      forEachPart(4, [&](std::size_t) { spin(std::chrono::microseconds(30)); });
    }
    --depth;
  });
}

void PartLoopTest::partsHavePartsOfTheirOwn() {
  const Workers workers(3);
  std::vector<std::atomic<int>> runs(6 * 7);
  workers.run([&] {
    forEachPart(6, [&](std::size_t outer) {
      forEachPart(7, [&](std::size_t inner) { ++runs[outer * 7 + inner]; });
    });
  });
  QVERIFY(std::ranges::all_of(runs, [](const std::atomic<int>& n) { return n == 1; }));
}

void PartLoopTest::firstExceptionComesBack() {
  const Workers workers(2);
  const auto run = [&] {
    workers.run([] {
      forEachPart(100, [](std::size_t i) {
        if (i == 57) throw std::runtime_error("57");
      });
    });
  };
  QVERIFY_EXCEPTION_THROWN(run(), std::runtime_error);
}

QUANTSCOPE_TEST(PartLoopTest)
#include "test_part_loop.moc"
