#pragma once

#include <cstddef>
#include <new>

namespace quantscope {

/// Bytes of a large page. It costs one page fault and one address translation instead of 512.
constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// Asks the kernel for large pages. `start` is aligned to a large page. The rest after the last
/// whole large page stays on small pages.
void adviseLargePages(void* start, std::size_t bytes);

/// An allocator that puts arrays of at least one large page on large pages, for arrays that are
/// read from end to end.
template <class T>
struct LargePageAllocator {
  using value_type = T;

  LargePageAllocator() = default;
  template <class Other>
  LargePageAllocator(const LargePageAllocator<Other>& /*other*/) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kLargePage) return static_cast<T*>(::operator new(bytes));
    void* const memory = ::operator new(bytes, std::align_val_t(kLargePage));
    adviseLargePages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kLargePage) return ::operator delete(memory);
    ::operator delete(memory, std::align_val_t(kLargePage));
  }
  friend bool operator==(const LargePageAllocator&, const LargePageAllocator&) { return true; }
};

}  // namespace quantscope
