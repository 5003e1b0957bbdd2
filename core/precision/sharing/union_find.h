#pragma once

#include <cstddef>
#include <vector>

namespace quantscope {

/// Disjoint sets of the numbers 0 … n−1 that can only grow together.
class UnionFind {
 public:
  explicit UnionFind(std::size_t count);

  std::size_t find(std::size_t item);
  void unite(std::size_t a, std::size_t b);

 private:
  std::vector<std::size_t> m_parent;
};

}  // namespace quantscope
