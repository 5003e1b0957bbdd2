#include <QtTest>
#include <latch>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/per_thread.h"
#include "support/test_main.h"

using namespace quantscope;

class PerThreadTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void livingThreadsHaveDifferentNumbers();
  void numbersComeBack();
  void everyThreadHasItsOwn();
};

void PerThreadTest::livingThreadsHaveDifferentNumbers() {
  constexpr std::size_t kThreads = 20;
  std::set<std::size_t> numbers{threadNumber()};
  std::mutex mutex;
  std::latch all(kThreads);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      {
        const std::lock_guard lock(mutex);
        numbers.insert(threadNumber());
      }
      all.arrive_and_wait();  // nobody ends before all have theirs
    });
  }
  threads.clear();
  QCOMPARE(numbers.size(), kThreads + 1);
}

void PerThreadTest::numbersComeBack() {
  std::set<std::size_t> numbers;
  for (int i = 0; i < 50; ++i) {
    std::jthread([&] { numbers.insert(threadNumber()); }).join();
  }
  QCOMPARE(numbers.size(), std::size_t{1});
}

void PerThreadTest::everyThreadHasItsOwn() {
  const PerThread<int> values;
  *values.mine() = 1;
  std::jthread([&] {
    QVERIFY(values.mine() != nullptr);
    *values.mine() = 2;
  }).join();
  QCOMPARE(*values.mine(), 1);
}

QUANTSCOPE_TEST(PerThreadTest)
#include "test_per_thread.moc"
