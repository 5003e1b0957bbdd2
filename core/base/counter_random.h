#pragma once

#include <cstdint>

namespace quantscope {

/// The finalizer of SplitMix64 (Steele and others, 2014): every bit depends on every bit.
constexpr std::uint64_t mixedBits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Random numbers that depend on nothing but a key and a counter, so that they are the same
/// whatever thread asks for them, in whatever order.
class CounterRandom {
 public:
  explicit constexpr CounterRandom(std::uint64_t key) : m_key(mixedBits(key)) {}
  /// A generator of its own for each number.
  constexpr CounterRandom with(std::uint64_t number) const { return CounterRandom(m_key + number); }

  constexpr std::uint64_t key() const { return m_key; }
  constexpr std::uint64_t bits(std::uint64_t counter) const { return mixedBits(m_key + counter); }
  /// Uniform in [0, 1), of 53 bits.
  constexpr double uniform(std::uint64_t counter) const {
    return static_cast<double>(bits(counter) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t m_key;
};

}  // namespace quantscope
