#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compare/matching/axis_order.h"
#include "compare/matching/match_values.h"

namespace quantscope {

/// Finds how values of one model lie in the other: with their axes as what they are made of says,
/// unless their elements are clearly more alike in another order. Where nothing is known of what
/// they are made of and elements do not tell, as those that are all equal, they lie alike. The
/// models and prints must outlive it.
class MatchedOrders {
 public:
  MatchedOrders(const ComparedModel& first, const std::vector<ValuePrint>& firstPrints,
                const ComparedModel& second, const std::vector<ValuePrint>& secondPrints,
                const std::vector<ValueMatch>& matches);

  /// Of a value of the first model and one of the second that stand for each other.
  AxisOrder between(std::size_t first, std::size_t second) const;

 private:
  /// What a value is a rearrangement of, or was computed from element by element.
  struct Origin {
    std::size_t value = 0;
    AxisIndexes order;  ///< of its axes in the value
  };

  static Origin originOf(const ComparedModel& model, const std::vector<ValuePrint>& prints,
                         const std::vector<std::size_t>& partners, std::size_t value);
  std::optional<AxisIndexes> expected(std::size_t first, std::size_t second) const;
  AxisIndexes orderOf(std::size_t first, std::size_t second) const;

  const ComparedModel& m_first;
  const std::vector<ValuePrint>& m_firstPrints;
  const ComparedModel& m_second;
  const std::vector<ValuePrint>& m_secondPrints;
  std::vector<std::size_t> m_ofFirst;           // by value: its match, or kNoValue
  std::vector<std::size_t> m_ofSecond;          // likewise
  std::map<std::size_t, AxisIndexes> m_orders;  // of matches, by value of the second model
};

}  // namespace quantscope
