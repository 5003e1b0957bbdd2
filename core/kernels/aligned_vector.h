#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "kernels/streaming.h"

namespace quantscope {

/// Begins with a cache line, so that no vector lies across two.
template <class T>
struct CacheLineAllocator {
  using value_type = T;

  CacheLineAllocator() = default;
  template <class Other>
  CacheLineAllocator(const CacheLineAllocator<Other>& /*other*/) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(kCacheLine)));
  }
  void deallocate(T* memory, std::size_t /*count*/) {
    ::operator delete(memory, std::align_val_t(kCacheLine));
  }
  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

/// Columns that kernels load vectors from.
template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace quantscope
