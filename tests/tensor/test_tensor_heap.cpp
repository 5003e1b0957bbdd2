#include <QtTest>
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "support/test_main.h"
#include "tensor/element_memory.h"
#include "tensor/tensor_heap.h"

using namespace quantscope;

namespace {

constexpr std::size_t kMib = std::size_t{1} << 20;
constexpr std::size_t kRegion = TensorHeap::kRegion;

std::uintptr_t addressOf(const std::byte* data) {
  return reinterpret_cast<std::uintptr_t>(data);
}

bool holdsOnly(const TensorHeap::Block& block, std::byte expected) {
  return std::all_of(block.data, block.data + block.capacity,
                     [&](std::byte value) { return value == expected; });
}

// What the kernel was advised for the mapping that holds `data`, as in VmFlags of proc(5): "rd wr
// …".
std::string mappingFlags(const std::byte* data) {
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2) {
      inside = begin <= addressOf(data) && addressOf(data) < end;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line;
    }
  }
  return {};
}

}  // namespace

class TensorHeapTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void blocksAreAlignedAndLieApart();
  void aBlockLiesAsLowAsItFits();
  void neighboursBecomeOneGap();
  void theOldestRegionComesFirst();
  void largeBlocksLieAlone();
  void largePagesAreAskedFor();
  void manyBlocksKeepWhatIsWritten();
  void keepsNoMoreThanWasInUse();
  void restartingThePeakKeepsNothing();
  void moreThanThereIsIsRefused();
  void threadsThatEndLeaveTheirHeap();
};

void TensorHeapTest::blocksAreAlignedAndLieApart() {
  TensorHeap heap;
  const TensorHeap::Block a = heap.take(5 * kMib + 1);
  const TensorHeap::Block b = heap.take(5 * kMib + 1);
  QVERIFY(a.capacity >= 5 * kMib + 1);
  QCOMPARE(addressOf(a.data) % TensorHeap::kAlignment, std::uintptr_t{0});
  QCOMPARE(addressOf(b.data) % TensorHeap::kAlignment, std::uintptr_t{0});
  std::memset(a.data, 1, a.capacity);
  std::memset(b.data, 2, b.capacity);
  QVERIFY(holdsOnly(a, std::byte{1}));
  QVERIFY(holdsOnly(b, std::byte{2}));
  heap.giveBack(a);
  heap.giveBack(b);
}

void TensorHeapTest::aBlockLiesAsLowAsItFits() {
  TensorHeap heap;
  const TensorHeap::Block low = heap.take(kMib);
  const TensorHeap::Block middle = heap.take(8 * kMib);
  const TensorHeap::Block high = heap.take(2 * kMib);
  QVERIFY(low.data < middle.data && middle.data < high.data);
  heap.giveBack(low);
  heap.giveBack(middle);
  // Two gaps: 9 MiB at the bottom, and all that follows `high`.
  const TensorHeap::Block again = heap.take(6 * kMib);
  QVERIFY(again.data == low.data);
  const TensorHeap::Block rest = heap.take(2 * kMib);
  QVERIFY(rest.data == again.data + again.capacity);
  const TensorHeap::Block behind = heap.take(4 * kMib);
  QVERIFY(behind.data == high.data + high.capacity);
  for (const TensorHeap::Block& block : {again, rest, behind, high}) heap.giveBack(block);
}

void TensorHeapTest::neighboursBecomeOneGap() {
  TensorHeap heap;
  const TensorHeap::Block a = heap.take(20 * kMib);
  const TensorHeap::Block b = heap.take(20 * kMib);
  const TensorHeap::Block c = heap.take(20 * kMib);
  heap.giveBack(a);
  heap.giveBack(c);
  heap.giveBack(b);
  QCOMPARE(heap.idleBytes(), kRegion);
  const TensorHeap::Block half = heap.take(31 * kMib);
  const TensorHeap::Block other = heap.take(31 * kMib);
  QVERIFY(half.data == a.data && other.data == half.data + half.capacity);
  heap.giveBack(half);
  heap.giveBack(other);
}

// Wherever the system puts the others.
void TensorHeapTest::theOldestRegionComesFirst() {
  TensorHeap heap;
  std::vector<TensorHeap::Block> blocks;
  for (int i = 0; i < 6; ++i) blocks.push_back(heap.take(30 * kMib));  // three regions
  for (const TensorHeap::Block& block : blocks) heap.giveBack(block);
  QCOMPARE(heap.idleBytes(), 3 * kRegion);
  const TensorHeap::Block small = heap.take(kMib);
  QVERIFY(small.data == blocks[0].data);
  heap.restartPeak();
  QCOMPARE(heap.idleBytes(), std::size_t{0});
  const TensorHeap::Block next = heap.take(kMib);
  QVERIFY(next.data == small.data + small.capacity);
  heap.giveBack(small);
  heap.giveBack(next);
}

