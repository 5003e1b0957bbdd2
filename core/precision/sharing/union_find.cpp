#include "precision/sharing/union_find.h"

#include <algorithm>
#include <numeric>

namespace quantscope {

UnionFind::UnionFind(std::size_t count) : m_parent(count) {
  std::iota(m_parent.begin(), m_parent.end(), std::size_t{0});
}

std::size_t UnionFind::find(std::size_t item) {
  while (m_parent[item] != item) {
    m_parent[item] = m_parent[m_parent[item]];
    item = m_parent[item];
  }
  return item;
}

// The smaller number leads, so that a group is named by its first member.
void UnionFind::unite(std::size_t a, std::size_t b) {
  const std::size_t first = find(a);
  const std::size_t second = find(b);
  m_parent[std::max(first, second)] = std::min(first, second);
}

}  // namespace quantscope
