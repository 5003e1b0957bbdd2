#include "kernels/statistics/overflow_count.h"

#include <bit>
#include <cstdint>

namespace quantscope {

std::size_t countFrom(std::span<const float> in, float limit) {
  const auto first = std::bit_cast<std::uint32_t>(limit);
  const std::uint32_t infinity = 0x7F800000U;
  std::size_t count = 0;
  for (const float x : in) {
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(x) & 0x7FFFFFFFU;
    count += magnitude >= first && magnitude < infinity ? 1 : 0;
  }
  return count;
}

}  // namespace quantscope
