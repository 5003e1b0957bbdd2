#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace quantscope::test {

using Numbers = std::vector<float>;

/// Sums of `terms` uniform numbers, centred at 0, all multiples of 2^−14: easy to make in any
/// language, so that another program can be given the same data.
inline std::vector<float> uniformSums(std::size_t count, std::uint32_t seed, int terms) {
  std::vector<float> numbers(count);
  std::uint32_t state = seed;
  for (float& number : numbers) {
    std::uint32_t sum = 0;
    for (int i = 0; i < terms; ++i) {
      state = state * 1664525U + 1013904223U;
      sum += state >> 18;
    }
    number = static_cast<float>(sum) / 16384.0F - static_cast<float>(terms) / 2.0F;
  }
  return numbers;
}

/// Laplace-distributed numbers of scale 1: their tails fall as e^−|x|.
inline std::vector<float> laplaceNumbers(std::size_t count, std::uint32_t seed) {
  std::vector<float> numbers(count);
  std::uint32_t state = seed;
  for (float& number : numbers) {
    state = state * 1664525U + 1013904223U;
    const double magnitude = -std::log((static_cast<double>(state >> 8) + 0.5) / 16777216.0);
    state = state * 1664525U + 1013904223U;
    number = static_cast<float>(state >> 31 != 0 ? magnitude : -magnitude);
  }
  return numbers;
}

}  // namespace quantscope::test
