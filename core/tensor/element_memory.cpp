#include "tensor/element_memory.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#ifndef QUANTSCOPE_PLAIN_ALLOCATOR
#include <tbb/scalable_allocator.h>
#endif

#include "base/error.h"
#include "tensor/tensor_heap.h"

namespace quantscope {
namespace {

// A vector of the widest registers.
constexpr std::size_t kPadding = 64;

#ifdef QUANTSCOPE_PLAIN_ALLOCATOR
void* allocate(std::size_t bytes) {
  const std::size_t line = TensorHeap::kAlignment;
  return std::aligned_alloc(line, (bytes + line - 1) / line * line);
}
void release(void* bytes) {
  std::free(bytes);
}
constexpr bool kHasHeaps = false;
#else
void* allocate(std::size_t bytes) {
  return scalable_aligned_malloc(bytes, TensorHeap::kAlignment);
}
void release(void* bytes) {
  scalable_aligned_free(bytes);
}
constexpr bool kHasHeaps = true;
#endif

// Smaller memory is an allocator's.
constexpr std::size_t kSmallestBlock = std::size_t{16} << 10;

/// One heap per living thread, and one for weights. A thread that ends leaves its heap, and what is
/// idle there, to the next one that begins.
class Heaps {
 public:
  TensorHeap& ofWeights() { return m_ofWeights; }

  TensorHeap& take() {
    const std::lock_guard lock(m_mutex);
    if (m_free.empty()) {
      m_free.reserve(m_all.size() + 1);  // so that giving back cannot fail
      return *m_all.emplace_back(std::make_unique<TensorHeap>());
    }
    TensorHeap* const last = m_free.back();
    m_free.pop_back();
    return *last;
  }

  void giveBack(TensorHeap& heap) noexcept {
    const std::lock_guard lock(m_mutex);
    m_free.push_back(&heap);
  }

  void restartPeaks() {
    const std::lock_guard lock(m_mutex);
    for (const auto& heap : m_all) heap->restartPeak();
    m_ofWeights.restartPeak();
  }

 private:
  TensorHeap m_ofWeights{true};
  std::mutex m_mutex;
  std::vector<std::unique_ptr<TensorHeap>> m_all;
  std::vector<TensorHeap*> m_free;
};

// Never destroyed: tensors with static storage may go after it.
Heaps& heaps() {
  static auto* const all = new Heaps;
  return *all;
}

thread_local TensorHeap* heapOfThread = nullptr;

/// Gives the thread's heap back when the thread ends.
struct HeapLease {
  HeapLease() { heapOfThread = &heaps().take(); }
  ~HeapLease() { heaps().giveBack(*std::exchange(heapOfThread, nullptr)); }
};

TensorHeap& ownHeap() {
  static thread_local const HeapLease lease;
  // Objects of the thread that end after the lease take a heap for good.
  if (heapOfThread == nullptr) heapOfThread = &heaps().take();
  return *heapOfThread;
}

}  // namespace

ElementMemory::ElementMemory(std::size_t bytes, MemoryUse use) {
  if (kHasHeaps && bytes >= kSmallestBlock) {
    TensorHeap& heap = use == MemoryUse::Weights ? heaps().ofWeights() : ownHeap();
    TensorHeap::Block block = heap.take(bytes + kPadding);
    if (block.data == nullptr) {
      // What lies idle in other heaps may be what is missing here.
      restartHeapPeaks();
      block = heap.take(bytes + kPadding);
    }
    m_data = {block.data, {&heap, block.capacity}};
  } else {
    m_data.reset(static_cast<std::byte*>(allocate(bytes + kPadding)));
  }
  if (m_data != nullptr) return;
  throw Error(ErrorCode::InsufficientData,
              "a tensor of " + std::to_string(bytes) + " bytes does not fit into memory", {},
              "close other programs or use a smaller input");
}

void ElementMemory::Release::operator()(std::byte* data) const noexcept {
  if (heap != nullptr) {
    heap->giveBack({data, capacity});
  } else {
    release(data);
  }
}

void restartHeapPeaks() {
  heaps().restartPeaks();
}

}  // namespace quantscope
