#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace quantscope {

/// Counts the remaining uses of each value of a run.
class ValueUses {
 public:
  /// `values`: of the graph.
  explicit ValueUses(std::size_t values) : m_counts(values) {}

  void add(ValueId value) {
    if (m_counts[value.at()]++ == 0) m_values.push_back(value);
  }
  /// Returns true if this was the last use.
  bool remove(ValueId value) { return --m_counts[value.at()] == 0; }
  bool any(ValueId value) const { return m_counts[value.at()] > 0; }
  /// All that were ever used.
  const std::vector<ValueId>& values() const { return m_values; }

 private:
  std::vector<std::uint32_t> m_counts;  // by value
  std::vector<ValueId> m_values;
};

}  // namespace quantscope