// Their memory goes back as a whole, whatever small blocks stay.
void TensorHeapTest::largeBlocksLieAlone() {
  TensorHeap heap;
  const TensorHeap::Block large = heap.take(100 * kMib);
  const TensorHeap::Block small = heap.take(kMib);
  heap.giveBack(large);
  QCOMPARE(heap.idleBytes(), 100 * kMib);
  const TensorHeap::Block similar = heap.take(90 * kMib);
  QVERIFY(similar.data == large.data);
  const TensorHeap::Block lesser = heap.take(TensorHeap::kAlone);
  QVERIFY(lesser.data < similar.data || lesser.data >= similar.data + 100 * kMib);
  QCOMPARE(lesser.capacity, TensorHeap::kAlone);
  heap.giveBack(similar);
  heap.giveBack(lesser);
  heap.restartPeak();
  QCOMPARE(heap.idleBytes(), std::size_t{0});
  heap.giveBack(small);
}

void TensorHeapTest::largePagesAreAskedFor() {
  const auto onLargePages = [](const std::byte* data) {
    return mappingFlags(data).find(" hg") != std::string::npos;
  };
#ifdef QUANTSCOPE_PLAIN_ALLOCATOR
  QSKIP("an allocator has the memory");
#endif
  const ElementMemory alone(TensorHeap::kAlone);
  if (!onLargePages(alone.data())) QSKIP("this kernel has no large pages");
  const ElementMemory values(kMib);
  QVERIFY(mappingFlags(values.data()).find(" rd") != std::string::npos);
  QVERIFY(!onLargePages(values.data()));
  ElementMemory weights(kMib, MemoryUse::Weights);
  QVERIFY(onLargePages(weights.data()));
  std::memset(weights.data(), 4, kMib);
  std::thread([&] { weights = ElementMemory(2 * kMib, MemoryUse::Weights); }).join();
  QVERIFY(onLargePages(weights.data()));
}

// Every block has a pattern of its own, which is looked at again when it is given back.
void TensorHeapTest::manyBlocksKeepWhatIsWritten() {
  TensorHeap heap;
  std::mt19937 random(7);
  std::map<int, TensorHeap::Block> living;
  bool kept = true;
  const auto drop = [&](std::map<int, TensorHeap::Block>::iterator entry) {
    kept = kept && holdsOnly(entry->second, static_cast<std::byte>(entry->first));
    heap.giveBack(entry->second);
    living.erase(entry);
  };
  for (int step = 0; step < 3000; ++step) {
    if (living.size() > 40 || (random() % 3 == 0 && !living.empty())) {
      drop(std::next(living.begin(), static_cast<std::ptrdiff_t>(random() % living.size())));
      continue;
    }
    const std::size_t bytes = std::size_t{1} << (random() % 20);
    const TensorHeap::Block block = heap.take(bytes + random() % bytes);
    QVERIFY(block.data != nullptr);
    std::memset(block.data, static_cast<unsigned char>(step), block.capacity);
    living.emplace(step, block);
  }
  while (!living.empty()) drop(living.begin());
  QVERIFY(kept);
  QCOMPARE(heap.idleBytes(), kRegion);
}

// At most 160 MiB were in use, so that the regions stay there.
void TensorHeapTest::keepsNoMoreThanWasInUse() {
  TensorHeap heap;
  const TensorHeap::Block a = heap.take(80 * kMib);
  const TensorHeap::Block b = heap.take(80 * kMib);
  heap.giveBack(a);
  heap.giveBack(b);
  QCOMPARE(heap.idleBytes(), 160 * kMib);
  const TensorHeap::Block c = heap.take(120 * kMib);  // neither fits: both have to go
  QCOMPARE(heap.idleBytes(), std::size_t{0});
  heap.giveBack(c);
  QCOMPARE(heap.idleBytes(), 120 * kMib);
}

void TensorHeapTest::restartingThePeakKeepsNothing() {
  TensorHeap heap;
  const TensorHeap::Block a = heap.take(70 * kMib);
  const TensorHeap::Block b = heap.take(80 * kMib);
  heap.giveBack(b);
  heap.restartPeak();
  QCOMPARE(heap.idleBytes(), std::size_t{0});
  heap.giveBack(a);
  QCOMPARE(heap.idleBytes(), 70 * kMib);
}

// And nothing is given up for it.
void TensorHeapTest::moreThanThereIsIsRefused() {
  TensorHeap heap;
  heap.giveBack(heap.take(kMib));
  QVERIFY(heap.take(std::numeric_limits<std::size_t>::max() - 1).data == nullptr);
  QVERIFY(heap.take(std::size_t{1} << 60).data == nullptr);
  QCOMPARE(heap.idleBytes(), kRegion);
}

// What another thread has written stays, and its end leaves the memory to the next.
void TensorHeapTest::threadsThatEndLeaveTheirHeap() {
  std::byte* place = nullptr;
  ElementMemory kept;
  std::thread([&] {
    kept = ElementMemory(kMib);
    std::memset(kept.data(), 3, kMib);
    place = ElementMemory(2 * kMib).data();
  }).join();
  std::byte* next = nullptr;
  std::thread([&] { next = ElementMemory(2 * kMib).data(); }).join();
#ifndef QUANTSCOPE_PLAIN_ALLOCATOR
  QVERIFY(next == place);
#endif
  QCOMPARE(static_cast<int>(kept.data()[kMib - 1]), 3);
}

QUANTSCOPE_TEST(TensorHeapTest)
#include "test_tensor_heap.moc"
