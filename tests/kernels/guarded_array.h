#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quantscope::test {

/// `count` elements that start `offset` elements after an aligned address, and guards around them
/// that reveal writes outside.
template <class T>
class GuardedArray {
 public:
  GuardedArray(std::size_t count, std::size_t offset)
      : m_storage(count + 2 * kGuard + kAlignment, kPattern), m_count(count) {
    const auto address = reinterpret_cast<std::uintptr_t>(m_storage.data()) / sizeof(T);
    m_first = kGuard + (kAlignment - (address + kGuard) % kAlignment) % kAlignment + offset;
  }
  GuardedArray(std::span<const T> values, std::size_t offset)
      : GuardedArray(values.size(), offset) {
    std::copy(values.begin(), values.end(), span().begin());
  }

  std::span<T> span() { return {m_storage.data() + m_first, m_count}; }

  bool guardsHold() const {
    for (std::size_t i = 0; i < m_storage.size(); ++i) {
      const bool outside = i < m_first || i >= m_first + m_count;
      if (outside && m_storage[i] != kPattern) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kGuard = 64;
  static constexpr std::size_t kAlignment = 16;
  static constexpr T kPattern = static_cast<T>(77);

  std::vector<T> m_storage;
  std::size_t m_first = 0;
  std::size_t m_count;
};

}  // namespace quantscope::test
