#include "tensor/block_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/large_pages.h"

namespace quantscope {
namespace {

constexpr std::size_t roundedUp(std::size_t bytes) {
  return (bytes + kLargePage - 1) / kLargePage * kLargePage;
}

BlockPool::Block map(std::size_t capacity) {
  // Maps one page more, so that an aligned part can be cut out.
  void* mapped = mmap(nullptr, capacity + kLargePage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return {};
  auto* const start = static_cast<std::byte*>(mapped);
  const std::size_t before =
      roundedUp(reinterpret_cast<std::uintptr_t>(start)) - reinterpret_cast<std::uintptr_t>(start);
  if (before > 0) munmap(start, before);
  munmap(start + before + capacity, kLargePage - before);
  adviseLargePages(start + before, capacity);
  return {start + before, capacity};
}

}  // namespace

BlockPool::~BlockPool() {
  shrinkTo(0);
}

BlockPool::Block BlockPool::take(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) return {};
  const std::lock_guard lock(m_mutex);
  const std::size_t capacity = roundedUp(bytes);
  Block block = takeIdle(capacity);
  if (block.data == nullptr) {
    const std::size_t used = m_usedBytes + capacity;
    shrinkTo(m_mostUsedBytes > used ? m_mostUsedBytes - used : 0);
    block = map(capacity);
    if (block.data == nullptr) return {};
  }
  m_usedBytes += block.capacity;
  m_mostUsedBytes = std::max(m_mostUsedBytes, m_usedBytes);
  return block;
}

void BlockPool::giveBack(Block block) {
  const std::lock_guard lock(m_mutex);
  m_usedBytes -= block.capacity;
  m_idle.push_back(block);
  m_idleBytes += block.capacity;
  shrinkTo(m_mostUsedBytes - m_usedBytes);
}

std::size_t BlockPool::idleBytes() const {
  const std::lock_guard lock(m_mutex);
  return m_idleBytes;
}

void BlockPool::restartPeak() {
  const std::lock_guard lock(m_mutex);
  m_mostUsedBytes = m_usedBytes;
  shrinkTo(0);
}

// The smallest that fits, if not half as large again; of equal ones the last given back, which the
// caches may still hold.
BlockPool::Block BlockPool::takeIdle(std::size_t capacity) {
  auto best = m_idle.end();
  for (auto block = m_idle.begin(); block != m_idle.end(); ++block) {
    const bool fits = block->capacity >= capacity && block->capacity <= capacity + capacity / 2;
    if (fits && (best == m_idle.end() || block->capacity <= best->capacity)) best = block;
  }
  if (best == m_idle.end()) return {};
  const Block block = *best;
  m_idle.erase(best);
  m_idleBytes -= block.capacity;
  return block;
}

void BlockPool::shrinkTo(std::size_t idle) {
  while (m_idleBytes > idle) {
    const Block oldest = m_idle.front();
    m_idle.pop_front();
    m_idleBytes -= oldest.capacity;
    munmap(oldest.data, oldest.capacity);
  }
}

}  // namespace quantscope
