#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace quantscope {

/// Channels that have to have the same factor, united step by step. Some are fixed: their factor is
/// 1.
class ChannelClasses {
 public:
  /// Adds `count` new channels, each a class of its own.
  std::vector<std::uint32_t> add(std::size_t count);
  void unite(std::uint32_t a, std::uint32_t b);
  /// Channel a[i] and b[i] are the same; a and b have the same size.
  void unite(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);
  /// The whole class of the channel keeps the factor 1.
  void fix(std::uint32_t channel);

  /// Equal for two channels of the same class.
  std::uint32_t classOf(std::uint32_t channel) const;
  bool isFixed(std::uint32_t channel) const { return m_fixed[classOf(channel)]; }
  /// False where all classes are fixed.
  bool anyFree() const { return m_free > 0; }

 private:
  mutable std::vector<std::uint32_t> m_parents;  // made shorter while they are followed
  std::vector<bool> m_fixed;                     // by class
  std::size_t m_free = 0;                        // classes that are not fixed
};

}  // namespace quantscope
