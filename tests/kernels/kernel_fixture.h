#pragma once

#include <QtTest>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace quantscope::test {

using Input = std::span<const float>;
using Limits = std::numeric_limits<float>;

/// How far arrays begin behind an aligned address, in elements.
inline constexpr std::size_t kOffsets[] = {0, 1, 3};

/// While it lives, kernels run on one target of Highway's, and the floating-point unit flushes
/// denormals or keeps them.
class KernelMode {
 public:
  KernelMode(std::int64_t target, bool flushDenormals);
  ~KernelMode();
  KernelMode(const KernelMode&) = delete;
  KernelMode& operator=(const KernelMode&) = delete;

 private:
  unsigned m_savedControl;
};

/// Data columns "target" and "flush", one row for each target that this CPU has, with and without
/// denormals flushed.
void addKernelModes();

/// The mode of the current row.
KernelMode kernelModeOfRow();

/// Every length from 0 to 8 vectors of the widest target, and one that fills many.
std::vector<std::size_t> kernelLengths();

/// `count` elements that start `offset` floats after an aligned address.
class OffsetArray {
 public:
  OffsetArray(std::span<const float> values, std::size_t offset);
  std::span<float> span() { return {m_storage.data() + m_first, m_count}; }

 private:
  std::vector<float> m_storage;
  std::size_t m_first;
  std::size_t m_count;
};

/// Numbers of every magnitude up to ±limit, with NaN, ±Inf, ±0, denormals, the extremes and ties
/// of the unit grid strewn in. The same for the same seed.
std::vector<float> hostileNumbers(std::size_t count, float limit, unsigned seed);

/// Numbers in ±1 whose sums depend on the order. The same for the same seed.
std::vector<float> tameNumbers(std::size_t count, unsigned seed);

/// Index of the first element whose bits differ, or −1. NaNs have bits too.
std::ptrdiff_t firstDifference(std::span<const float> a, std::span<const float> b);

}  // namespace quantscope::test
