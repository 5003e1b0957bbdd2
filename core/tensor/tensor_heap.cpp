#include "tensor/tensor_heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "base/large_pages.h"

namespace quantscope {
namespace {

// A smaller rest stays with the block before it.
constexpr std::size_t kSmallestGap = 1024;
// All of a process's address space: nothing is given up for it in vain.
constexpr std::size_t kTooMuch = std::size_t{1} << 47;

constexpr std::size_t roundedUp(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::byte* map(std::size_t bytes, bool largePages) {
  // Maps one page more, so that an aligned part can be cut out.
  void* mapped =
      mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const start = static_cast<std::byte*>(mapped);
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t before = roundedUp(address, kLargePage) - address;
  if (before > 0) munmap(start, before);
  munmap(start + before + bytes, kLargePage - before);
  if (largePages) adviseLargePages(start + before, bytes);
  return start + before;
}

}  // namespace

TensorHeap::~TensorHeap() {
  shrinkTo(0);
}

TensorHeap::Block TensorHeap::take(std::size_t bytes) {
  if (bytes >= kTooMuch) return {};
  const std::size_t needed = roundedUp(std::max(bytes, kSmallestGap), kAlignment);
  const std::lock_guard lock(m_mutex);
  try {
    Region* const region = regionFor(needed);
    if (region == nullptr) return {};
    if (region->gaps.capacity() < region->blocks + 2) region->gaps.reserve(2 * region->blocks + 8);
    if (region->blocks == 0) {
      m_occupiedBytes += region->bytes;
      m_mostOccupiedBytes = std::max(m_mostOccupiedBytes, m_occupiedBytes);
    }
    return cut(*region, needed);
  } catch (const std::bad_alloc&) {
    return {};
  }
}

// nullptr where there is no memory.
TensorHeap::Region* TensorHeap::regionFor(std::size_t bytes) {
  const bool alone = bytes >= kAlone;
  const auto fits = [&](const Region& region) {
    if (region.alone != alone || region.largestGap < bytes) return false;
    return !alone || region.bytes <= bytes + bytes / 2;
  };
  const auto known = std::ranges::find_if(m_regions, fits);
  return known == m_regions.end() ? addRegion(bytes) : &*known;
}

TensorHeap::Region* TensorHeap::addRegion(std::size_t bytes) {
  Region region;
  region.alone = bytes >= kAlone;
  region.bytes = region.alone ? roundedUp(bytes, kLargePage) : kRegion;
  region.largestGap = region.bytes;
  region.gaps.reserve(8);
  m_regions.reserve(m_regions.size() + 1);
  shrinkTo(std::max(m_mostOccupiedBytes, m_occupiedBytes + region.bytes) - region.bytes);
  region.start = map(region.bytes, region.alone || m_allOnLargePages);
  if (region.start == nullptr) return nullptr;
  region.gaps.push_back({region.start, region.bytes});
  m_mappedBytes += region.bytes;
  m_regions.push_back(std::move(region));
  return &m_regions.back();
}

// From the lowest gap that is large enough; there is one.
TensorHeap::Block TensorHeap::cut(Region& region, std::size_t bytes) {
  ++region.blocks;
  const auto gap =
      std::ranges::find_if(region.gaps, [&](const Gap& each) { return each.bytes >= bytes; });
  const std::size_t length = gap->bytes;
  const bool all = region.alone || length - bytes < kSmallestGap;
  const Block block{gap->start, all ? length : bytes};
  if (all) {
    region.gaps.erase(gap);
  } else {
    *gap = {gap->start + bytes, length - bytes};
  }
  if (length == region.largestGap) {
    region.largestGap = 0;
    for (const Gap& each : region.gaps) region.largestGap = std::max(region.largestGap, each.bytes);
  }
  return block;
}

void TensorHeap::giveBack(Block block) noexcept {
  const std::lock_guard lock(m_mutex);
  Region& region = *std::ranges::find_if(m_regions, [&](const Region& each) {
    return each.start <= block.data && block.data < each.start + each.bytes;
  });
  Gap gap{block.data, block.capacity};
  auto next = std::ranges::lower_bound(region.gaps, gap.start, {}, &Gap::start);
  if (next != region.gaps.end() && next->start == gap.start + gap.bytes) {
    gap.bytes += next->bytes;
    next = region.gaps.erase(next);
  }
  if (next != region.gaps.begin() && (next - 1)->start + (next - 1)->bytes == gap.start) {
    (next - 1)->bytes += gap.bytes;
    gap = *(next - 1);
  } else {
    region.gaps.insert(next, gap);  // there is room for it
  }
  region.largestGap = std::max(region.largestGap, gap.bytes);
  if (--region.blocks > 0) return;
  m_occupiedBytes -= region.bytes;
  shrinkTo(m_mostOccupiedBytes);
}

std::size_t TensorHeap::idleBytes() const {
  const std::lock_guard lock(m_mutex);
  return m_mappedBytes - m_occupiedBytes;
}

void TensorHeap::restartPeak() {
  const std::lock_guard lock(m_mutex);
  m_mostOccupiedBytes = m_occupiedBytes;
  shrinkTo(0);
}

// Frees empty regions, the newest first, until no more than `bytes` are mapped.
void TensorHeap::shrinkTo(std::size_t bytes) {
  for (std::size_t i = m_regions.size(); i-- > 0 && m_mappedBytes > bytes;) {
    const Region& region = m_regions[i];
    if (region.blocks > 0) continue;
    munmap(region.start, region.bytes);
    m_mappedBytes -= region.bytes;
    m_regions.erase(m_regions.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace quantscope
