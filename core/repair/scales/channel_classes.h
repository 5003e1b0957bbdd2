#pragma once

#include <cstdint>
#include <vector>

namespace quantscope {

/// Channels that have to have the same factor, united step by step.
class ChannelClasses {
 public:
  /// Adds `count` new channels, each a class of its own.
  std::vector<std::uint32_t> add(std::size_t count);
  /// Channel a[i] and b[i] are the same; a and b have the same size.
  void unite(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b);
  /// Numbers all classes from 0 on, in the order of their first channels. Before numbersOf().
  std::size_t number();
  /// The numbers of the classes of these channels.
  std::vector<std::uint32_t> numbersOf(std::vector<std::uint32_t> channels) const;

 private:
  std::uint32_t root(std::uint32_t channel) const;

  std::vector<std::uint32_t> m_parents;
  std::vector<std::uint32_t> m_numbers;  // by root
};

}  // namespace quantscope
