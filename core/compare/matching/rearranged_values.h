#pragma once

#include <string_view>
#include <vector>

#include "compare/compared_model.h"
#include "compare/matching/value_prints.h"

namespace quantscope {

/// Which values of a model only rearrange another: they have its elements with its axes in another
/// order or under another shape. The model must outlive it.
class RearrangedValues {
 public:
  RearrangedValues(const ComparedModel& model, const std::vector<ValuePrint>& prints);

  bool isRearranged(std::size_t value) const { return m_sources[value] != value; }
  /// The computed value or input that a value rearranges, itself where it does not.
  std::size_t source(std::size_t value) const { return m_sources[value]; }
  /// The names of a value and, unless it is rearranged itself, of what rearranges it; each also
  /// without what quantizers add.
  const std::vector<std::string_view>& names(std::size_t value) const { return m_names[value]; }

 private:
  std::vector<std::size_t> m_sources;                  // by value
  std::vector<std::vector<std::string_view>> m_names;  // likewise
};

}  // namespace quantscope
