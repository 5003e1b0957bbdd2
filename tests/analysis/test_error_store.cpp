#include "analysis/errors/error_store.h"

#include <QtTest>

#include "support/test_main.h"

using namespace quantscope;

namespace {

ContentId key(std::uint64_t number) {
  return {1, number};
}

ClipRecord clips(std::uint64_t number) {
  return {.clipped = number, .total = 10, .squares = 0, .range = {}};
}

}  // namespace

class ErrorStoreTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void findsWhatWasInserted();
  void theLongestUnusedGoFirst();
  void nothingFitsInNothing();
  void whatIsTooLargeDropsNothing();
  void sizesAreCounted();
};

void ErrorStoreTest::findsWhatWasInserted() {
  ErrorStore store(10000);
  QVERIFY(store.find<ClipRecord>(key(1)) == nullptr);
  QCOMPARE(store.insert(key(1), clips(7))->clipped, std::uint64_t{7});
  QCOMPARE(store.find<ClipRecord>(key(1))->clipped, std::uint64_t{7});
  store.insert(key(1), clips(8));
  QCOMPARE(store.find<ClipRecord>(key(1))->clipped, std::uint64_t{7});
}

void ErrorStoreTest::theLongestUnusedGoFirst() {
  ErrorStore store(10000);
  store.insert(key(0), clips(0));
  const std::size_t each = store.bytes();
  store.setBudget(3 * each);
  for (std::uint64_t i = 1; i < 3; ++i) store.insert(key(i), clips(i));
  QVERIFY(store.find<ClipRecord>(key(0)) != nullptr);
  store.insert(key(3), clips(3));
  QVERIFY(store.find<ClipRecord>(key(1)) == nullptr);
  QVERIFY(store.find<ClipRecord>(key(0)) != nullptr);
  store.setBudget(each);
  QCOMPARE(store.bytes(), each);
  QVERIFY(store.find<ClipRecord>(key(0)) != nullptr);
}

void ErrorStoreTest::nothingFitsInNothing() {
  ErrorStore store(0);
  QCOMPARE(store.insert(key(1), clips(5))->clipped, std::uint64_t{5});
  QVERIFY(store.find<ClipRecord>(key(1)) == nullptr);
  QCOMPARE(store.bytes(), std::size_t{0});
}

void ErrorStoreTest::whatIsTooLargeDropsNothing() {
  ErrorStore store(10000);
  store.insert(key(1), clips(5));
  ErrorRecord large;
  large.samples.assign(2, ChannelSums(1000));
  QCOMPARE(store.insert(key(2), std::move(large))->samples.size(), std::size_t{2});
  QVERIFY(store.find<ErrorRecord>(key(2)) == nullptr);
  QVERIFY(store.find<ClipRecord>(key(1)) != nullptr);
}

void ErrorStoreTest::sizesAreCounted() {
  ErrorStore store(std::size_t{1} << 20);
  ErrorRecord record;
  record.samples.assign(2, ChannelSums(100));
  store.insert(key(1), std::move(record));
  QVERIFY(store.bytes() > 200 * sizeof(ErrorSums));
  QVERIFY(store.bytes() < 200 * sizeof(ErrorSums) + 500);
}

QUANTSCOPE_TEST(ErrorStoreTest)
#include "test_error_store.moc"
