#include <QtTest>
#include <cstdint>
#include <cstring>
#include <limits>

#include "support/test_main.h"
#include "tensor/block_pool.h"

using namespace quantscope;

namespace {

constexpr std::size_t kMib = std::size_t{1} << 20;

}  // namespace

class BlockPoolTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void blocksHoldWhatIsWrittenAndAreAligned();
  void aBlockComesBack();
  void onlyBlocksOfSimilarSizeComeBack();
  void keepsNoMoreThanWasInUse();
  void restartingThePeakKeepsNothing();
  void moreThanThereIsIsRefused();
};

void BlockPoolTest::blocksHoldWhatIsWrittenAndAreAligned() {
  BlockPool pool;
  const BlockPool::Block a = pool.take(5 * kMib + 1);
  const BlockPool::Block b = pool.take(5 * kMib + 1);
  QVERIFY(a.capacity >= 5 * kMib + 1);
  QCOMPARE(reinterpret_cast<std::uintptr_t>(a.data) % (2 * kMib), std::uintptr_t{0});
  std::memset(a.data, 1, a.capacity);
  std::memset(b.data, 2, b.capacity);
  QCOMPARE(static_cast<int>(a.data[0]), 1);
  QCOMPARE(static_cast<int>(a.data[a.capacity - 1]), 1);
  pool.giveBack(a);
  pool.giveBack(b);
}

void BlockPoolTest::aBlockComesBack() {
  BlockPool pool;
  const BlockPool::Block first = pool.take(8 * kMib);
  pool.giveBack(first);
  QCOMPARE(pool.idleBytes(), 8 * kMib);
  const BlockPool::Block second = pool.take(7 * kMib);
  QVERIFY(second.data == first.data);
  QCOMPARE(pool.idleBytes(), std::size_t{0});
  pool.giveBack(second);
}

void BlockPoolTest::onlyBlocksOfSimilarSizeComeBack() {
  BlockPool pool;
  const BlockPool::Block large = pool.take(64 * kMib);
  pool.giveBack(large);
  const BlockPool::Block small = pool.take(8 * kMib);
  QVERIFY(small.data != large.data);
  QCOMPARE(small.capacity, 8 * kMib);
  pool.giveBack(small);
}

// At most 24 MiB were in use, so the sum of what is used and idle stays there.
void BlockPoolTest::keepsNoMoreThanWasInUse() {
  BlockPool pool;
  const BlockPool::Block a = pool.take(8 * kMib);
  const BlockPool::Block b = pool.take(16 * kMib);
  pool.giveBack(a);
  pool.giveBack(b);
  QCOMPARE(pool.idleBytes(), 24 * kMib);
  const BlockPool::Block c = pool.take(4 * kMib);  // neither fits: the older one has to go
  QCOMPARE(pool.idleBytes(), 16 * kMib);
  const BlockPool::Block d = pool.take(40 * kMib);
  QCOMPARE(pool.idleBytes(), std::size_t{0});
  pool.giveBack(c);
  pool.giveBack(d);
  QCOMPARE(pool.idleBytes(), 44 * kMib);
}

void BlockPoolTest::restartingThePeakKeepsNothing() {
  BlockPool pool;
  const BlockPool::Block a = pool.take(8 * kMib);
  const BlockPool::Block b = pool.take(16 * kMib);
  pool.giveBack(b);
  pool.restartPeak();
  QCOMPARE(pool.idleBytes(), std::size_t{0});
  pool.giveBack(a);
  QCOMPARE(pool.idleBytes(), 8 * kMib);
}

void BlockPoolTest::moreThanThereIsIsRefused() {
  BlockPool pool;
  QVERIFY(pool.take(std::numeric_limits<std::size_t>::max() - 1).data == nullptr);
  QVERIFY(pool.take(std::size_t{1} << 60).data == nullptr);
  QCOMPARE(pool.idleBytes(), std::size_t{0});
}

QUANTSCOPE_TEST(BlockPoolTest)
#include "test_block_pool.moc"
